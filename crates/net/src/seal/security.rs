//! The protection of packets by keys, at ends of each kind.

use super::client_key::ClientKey;
use super::clients::Clients;
use super::key::Key;

/// The protection of packets.
#[derive(Clone, Debug)]
pub enum Security {
    /// Complete SCTP packets are sealed below SCTP: only an end with the same key is answered.
    Sealed(Key),
    /// Sealed, at a client of a server that has a key for each client ([`Security::Clients`]). A client only opens
    /// associations.
    Client(ClientKey),
    /// Sealed, at a server that has a key for each client: [`Association::client`](crate::Association::client) names
    /// the client. Such a server only accepts associations.
    Clients(Clients),
    /// Plain SCTP over UDP (RFC 6951), which anyone on the path can read and forge: for other stacks, and for
    /// measurements.
    Insecure,
}

impl Security {
    /// Returns true if packets are sealed.
    pub fn is_sealed(&self) -> bool {
        !matches!(self, Security::Insecure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_does_not_show_a_key() {
        let key = || Key::from_bytes([0xab; 16]);
        for security in [
            Security::Sealed(key()),
            Security::Client(ClientKey::new(key(), key())),
            Security::Clients(Clients::new(key())),
        ] {
            let shown = format!("{security:?} {security:#?}");
            assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
            assert!(security.is_sealed());
        }
    }
}
