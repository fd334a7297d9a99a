//! Tests of the links in real time, first without sockets and clock, then with both.

#[cfg(target_os = "linux")]
mod namespaces;
mod network;
mod relay;
mod scene;
