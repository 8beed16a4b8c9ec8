//! Pages through the router, in process.

mod pages;

/// Panics unless the text is well-formed XML.
pub(crate) fn assert_well_formed(svg: &str) {
    let mut reader = quick_xml::Reader::from_str(svg);
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => return,
            Ok(_) => {}
            Err(error) => panic!("{error} at {}: {svg:.300}", reader.buffer_position()),
        }
    }
}
