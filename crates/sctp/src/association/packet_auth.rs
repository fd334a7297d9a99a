//! The AUTH chunk of a packet that leaves: before the first chunk that the peer wants authenticated, so that it covers
//! all that follow (RFC 4895 §6.2).

use super::authentication::AuthKeys;
use crate::wire::{EncodeChunk, Full, PacketBuilder};

/// Whether a packet has its AUTH chunk yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketAuth {
    /// Where it begins.
    at: Option<usize>,
}

impl PacketAuth {
    /// Appends a chunk, and before it the AUTH chunk if it needs one and there is none.
    ///
    /// # Errors
    /// They do not fit. Then nothing changes.
    pub fn push(
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

    /// Everything is in the packet: the code is computed over what follows the AUTH chunk.
    pub fn sign(&self, keys: Option<&AuthKeys>, builder: &mut PacketBuilder<'_>) {
        if let (Some(keys), Some(at)) = (keys, self.at) {
            keys.sign(builder.written_mut(at));
        }
    }

    /// How much longer a packet with nothing but this chunk is than the chunk.
    pub fn cost(keys: Option<&AuthKeys>, chunk: &dyn EncodeChunk) -> usize {
        let keys = keys.filter(|keys| keys.must_authenticate(chunk.kind()));
        keys.map_or(0, |keys| keys.blank().encoded_len())
    }
}
