//! The loss detection of IPCC (independent per-path congestion control, YE 6.4): each chunk has an implicit number on the
//! path that carries it, and a SACK is read for each path as if it acknowledged those numbers.

mod places;
mod records;

use places::{Place, Places};
use records::{PathRecords, Psn, RecordState};

use anabranch_base::setting::{Kind, Setting};
use anabranch_sctp::config::Config;
use anabranch_sctp::own_field;
use anabranch_sctp::policy::PathId;
use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::loss_detection::{DepartedChunk, LossDetection, SackFindings, SackNews};
use anabranch_sctp::policy::registry::OwnSettings;
use anabranch_sctp::policy::retransmission::LostBy;
use anabranch_sctp::seq::Tsn;

/// Which of IPCC's rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpccRules {
    /// Cumulative PSN ack point adjustment (M-IPCC-4): the number of a chunk that was sent again on another path counts as
    /// if it were acknowledged. Without it, the path waits until the chunk is acknowledged there.
    pub adjustment: bool,
}

impl IpccRules {
    /// As in YE.
    pub const DEFAULT: IpccRules = IpccRules { adjustment: true };
}

impl Default for IpccRules {
    fn default() -> IpccRules {
        IpccRules::DEFAULT
    }
}

/// Sends data by the rules of IPCC that `config` has, each path with a congestion control of its own (M-IPCC-1 to -5).
/// Which path carries what, and the timing of the SACKs that this end sends, stay.
pub fn choose(config: &mut Config) {
    config.cmt = CmtRules::NONE;
    NAME.clone_into(&mut config.loss_detection);
}

pub(crate) fn add(registry: &mut Registry) {
    registry
        .loss_detections
        .add(NAME, |rules| Box::new(IpccDetection::new(rules.own.of(), rules.missing_reports)))
        .with_settings(SETTINGS);
}

const NAME: &str = "ipcc";

const SETTINGS: &[Setting<OwnSettings>] = &[own_field!(
    "ipcc.adjustment" = IpccRules.adjustment,
    Scenarios,
    Kind::Boolean,
    "`ipcc`: a path grows and recovers without waiting for chunks that moved to another path"
)];

/// The records of all paths, and their recovery.
///
/// A chunk sent again on its path keeps its number there; on another path it gets the next one of that path, and its old
/// number is obsolete (M-IPCC-1). An acknowledgement belongs to the path on which the chunk was sent last.
#[derive(Debug)]
pub struct IpccDetection {
    rules: IpccRules,
    /// The number of missing reports make a chunk lost.
    threshold: u8,
    places: Places,
    paths: Vec<OfPath>,
}

/// The state of one path.
#[derive(Debug, Default)]
struct OfPath {
    records: PathRecords,
    /// While in fast recovery: the number up to which everything must be acknowledged or given up.
    exit: Option<Psn>,
    /// Before the SACK at hand: the lowest number in flight.
    first_before: Option<Psn>,
    /// The lowest and the highest number that the SACK at hand newly acknowledges. A number in flight on several paths
    /// is not evidence of loss, and is not the highest.
    lowest_acked: Option<Psn>,
    newest_acked: Option<Psn>,
}

impl IpccDetection {
    /// A rule that takes a chunk for lost after `threshold` missing reports.
    pub fn new(rules: IpccRules, threshold: u8) -> IpccDetection {
        IpccDetection { rules, threshold, places: Places::default(), paths: Vec::new() }
    }

    /// The cumulative number of `path`: everything up to it is acknowledged or given up.
    #[cfg(test)]
    fn cumulative(&self, path: usize) -> u64 {
        (0..).find(|psn| Psn::new(*psn) == self.paths[path].records.cumulative()).unwrap_or(u64::MAX)
    }

    fn path_mut(&mut self, path: PathId) -> &mut OfPath {
        let count = self.paths.len().max(path.index() + 1);
        self.paths.resize_with(count, OfPath::default);
        &mut self.paths[path.index()]
    }

    fn begin(&mut self, paths: usize) {
        self.paths.resize_with(self.paths.len().max(paths), OfPath::default);
        for path in &mut self.paths {
            path.first_before = path.records.first_outstanding();
            (path.lowest_acked, path.newest_acked) = (None, None);
        }
    }

    /// Carries what the SACK says of TSNs over to the numbers of the paths (M-IPCC-2).
    fn settle(&mut self, news: &SackNews) {
        for chunk in &news.acked {
            let Some((path, psn)) = self.settle_one(chunk.tsn) else { continue };
            path.lowest_acked = Some(path.lowest_acked.map_or(psn, |lowest| lowest.min(psn)));
            if !chunk.was_copied {
                path.newest_acked = path.newest_acked.max(Some(psn));
            }
        }
        for tsn in &news.acked_again {
            self.settle_one(*tsn);
        }
        for hole in news.holes.iter().filter(|hole| hole.is_reneged) {
            let Some(place) = self.places.place_mut(hole.tsn) else { continue };
            place.is_acked = false;
            if let Some((path, psn)) = place.current {
                self.paths[path.index()].records.restore(psn, hole.tsn);
            }
        }
    }

    /// The chunk `tsn` is acknowledged: its path and its number there, if it was ever sent.
    fn settle_one(&mut self, tsn: Tsn) -> Option<(&mut OfPath, Psn)> {
        let place = self.places.place_mut(tsn)?;
        place.is_acked = true;
        let (path, psn) = place.current?;
        let path = &mut self.paths[path.index()];
        if let Some(record) = path.records.record_mut(psn) {
            record.state = RecordState::Acked;
        }
        Some((path, psn))
    }

    /// M-IPCC-3: a number gets a missing report when the SACK newly acknowledges a higher one of its path. A chunk is
    /// lost by missing reports once on each path.
    fn count_missing(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        let is_cut_short = news.may_be_cut_short();
        for (index, path) in self.paths.iter_mut().enumerate() {
            let (id, Some(newest)) = (PathId::from_index(index), path.newest_acked) else { continue };
            let places = &mut self.places;
            news.examined += path.records.each_below(newest, |record| {
                if is_cut_short && !record.tsn.is_before(news.highest_reported) {
                    return;
                }
                record.reports = record.reports.saturating_add(1);
                let was_used = places.place_mut(record.tsn).is_none_or(|place| place.used.contains(id));
                if record.reports >= self.threshold && !was_used {
                    progress.missing.push((record.tsn, id));
                }
            });
        }
    }

    /// The cumulative numbers after the SACK, and what follows from them. A path has advanced if its number rose by
    /// what was newly acknowledged on it.
    fn advance(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        for (index, path) in self.paths.iter_mut().enumerate() {
            let before = path.records.cumulative();
            path.advance(&self.places);
            let after = path.records.cumulative();
            let has_advanced = after > before && path.lowest_acked.is_some_and(|lowest| lowest <= after);
            if let Some(advanced) = progress.advanced.get_mut(index) {
                *advanced = has_advanced;
            }
            if let Some(of_path) = news.paths.get_mut(index) {
                of_path.lowest = path.first_before.is_some_and(|first| !path.is_outstanding(first));
            }
        }
    }
}

impl OfPath {
    /// Raises the cumulative number, which may end recovery.
    fn advance(&mut self, places: &Places) {
        self.records.advance(|tsn| places.is_acked(tsn));
        let cumulative = self.records.cumulative();
        self.exit = self.exit.filter(|exit| cumulative < *exit);
    }

    fn is_outstanding(&mut self, psn: Psn) -> bool {
        self.records.record_mut(psn).is_some_and(|record| record.state == RecordState::Outstanding)
    }
}

impl LossDetection for IpccDetection {
    fn on_sent(&mut self, chunk: &DepartedChunk) {
        match self.places.place(chunk.tsn).and_then(|place| place.current) {
            None => {
                let psn = self.path_mut(chunk.path).records.push(chunk.tsn);
                self.places.entry(chunk.tsn).current = Some((chunk.path, psn));
            }
            Some((path, psn)) if path == chunk.path => {
                if let Some(record) = self.path_mut(path).records.record_mut(psn) {
                    record.state = RecordState::Outstanding;
                }
            }
            // A copy of a chunk that is in flight on another path has no number.
            Some(_) => {}
        }
    }

    fn on_marked(&mut self, tsn: Tsn, path: PathId, by: LostBy) {
        let Some(place) = self.places.place_mut(tsn) else { return };
        if by == LostBy::MissingReports {
            place.used.insert(path);
        }
        let Some((_, psn)) = place.current.filter(|(current, _)| *current == path) else { return };
        let Some(record) = self.paths[path.index()].records.record_mut(psn) else { return };
        record.state = RecordState::Marked;
        if by == LostBy::Timeout {
            record.reports = 0;
        }
    }

    /// The old number is given up at once, which may end recovery (M-IPCC-4).
    fn on_moved(&mut self, tsn: Tsn, _from: PathId, _to: PathId) -> Option<bool> {
        let Some(place) = self.places.place_mut(tsn) else { return Some(false) };
        let Place { current, awaited_on, .. } = place;
        let Some((from, psn)) = current.take() else { return Some(false) };
        let is_awaited = !self.rules.adjustment && !awaited_on.contains(from);
        if is_awaited {
            awaited_on.insert(from);
        }
        let of_path = &mut self.paths[from.index()];
        if let Some(record) = of_path.records.record_mut(psn) {
            record.state = if is_awaited { RecordState::Awaited } else { RecordState::Obsolete };
        }
        of_path.advance(&self.places);
        Some(of_path.records.first_outstanding().is_some_and(|first| psn < first))
    }

    fn is_first_outstanding(&self, path: PathId, tsn: Tsn) -> Option<bool> {
        let (current, psn) = self.places.place(tsn)?.current?;
        let first = self.paths.get(path.index())?.records.first_outstanding();
        Some(current == path && first.is_none_or(|first| psn <= first))
    }

    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        self.begin(news.paths.len());
        self.settle(news);
        self.count_missing(news, progress);
        self.places.drop_acked(news.cumulative);
        self.advance(news, progress);
    }

    fn remove_path(&mut self, path: PathId) {
        *self.path_mut(path) = OfPath::default();
    }

    fn on_timeout(&mut self, path: PathId) {
        self.path_mut(path).exit = None;
    }

    /// Implementer's Guide 2.8, with numbers of the path.
    fn enter_recovery(&mut self, path: PathId, _highest: Tsn) {
        let path = self.path_mut(path);
        path.exit = Some(path.records.last()).filter(|last| path.records.cumulative() < *last);
    }

    fn advances_by_path(&self) -> bool {
        true
    }

    fn recovers_by_path(&self) -> bool {
        true
    }

    fn is_in_recovery(&self, path: PathId) -> bool {
        self.paths.get(path.index()).is_some_and(|path| path.exit.is_some())
    }
}

#[cfg(test)]
mod tests;
