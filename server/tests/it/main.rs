//! Everything of the server tested as a whole: the router in process, journeys, rooms.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking and may talk")]

mod api;
mod app;
mod journeys;
mod offline;
mod rooms;
mod web;
