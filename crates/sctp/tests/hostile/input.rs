//! Numbers and slices taken from fuzzed bytes.

/// The rest of the bytes; zeros when they are used up.
pub(crate) struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    pub(crate) fn u16(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from(self.u16()) << 16 | u32::from(self.u16())
    }

    /// A number below `limit`, which is 256 at most.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// True once in `many` calls, on average.
    pub(crate) fn is_one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// A slice whose length, at most `most`, is fuzzed too: mostly short, so that something is left for what
    /// follows.
    pub(crate) fn slice(&mut self, most: usize) -> &'a [u8] {
        let wanted = match self.byte() {
            short @ 0..240 => usize::from(short / 8),
            _ => usize::from(self.u16()),
        };
        let (slice, rest) = self.rest.split_at(wanted.min(most).min(self.rest.len()));
        self.rest = rest;
        slice
    }
}
