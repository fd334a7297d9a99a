//! What counts as a loss, and what the sender does then.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named as _, Setting};

use crate::config::ecn::ECN_WINDOW;
use crate::config::{Config, EcnUse};
use crate::policy::registry::kind;

pub const SETTINGS: &[Setting<Config>] = &[
    field!(loss_response, Everywhere, Kind::Policy(kind::LOSS_RESPONSE), "reaction to a loss"),
    field!(
        small_window_recovery,
        Everywhere,
        Kind::Boolean,
        "whether lost chunks are sent again when the last of a window of at most four packets is acknowledged"
    ),
    field!(
        remember_paths,
        Everywhere,
        Kind::Boolean,
        "whether windows begin with half of what filled their paths for another association of the same program, up to ten \
         minutes ago"
    ),
    field!(
        ecn,
        Everywhere,
        EcnUse::KIND,
        "how congestion marks are reported and answered, if the peer supports ECN too"
    ),
    field!(
        ecn_window,
        Everywhere,
        ECN_WINDOW,
        "the congestion window after the report of a mark, at least two units"
    ),
    field!(
        ecn_test,
        Everywhere,
        Kind::Boolean,
        "whether some of the first packets on a path leave with a mark, to learn whether marks come back"
    ),
    field!(
        ect_retransmissions,
        Everywhere,
        Kind::Boolean,
        "whether packets that begin with a retransmission may be marked; if not, queues that mark drop them"
    ),
    field!(
        cwr_always,
        Everywhere,
        Kind::Boolean,
        "`ecn = \"cwr\"`: whether every report is answered; if not, only one that cuts the window"
    ),
    field!(
        missing_reports,
        Everywhere,
        Kind::Whole { least: 1, most: 255 },
        "number of missing reports that mark a chunk as lost"
    ),
];
