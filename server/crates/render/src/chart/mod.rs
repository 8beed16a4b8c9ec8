//! Charts. Each is a struct of finished values that draws itself with a [`Painter`](crate::Painter).

pub mod categories;
pub mod comparison;
pub mod grid;
pub mod history;
pub mod percentiles;
pub mod sides;
pub mod spark;

mod axis;
mod document;

pub use categories::{CategoriesChart, CategoryRow};
pub use comparison::{ComparisonChart, ComparisonRow};
pub use document::{Chart, chart_svg};
pub use grid::{GridCell, GridChart};
pub use history::{HistoryChart, HistoryPoint, Level, Mark};
pub use percentiles::{PercentileRow, PercentilesChart};
pub use sides::{SideValues, SidesChart};
pub use spark::Spark;
