//! The links in real time, first without sockets and clock, then with both.

#[cfg(target_os = "linux")]
mod enclosure;
mod network;
mod relay;
mod scene;
