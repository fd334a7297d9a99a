//! Loss detection and loss response.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named as _, Setting};

use crate::config::ecn::ECN_WINDOW;
use crate::config::{Config, EcnUse};
use crate::policy::registry::kind;

pub(super) const SETTINGS: &[Setting<Config>] = &[
    field!(loss_response, Everywhere, Kind::Policy(kind::LOSS_RESPONSE), "reaction to a loss"),
    field!(
        small_window_recovery,
        Everywhere,
        Kind::Boolean,
        "lost chunks are sent again when the last of a window of at most four packets is acknowledged"
    ),
    field!(
        remember_paths,
        Everywhere,
        Kind::Boolean,
        "windows begin with half of what filled their paths for an association of the same program in the last ten \
         minutes"
    ),
    field!(
        ecn,
        Everywhere,
        EcnUse::KIND,
        "reports and answers of congestion marks, if both ends support ECN"
    ),
    field!(
        ecn_window,
        Everywhere,
        ECN_WINDOW,
        "congestion window after the report of a mark, at least two units"
    ),
    field!(
        ecn_test,
        Everywhere,
        Kind::Boolean,
        "some of a path's first packets leave with a mark, to test whether marks come back"
    ),
    field!(
        ect_retransmissions,
        Everywhere,
        Kind::Boolean,
        "packets that begin with a retransmission may be marked; otherwise queues that mark drop them"
    ),
    field!(
        cwr_always,
        Everywhere,
        Kind::Boolean,
        "`ecn = \"cwr\"`: every report is answered; otherwise only those that cut the window"
    ),
    field!(
        missing_reports,
        Everywhere,
        Kind::Whole { least: 1, most: 255 },
        "missing reports that mark a chunk as lost"
    ),
];
