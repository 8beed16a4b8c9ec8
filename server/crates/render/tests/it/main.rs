//! What every picture must be, whatever it shows.

mod charts;
mod diff;
mod flame;
mod xml;
