//! A RE-CONFIG as bytes, which is sent as often as needed without a change.

use crate::wire::{EncodeChunk, ReConfig};

/// A RE-CONFIG that owns its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EncodedReConfig {
    bytes: Vec<u8>,
    value_len: usize,
}

impl EncodedReConfig {
    /// The chunk `chunk`.
    pub(crate) fn new(chunk: &ReConfig<'_>) -> EncodedReConfig {
        let mut bytes = Vec::with_capacity(chunk.encoded_len());
        chunk.encode(&mut bytes);
        EncodedReConfig { bytes, value_len: chunk.value_len() }
    }
}

impl EncodeChunk for EncodedReConfig {
    fn kind(&self) -> u8 {
        ReConfig::KIND
    }

    fn value_len(&self) -> usize {
        self.value_len
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes);
    }
}
