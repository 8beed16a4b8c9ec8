//! Everything of the server tested as a whole: the router in process, journeys, rooms.

mod api;
mod app;
mod journeys;
mod offline;
mod rooms;
mod web;
