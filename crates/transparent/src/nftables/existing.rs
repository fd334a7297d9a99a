//! Looks up a table, and its owner.

use std::io;

use netlink_bindings::nftables::{Nfgenmsg, OpGettableDo, TableFlags};
use nix::libc;

use super::table::{INET, NFT_MSG_GETTABLE, kind};
use crate::netlink::{Message, Netlink};

/// A table that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Existing {
    /// True if a running process owns the table.
    pub(crate) is_owned: bool,
    /// The number of its chains.
    pub(crate) chains: u32,
}

/// Looks up a table of family inet.
pub(crate) fn existing(netlink: &mut Netlink, name: &str) -> io::Result<Option<Existing>> {
    let mut body = Vec::new();
    let header = Nfgenmsg { nfgen_family: INET, ..Nfgenmsg::new() };
    drop(OpGettableDo::encode_request(&mut body, &header).push_name_bytes(name.as_bytes()));
    let message = Message { kind: kind(NFT_MSG_GETTABLE), flags: 0, body, what: "a table".into() };
    let answers = match netlink.request(&message) {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(None),
        other => other?,
    };
    let answer = answers.first().ok_or(io::ErrorKind::UnexpectedEof)?;
    let (_, attributes) = OpGettableDo::decode_request(answer);
    let flags = attributes.get_flags().unwrap_or(0);
    let is_owned = flags & TableFlags::Owner as u32 != 0;
    Ok(Some(Existing { is_owned, chains: attributes.get_use().unwrap_or(0) }))
}
