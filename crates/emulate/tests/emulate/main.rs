//! The links in real time, first without sockets and clock, then with both.

mod fabric;
mod relay;
mod scene;
