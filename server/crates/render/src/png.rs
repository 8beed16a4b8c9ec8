//! Charts as PNG, for places that take no SVG. Text is set in DejaVu Sans, which is bundled (its licence lies
//! beside it), so pictures are the same on every machine.

use std::sync::Once;

use plotters::drawing::IntoDrawingArea;
use plotters::prelude::BitMapBackend;
use plotters::style::{FontStyle, register_font};

use crate::chart::Chart;
use crate::paint::Painter;
use crate::palette::{Role, Theme};
use crate::text::FONTS;

static FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
static REGISTER: Once = Once::new();

/// Most device pixels a picture may have (24 MB of memory); a larger one is drawn with a smaller factor.
const MOST_PIXELS: u64 = 8_000_000;

/// A chart as PNG with `factor` device pixels a pixel (2 for sharp screens; 1 to 4). Links and tooltips are
/// lost. Has a ground of its own in every theme.
pub fn chart_png<C: Chart>(chart: &C, theme: Theme, factor: u32) -> Vec<u8> {
    REGISTER.call_once(|| {
        // The font is part of the program and tested; a failure would only leave the text out.
        let _ = register_font(FONTS, FontStyle::Normal, FONT);
    });
    let (width, height) = chart.size();
    let pixels = u64::from(width.max(1)) * u64::from(height.max(1));
    let factor =
        (1..=factor.clamp(1, 4)).rev().find(|f| pixels * u64::from(f * f) <= MOST_PIXELS).unwrap_or(1);
    let height = if pixels > MOST_PIXELS { (MOST_PIXELS / u64::from(width.max(1))) as u32 } else { height };
    let size = (width.max(1) * factor, height.max(1) * factor);

    let ground = theme.colour(&Role::Ground);
    let mut bytes = [ground.0, ground.1, ground.2].repeat(size.0 as usize * size.1 as usize);
    let area = BitMapBackend::with_buffer(&mut bytes, size).into_drawing_area();
    chart.draw(&mut Painter::new(&area, theme, f64::from(factor)));
    // Presenting memory cannot fail.
    let _ = area.present();
    drop(area);
    encode(&bytes, size)
}

fn encode(bytes: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    // Writing to memory cannot fail, and the buffer has the size that was said.
    if let Ok(mut writer) = encoder.write_header() {
        let _ = writer.write_image_data(bytes);
    }
    out
}
