//! The settings of Explicit Congestion Notification.

use anabranch_base::setting::{Kind, Named, Settable, Value};

use crate::policy::congestion::reno::EcnWindow;

/// The reports of congestion marks, and the answers to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnUse {
    /// This end does not offer ECN to its peer.
    Off,
    /// The receiver reports each marked packet once, and the sender does not answer the report (M-ECN-3, M-ECN-4; YE 4.3).
    Echo,
    /// Each SACK repeats the report until a CWR chunk answers it (M-ECN-5; RFC 4960 appendix A).
    Cwr,
}

impl Named for EcnUse {
    const WHAT: &'static str = "use of ECN";
    const NAMES: &'static [(&'static str, EcnUse)] =
        &[("off", EcnUse::Off), ("echo", EcnUse::Echo), ("cwr", EcnUse::Cwr)];
}

/// The values of [`EcnWindow`] that have a word.
const WORDS: [(&str, EcnWindow); 5] = [
    ("cwnd/2", EcnWindow::HALF),
    ("cwnd/4", EcnWindow::Divided(4)),
    ("cwnd/6", EcnWindow::Divided(6)),
    ("cwnd/8", EcnWindow::Divided(8)),
    ("bdp", EcnWindow::Bdp),
];

/// The kind of a setting that chooses a window.
pub(crate) const ECN_WINDOW: Kind =
    Kind::WordOr(&["cwnd/2", "cwnd/4", "cwnd/6", "cwnd/8", "bdp"], &Kind::SOME_SIZE);

impl Settable for EcnWindow {
    fn value(&self) -> Value {
        match (self, WORDS.iter().find(|(_, window)| window == self)) {
            (_, Some((word, _))) => Value::word(word),
            (EcnWindow::Bytes(bytes), None) => Value::Size(*bytes),
            (EcnWindow::Divided(by), None) => Value::Word(format!("cwnd/{by}")),
            (EcnWindow::Bdp, None) => Value::word("bdp"),
        }
    }

    fn of_value(value: Value) -> Option<EcnWindow> {
        match value {
            Value::Size(bytes) => Some(EcnWindow::Bytes(bytes)),
            Value::Word(word) => WORDS.iter().find(|(known, _)| *known == word).map(|(_, window)| *window),
            _ => None,
        }
    }
}
