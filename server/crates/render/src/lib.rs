//! Results as pictures: charts and flame graphs as SVG, charts as PNG too.
//!
//! It draws results and computes none: changes, intervals and verdicts come in, pictures go out. Every function
//! is total. What is absent: I/O, clocks, scripts, inline styles (a strict content security policy holds) and
//! decisions about a page's look beyond class names and the colours reserved in [`palette`].
//!
//! Modules in reading order: [`palette`] (what colours mean), `text` and `svg` (names from outside made safe),
//! `scale` (numbers to places), `paint` (one painter over any plotters backend), [`chart`], `png`, [`flame`].

pub mod chart;
pub mod flame;
pub mod palette;

mod paint;
mod png;
mod scale;
mod svg;
mod text;

pub use chart::{Chart, chart_svg};
pub use paint::Painter;
pub use palette::{Rgb, Role, Theme};
pub use png::chart_png;
pub use svg::{Sizing, Sketch};
