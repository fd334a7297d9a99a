//! Servers and bonds over loopback, between real sockets of programs and destinations. The parsers are tested in their
//! own files, and streams in `net`; these tests are about flows: their opening, their end, and those that misbehave.

mod association;
mod captured;
mod churn;
mod hostile;
mod hostile_server;
mod http;
mod ledger;
mod limits;
mod many;
mod party;
mod programs;
mod reverse;
mod slow;
mod socks;
mod socks_udp;
mod stopped;
mod tcp;
mod udp;
