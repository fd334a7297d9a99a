//! Dialogues under the policies of this crate, packet by packet.

#[path = "../../../sctp/tests/in_flight.rs"]
mod in_flight;
mod ipcc_sender;
mod ipcc_work;
#[path = "../../../sctp/tests/pair/mod.rs"]
mod pair;
#[path = "../../../sctp/tests/script/mod.rs"]
mod script;
mod wireless_aware;
