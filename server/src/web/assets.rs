//! Files of `web/static`, embedded in release builds and read from the folder in debug builds.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The embedded folder.
#[derive(rust_embed::Embed)]
#[folder = "$CARGO_MANIFEST_DIR/../web/static"]
struct Static;

/// One file, ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Asset {
    /// The bytes.
    pub(crate) bytes: Cow<'static, [u8]>,
    /// The `Content-Type`.
    pub(crate) content_type: &'static str,
    /// Start of the content's SHA-256, in hexadecimal: the `v` of its address and its entity tag.
    pub(crate) version: String,
}

/// The file at `path` below `web/static`, if there is one of a known type.
pub(crate) fn find(path: &str) -> Option<Asset> {
    let content_type = content_type(path)?;
    let file = Static::get(path)?;
    let version = file.metadata.sha256_hash()[..6].iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    Some(Asset { bytes: file.data, content_type, version })
}

/// The address of the file at `path`: with its content's hash, so that it may be kept for ever.
pub(crate) fn href(path: &str) -> String {
    match find(path) {
        Some(asset) => format!("/assets/{path}?v={}", asset.version),
        None => format!("/assets/{path}"),
    }
}

fn content_type(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stylesheet_is_there_with_its_type_and_hash() {
        let asset = find("app.css").unwrap();
        assert_eq!(asset.content_type, "text/css; charset=utf-8");
        assert_eq!(href("app.css"), format!("/assets/app.css?v={}", asset.version));
        assert_eq!(asset.version.len(), 12);
    }

    #[test]
    fn the_stylesheet_turns_every_picture_and_category_dark() {
        let css = String::from_utf8(find("app.css").unwrap().bytes.into_owned()).unwrap();
        for render::palette::Reserved { name, light, dark } in render::palette::reserved() {
            for paint in ["fill", "stroke"] {
                let rule = format!("svg.pf [{paint}=\"{light}\"]{{{paint}:{dark}}}");
                assert!(css.contains(&rule), "{name}: {rule} (print render::palette::dark_css(\"svg.pf\"))");
            }
            if name.starts_with("kind-") {
                assert!(css.contains(&format!(".{name} {{ --kind: {light};")), "{name} in light");
                assert!(css.contains(&format!(".{name} {{ --kind: {dark}; }}")), "{name} in the dark");
            }
        }
    }

    #[test]
    fn nothing_outside_the_folder_is_found() {
        for path in
            ["../templates/base.html", "../../Cargo.toml", "/etc/passwd.css", "nothing.css", "app", ""]
        {
            assert!(find(path).is_none(), "{path}");
        }
    }
}
