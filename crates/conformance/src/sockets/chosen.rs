//! The options of a socket that are not settings of the core.

use super::arguments::field;
use crate::script::Value;

/// The options of a socket that are not settings of the core.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    /// The seconds of `SO_LINGER`, if it is on.
    pub(super) linger: Option<i64>,
    pub(super) send: SendDefaults,
    pub(super) wants_rcvinfo: bool,
    pub(super) wants_nxtinfo: bool,
    pub(super) wants_sndrcv: bool,
    /// `SCTP_NODELAY`: the core never delays a packet for want of data, so that both values mean the same to it.
    pub(super) no_delay: bool,
    pub(super) fragment_interleave: Option<i64>,
    pub(super) interleaving: bool,
    pub(super) stream_reset: i64,
    pub(super) context: i64,
    pub(super) send_context: i64,
}

/// `SCTP_FRAGMENT_INTERLEAVE` at first: parts of messages of several associations may alternate (RFC 6458 §8.1.20).
pub(super) const FIRST_INTERLEAVE: i64 = 1;

/// The values of fields that a call leaves open when it sends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SendDefaults {
    pub(super) stream: u16,
    pub(super) flags: i64,
    pub(super) ppid: u32,
    pub(super) pr_policy: i64,
    pub(super) pr_value: i64,
}

const TTL: i64 = 1;

impl SendDefaults {
    /// Reads `struct sctp_sndinfo`.
    pub(super) fn read_sndinfo(&mut self, info: &Value) {
        self.stream = field(info, "snd_sid").and_then(|stream| u16::try_from(stream).ok()).unwrap_or(0);
        self.flags = field(info, "snd_flags").unwrap_or(0);
        self.ppid = field(info, "snd_ppid").and_then(|ppid| u32::try_from(ppid).ok()).unwrap_or(0);
    }

    /// Reads `struct sctp_sndrcvinfo`.
    pub(super) fn read_sinfo(&mut self, info: &Value) {
        self.stream = field(info, "sinfo_stream").and_then(|stream| u16::try_from(stream).ok()).unwrap_or(0);
        self.flags = field(info, "sinfo_flags").unwrap_or(0);
        self.ppid = field(info, "sinfo_ppid").and_then(|ppid| u32::try_from(ppid).ok()).unwrap_or(0);
        self.read_lifetime(field(info, "sinfo_timetolive").unwrap_or(0));
    }

    /// A lifetime in milliseconds; zero for none.
    pub(super) fn read_lifetime(&mut self, milliseconds: i64) {
        if milliseconds > 0 {
            (self.pr_policy, self.pr_value) = (TTL, milliseconds);
        }
    }

    /// Reads `struct sctp_prinfo`.
    pub(super) fn read_prinfo(&mut self, info: &Value) {
        self.pr_policy = field(info, "pr_policy").unwrap_or(0);
        self.pr_value = field(info, "pr_value").unwrap_or(0);
    }
}
