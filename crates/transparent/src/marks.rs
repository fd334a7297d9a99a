//! The numbers by which the kernel knows the packets, ip rules and routes of a capture.
//!
//! Firewalls and VPNs share the 32 bits of a packet's mark. Kubernetes uses bits 14 and 15, Tailscale 16 to 23, mwan3 8
//! to 13, and wg-quick the value 0xca6c. Rules here set and compare one bit each and keep the others.

/// The mark (`SO_MARK`) of this program's own sockets: packets with this bit are never captured or dropped. The mask is
/// the bit itself.
pub const OWN_MARK: u32 = 1 << 28;
/// The bit of the mark of captured packets, by which the ip rule delivers them on this host, and of the connection
/// mark of captured TCP. The mask is the bit itself.
pub const CAPTURED_MARK: u32 = 1 << 29;
/// The number of the routing table with the route through lo.
pub const ROUTING_TABLE: u32 = 6_385_250;
/// The priority of the ip rule: before those that VPNs add.
pub const RULE_PRIORITY: u32 = 753;
/// The routing protocol number of the ip rule and the routes, as `ip rule` shows them.
pub const RULE_PROTOCOL: u8 = 97;
