//! A mesh of 802.11 radio stations: who hears whom, who may send when (DCF), and which way packets take (DSR or fixed
//! routes). The whole mesh is one machine with a port at each station, and a medium of the `link` crate's fabric.
//!
//! # Readings
//!
//! Where the standards or the thesis leave a choice, the mesh does this:
//!
//! - **Slots** cost no events: the end of a back-off is a time, and a busy medium stops it in whole slots. Stations
//!   whose back-offs end at the same instant all send. There is no propagation delay.
//! - **EIFS** follows every frame that a station senses and does not understand: one that others overlapped, that is
//!   out of reception range, or that arrived while it sent itself. So after a collision all stations of a cell wait for
//!   EIFS, the senders too, and their slots stay aligned.
//! - **Answers**: a station answers an RTS if, when the RTS ends, it senses nothing else and no reservation holds. CTS,
//!   data after a CTS, and ACK are sent after SIFS whatever the medium does.
//! - **The reservation of an RTS** ends 2 SIFS + CTS + 2 slots after it if no transmission has begun by then. The
//!   reservation of other frames stays.
//! - **Retry limits**: see [`config::RetryCount`]. A frame up to the threshold has the short limit, route replies and
//!   errors too. The retry bit is set once the data frame itself was sent before.
//! - **DSR** follows RFC 4728, without replies from caches, salvaging, or requests that do not propagate. The target
//!   answers each copy of a request that reaches it (§8.2.2 asks for that before it asks whether the request is new); others
//!   pass it on once. The requests have a jitter, also the first: the two ends of a flow often lose their routes at the same
//!   time, and their searches would otherwise collide at the station between them. A station learns routes in both
//!   directions from what it sends, forwards or receives, and from nothing that it overhears.
//! - **After a link failure** the source of a packet routes it again, also the packet that failed: over another known
//!   route, or it waits for one. It waits at most until 30 s after it entered. Other stations drop the packet
//!   ([`LossCause::Retries`](anabranch_link::LossCause::Retries)) and those that wait for the same next hop
//!   ([`LossCause::NoRoute`](anabranch_link::LossCause::NoRoute)), and tell each source once.
//! - **Each packet has one fate.** Where the last ACK of a frame is lost, both stations have the packet. The first copy
//!   that arrives is the fate, later ones arrive as duplicates, and a packet is lost with its last copy.
//! - **An absent station** loses its packets, searches and reservations. It keeps the routes that it knows. A frame
//!   that it was sending ends at that moment. When it comes back, it senses what is on air and receives what begins then.

pub mod config;
mod counters;
mod dsr;
mod frame;
mod ledger;
mod medium;
mod mesh;
mod movement;
mod reception;
mod seen;
mod station;

pub use counters::StationCounters;
pub use frame::FrameKind;
pub use frame::encode::radiotap_frame;
pub use mesh::Mesh;
pub use seen::{FrameSeen, RoutingEvent, RoutingHeader};
