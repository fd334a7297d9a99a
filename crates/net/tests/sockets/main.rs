//! Whole endpoints on real sockets of the loopback interface, with cables between them that can be cut. What a
//! protocol does is tested in `sctp`; here it is what sockets, driver and handles add.

mod cable;
mod cancelling;
mod failover;
mod faults;
mod lifecycle;
mod party;
mod sealed;
mod sending;
mod tap;
mod transfer;
mod waiting;
mod watching;
