//! Numbers and text lines as tools print them.
