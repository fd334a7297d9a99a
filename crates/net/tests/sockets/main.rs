//! Whole endpoints on real sockets of the loopback interface, with cables between them that can be cut. The protocol is
//! tested in `sctp`; these tests are about sockets, driver and handles.

mod cable;
mod cancelling;
mod clients;
mod costs;
mod failover;
mod faults;
mod hostile_credits;
mod lifecycle;
mod parts;
mod party;
mod sealed;
mod sending;
mod streams;
mod tap;
mod test_packets;
mod transfer;
mod waiting;
mod watching;
