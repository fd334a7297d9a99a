//! The AUTH chunk of a packet to send: it precedes the first chunk that the peer requires authenticated, and covers all
//! chunks after it (RFC 4895 §6.2).

use super::authentication::AuthKeys;
use crate::wire::{EncodeChunk, Full, PacketBuilder};

/// The AUTH chunk of one packet, if it has one yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketAuth {
    /// The offset at which the AUTH chunk begins.
    at: Option<usize>,
}

impl PacketAuth {
    /// Appends `chunk`, and an AUTH chunk before it if the chunk needs one and the packet has none.
    ///
    /// # Errors
    /// They do not fit; the packet is unchanged.
    pub(super) fn push(
        &mut self,
        keys: Option<&AuthKeys>,
        builder: &mut PacketBuilder<'_>,
        chunk: &dyn EncodeChunk,
    ) -> Result<(), Full> {
        if let Some(keys) = keys.filter(|keys| self.at.is_none() && keys.must_authenticate(chunk.kind())) {
            let needed = keys.blank().encoded_len() + chunk.encoded_len();
            let remaining = builder.remaining();
            if needed > remaining {
                return Err(Full { needed, remaining });
            }
            self.at = Some(builder.len());
            builder.push(&keys.blank())?;
        }
        builder.push(chunk)
    }

    /// Computes the code over the AUTH chunk and everything after it in the complete packet.
    pub(super) fn sign(&self, keys: Option<&AuthKeys>, builder: &mut PacketBuilder<'_>) {
        if let (Some(keys), Some(at)) = (keys, self.at) {
            keys.sign(builder.written_mut(at));
        }
    }

    /// The bytes that a packet with only `chunk` needs for AUTH.
    pub(super) fn cost(keys: Option<&AuthKeys>, chunk: &dyn EncodeChunk) -> usize {
        let keys = keys.filter(|keys| keys.must_authenticate(chunk.kind()));
        keys.map_or(0, |keys| keys.blank().encoded_len())
    }
}
