//! The clients of a server, found by the identifiers in their first packets.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use ring::hmac;

use super::key::{Key, Psk, Purpose};

/// The clients of a server, a name and a key each, and the door key that they all share.
///
/// Clones share the table, which can be [replaced](Clients::replace) while an endpoint uses it.
///
/// ```
/// use anabranch_net::{ClientKey, Clients, Key, Options, Security};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (door, ada) = (Key::fresh()?, Key::fresh()?);
/// let clients = Clients::new(door.clone());
/// clients.replace([("ada".to_owned(), ada.clone())])?;
/// let server = Options { accepts: true, ..Options::with(Security::Clients(clients.clone())) };
///
/// // Ada pastes this text at her end.
/// let text = ClientKey::new(door, ada).reveal();
/// let client = Options::with(Security::Client(text.parse()?));
///
/// assert_eq!(clients.replace([])?, ["ada"]); // from now on she gets no answer
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Clients {
    shared: Arc<Shared>,
}

struct Shared {
    door: Key,
    door_psk: Psk,
    by_id: RwLock<HashMap<ClientId, Arc<Client>>>,
}

/// A client of a server. A client whose key changes is removed, and is another one from then on.
pub(crate) struct Client {
    name: Arc<str>,
    id: ClientId,
    key: Key,
    psk: Psk,
    is_removed: AtomicBool,
}

/// The identifier of a client: 64 bits derived from its own key, from which the key cannot be derived.
///
/// It is sent encrypted with the door key and the keys of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ClientId([u8; ClientId::LEN]);

/// The reason for which a table of clients is invalid. It names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientsError {
    /// Two clients have the same key, so that a server could not distinguish them.
    #[error("the clients {0:?} and {1:?} have the same key")]
    SameKey(String, String),
    /// Two keys have the same name.
    #[error("two clients have the name {0:?}")]
    SameName(String),
    /// A client's own key is the door key, which all clients have.
    #[error("the key of the client {0:?} is the key that all clients share")]
    DoorKey(String),
}

impl Clients {
    /// A table without clients. `door` is the key that all clients share: it hides from others which client opens an
    /// association, and the server does not answer packets without it.
    pub fn new(door: Key) -> Clients {
        let door_psk = door.for_noise(Purpose::Door);
        Clients { shared: Arc::new(Shared { door, door_psk, by_id: RwLock::default() }) }
    }

    /// Replaces all clients, and returns the names of those that are no longer in the table or have another key, in
    /// order. Their associations remain until the application ends them:
    /// [`Association::is_client_removed`](crate::Association::is_client_removed) recognizes them. When this returns,
    /// their keys open nothing any more: no session, no association in an existing session, and
    /// [`Endpoint::accept`](crate::Endpoint::accept) returns none.
    ///
    /// # Errors
    /// A name or a key occurs twice, or a client has the door key: nothing changes.
    pub fn replace(
        &self,
        clients: impl IntoIterator<Item = (String, Key)>,
    ) -> Result<Vec<String>, ClientsError> {
        let fresh = self.checked(clients)?;
        let mut by_id = self.shared.by_id.write().unwrap_or_else(PoisonError::into_inner);
        let mut before = std::mem::take(&mut *by_id);
        for client in fresh {
            // An unchanged client stays the same, so that its sessions continue.
            let known = before.remove(&client.id);
            let kept = match known {
                Some(known) if known.name == client.name && known.key == client.key => known,
                known => {
                    before.extend(known.map(|known| (known.id, known)));
                    Arc::new(client)
                }
            };
            by_id.insert(kept.id, kept);
        }
        let gone: BTreeSet<&str> = before.values().map(|client| client.remove()).collect();
        Ok(gone.into_iter().map(str::to_owned).collect())
    }

    /// The client with this identifier.
    pub(super) fn find(&self, id: ClientId) -> Option<Arc<Client>> {
        self.shared.by_id.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// The pre-shared key that all clients have.
    pub(super) fn door(&self) -> &Psk {
        &self.shared.door_psk
    }

    fn checked(&self, clients: impl IntoIterator<Item = (String, Key)>) -> Result<Vec<Client>, ClientsError> {
        let mut checked: Vec<Client> = Vec::new();
        let (mut names, mut ids) = (BTreeSet::new(), HashMap::new());
        for (name, key) in clients {
            if key == self.shared.door {
                return Err(ClientsError::DoorKey(name));
            }
            let client = Client::new(name, key);
            if !names.insert(client.name.clone()) {
                return Err(ClientsError::SameName(client.name.to_string()));
            }
            // Of 2^20 different keys two have the same identifier once in 2^25 tables.
            if let Some(other) = ids.insert(client.id, client.name.clone()) {
                return Err(ClientsError::SameKey(other.to_string(), client.name.to_string()));
            }
            checked.push(client);
        }
        Ok(checked)
    }
}

impl Client {
    fn new(name: String, key: Key) -> Client {
        let (id, psk) = (ClientId::of(&key), key.for_noise(Purpose::Own));
        Client { name: name.into(), id, key, psk, is_removed: AtomicBool::new(false) }
    }

    /// Marks the client as removed, and returns its name.
    fn remove(&self) -> &str {
        self.is_removed.store(true, Ordering::Release);
        &self.name
    }

    /// The name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns true if the client is no longer in the table, or has another key there.
    pub(crate) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::Acquire)
    }

    /// The identifier.
    pub(super) fn id(&self) -> ClientId {
        self.id
    }

    /// The pre-shared key that only this client has.
    pub(super) fn psk(&self) -> &Psk {
        &self.psk
    }
}

impl ClientId {
    /// The length in bytes.
    pub(super) const LEN: usize = 8;

    /// The identifier of the client with this key.
    pub(super) fn of(key: &Key) -> ClientId {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.bytes()), LABEL);
        let mut id = [0; ClientId::LEN];
        id.copy_from_slice(&tag.as_ref()[..ClientId::LEN]);
        ClientId(id)
    }

    /// The identifier with these bytes.
    pub(super) const fn from_bytes(bytes: [u8; ClientId::LEN]) -> ClientId {
        ClientId(bytes)
    }

    /// The bytes.
    pub(super) const fn bytes(self) -> [u8; ClientId::LEN] {
        self.0
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.shared.by_id.read().unwrap_or_else(PoisonError::into_inner).len();
        write!(f, "Clients({count})")
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.name)
    }
}

/// The text whose authentication code under a client's key is its identifier.
const LABEL: &[u8] = b"anabranch client identifier 1";

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key::from_bytes([byte; Key::LEN])
    }

    fn table(rows: &[(&str, u8)]) -> Vec<(String, Key)> {
        rows.iter().map(|&(name, byte)| (name.to_owned(), key(byte))).collect()
    }

    fn clients(rows: &[(&str, u8)]) -> Clients {
        let clients = Clients::new(key(0xd0));
        assert_eq!(clients.replace(table(rows)), Ok(vec![]));
        clients
    }

    fn name_of(clients: &Clients, byte: u8) -> Option<String> {
        clients.find(ClientId::of(&key(byte))).map(|client| client.name.to_string())
    }

    /// Computed by Python's `hmac`: clients and servers of all versions must agree.
    #[test]
    fn an_identifier_is_the_beginning_of_an_hmac() {
        assert_eq!(ClientId::of(&key(1)).bytes(), [0x48, 0x5f, 0x52, 0xc7, 0x95, 0x75, 0x94, 0x02]);
    }

    #[test]
    fn a_client_is_found_by_its_identifier_in_every_clone() {
        let clients = clients(&[("ada", 1), ("ben", 2)]);
        let clone = clients.clone();
        assert_eq!(name_of(&clients, 2).as_deref(), Some("ben"));
        assert_eq!(name_of(&clone, 3), None);
        clone.replace(table(&[("eve", 3)])).expect("one client");
        assert_eq!(name_of(&clients, 3).as_deref(), Some("eve"));
        assert_eq!(name_of(&clients, 2), None);
    }

    #[test]
    fn clients_that_go_or_change_their_key_or_name_are_told() {
        let clients = clients(&[("ada", 1), ("ben", 2), ("eve", 3), ("kim", 4)]);
        let before = [1, 2, 3, 4].map(|byte| clients.find(ClientId::of(&key(byte))).expect("in the table"));
        // Ben goes, Eve has another key, Kim another name, and Lea is new.
        let gone = clients.replace(table(&[("ada", 1), ("eve", 5), ("tim", 4), ("lea", 6)]));
        assert_eq!(gone, Ok(vec!["ben".to_owned(), "eve".to_owned(), "kim".to_owned()]));
        assert_eq!(before.each_ref().map(|client| client.is_removed()), [false, true, true, true]);
        assert!(Arc::ptr_eq(&before[0], &clients.find(ClientId::of(&key(1))).expect("stays")), "the same");
        assert_eq!(name_of(&clients, 4).as_deref(), Some("tim"));
        // A client that returns is another one: its former sessions do not revive.
        assert_eq!(clients.replace(table(&[("ben", 2)])).expect("one client").len(), 4);
        assert_eq!(name_of(&clients, 2).as_deref(), Some("ben"));
        assert!(before[1].is_removed());
    }

    #[test]
    fn clients_that_exchange_their_keys_are_others() {
        let clients = clients(&[("ada", 1), ("ben", 2)]);
        assert_eq!(clients.replace(table(&[("ada", 2), ("ben", 1)])).expect("two clients"), ["ada", "ben"]);
    }

    #[test]
    fn an_ambiguous_table_changes_nothing() {
        let clients = clients(&[("ada", 1)]);
        for (rows, error) in [
            (table(&[("ben", 2), ("eve", 2)]), ClientsError::SameKey("ben".to_owned(), "eve".to_owned())),
            (table(&[("ben", 2), ("ben", 3)]), ClientsError::SameName("ben".to_owned())),
            (table(&[("ben", 0xd0)]), ClientsError::DoorKey("ben".to_owned())),
        ] {
            assert_eq!(clients.replace(rows), Err(error));
        }
        assert_eq!((name_of(&clients, 1).as_deref(), name_of(&clients, 2)), (Some("ada"), None));
    }

    #[test]
    fn debug_output_does_not_show_keys() {
        let clients = clients(&[("ada", 0xab)]);
        let client = clients.find(ClientId::of(&key(0xab))).expect("in the table");
        let shown = format!("{clients:?} {client:?}");
        assert_eq!(shown, "Clients(1) Client(\"ada\")");
    }
}
