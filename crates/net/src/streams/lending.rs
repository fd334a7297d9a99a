//! The receiver's side of the credits: the sum of everything that the peer may send, and of everything that waits unread, is
//! never more than the receive buffer. The sums of a stream grow only, so that entries may cross on the way.
//!
//! The share of a stream depends on what is free (a dynamic threshold): while others do not read, every stream finds room,
//! and equal streams get equal shares. The window of a stream begins small and doubles whenever its sender has to ask.

mod asking;

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::ByteCount;
use anabranch_sctp::wire::StreamId;

use super::control::{ControlError, Entry};
use super::limited::{Numbers, TooFarAhead};
use asking::Asking;

/// The credits that this end gave.
#[derive(Debug)]
pub(super) struct Lender {
    capacity: ByteCount,
    pool_size: ByteCount,
    pool_granted: ByteCount,
    pool_taken: ByteCount,
    /// The credit of streams, without the pool.
    promised: ByteCount,
    /// The charges of unread messages.
    unread: ByteCount,
    loans: BTreeMap<StreamId, Loan>,
    asking: Asking,
    /// The stream for whose large message room is saved, and the room.
    saving: Option<(StreamId, ByteCount)>,
    reclaim: Reclaim,
    /// The streams whose grant has to be sent.
    due: VecDeque<StreamId>,
    is_pool_due: bool,
}

/// The sums of one stream since the association opened.
#[derive(Debug, Default)]
struct Loan {
    granted: ByteCount,
    taken: ByteCount,
    returned: ByteCount,
    /// The charges of the messages that arrived or were given up.
    settled: ByteCount,
    /// The charges of the messages that wait unread.
    unread: ByteCount,
    /// The credit that the stream gets without asking; zero before it asks.
    window: ByteCount,
    /// The value of `settled` when the window was widened last.
    widened_at: ByteCount,
    /// The sum of charges that the sender asked for; zero if it does not wait.
    needed: ByteCount,
    is_due: bool,
    numbers: Numbers,
}

/// The request for the credit of idle streams.
#[derive(Debug, Default)]
struct Reclaim {
    /// The number of requests that may still be sent for the present need.
    left: u8,
    is_due: bool,
    is_asked: bool,
}

/// The error of a peer that does not keep to its credit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Violation {
    /// More arrived than the peer may send.
    #[error("the peer sent {over} more than its credit on stream {}: does its program use streams?", .stream.get())]
    MoreThanCredit { stream: StreamId, over: ByteCount },
    /// More is given back than there is.
    #[error("the peer returned more than its credit on stream {}", .0.get())]
    ReturnedMore(StreamId),
    /// The numbers of messages do not follow each other.
    #[error("the peer skips numbers of messages on stream {}", .0.get())]
    Numbers(StreamId),
    /// A message without the framing that its identifier promises.
    #[error("the peer sent a message of {length} bytes on stream {}, which is not framed", .stream.get())]
    NotFramed { stream: StreamId, length: usize },
    /// A control message cannot be read.
    #[error("the peer sent {0}")]
    Control(#[from] ControlError),
}

impl Loan {
    fn limit(&self) -> ByteCount {
        (self.granted + self.taken).saturating_sub(self.returned)
    }

    fn promised(&self) -> ByteCount {
        self.limit().saturating_sub(self.settled)
    }

    fn hold(&self) -> ByteCount {
        self.promised() + self.unread
    }

    /// Doubles the window, or opens it with `first`.
    fn widen(&mut self, first: ByteCount, capacity: ByteCount) {
        self.window = if self.window.is_zero() { first } else { (self.window * 2).min(capacity) };
        self.widened_at = self.settled;
    }
}

impl Lender {
    /// Nothing is granted but the first pool of a receive buffer of this size.
    pub(super) fn new(buffer: ByteCount) -> Lender {
        Lender {
            capacity: buffer,
            pool_size: first_pool(buffer),
            pool_granted: first_pool(buffer),
            pool_taken: ByteCount::ZERO,
            promised: ByteCount::ZERO,
            unread: ByteCount::ZERO,
            loans: BTreeMap::new(),
            asking: Asking::default(),
            saving: None,
            reclaim: Reclaim::default(),
            due: VecDeque::new(),
            is_pool_due: false,
        }
    }

    /// Handles the growth of the receive buffer to `capacity`.
    pub(super) fn grow_to(&mut self, capacity: ByteCount) {
        if capacity > self.capacity {
            self.capacity = capacity;
            self.pool_size = first_pool(capacity);
            self.serve();
        }
    }

    /// Handles the arrival of a message, which now waits unread.
    pub(super) fn on_message(&mut self, stream: StreamId, charge: ByteCount) -> Result<(), Violation> {
        self.settle(stream, charge)?;
        self.loans.entry(stream).or_default().unread += charge;
        self.unread += charge;
        self.check();
        Ok(())
    }

    /// Handles a number of a message that may be given up. Returns false if it was counted before: then the message, or
    /// the report, is dropped.
    pub(super) fn on_number(&mut self, stream: StreamId, bits: u32) -> Result<bool, Violation> {
        let pool = self.pool_left();
        let loan = self.loans.entry(stream).or_default();
        let most = (loan.promised() + pool).get() / MESSAGE_CHARGE.get();
        loan.numbers.count(bits, most).map_err(|TooFarAhead| Violation::Numbers(stream))
    }

    /// Handles the news that a message was read or discarded.
    pub(super) fn on_read(&mut self, stream: StreamId, charge: ByteCount) {
        self.unread = self.unread.saturating_sub(charge);
        let Some(loan) = self.loans.get_mut(&stream) else { return };
        loan.unread = loan.unread.saturating_sub(charge);
        self.renew(stream);
    }

    /// Handles an entry of the peer about its own messages. Returns false if it is not one.
    pub(super) fn on_entry(&mut self, entry: Entry) -> Result<bool, Violation> {
        match entry {
            Entry::Blocked { stream, taken, needed } => self.on_blocked(stream, taken, needed)?,
            Entry::Return { stream, taken, returned } => self.on_return(stream, taken, returned)?,
            Entry::GivenUp { stream, number, charge } => {
                if self.on_number(stream, number)? {
                    self.settle(stream, charge)?;
                    self.renew(stream);
                }
            }
            Entry::Reclaimed => {
                self.reclaim.is_asked = false;
                self.serve();
            }
            Entry::Grant { .. } | Entry::Pool { .. } | Entry::Reclaim => return Ok(false),
        }
        self.check();
        Ok(true)
    }

    /// The next entry to send.
    pub(super) fn poll_entry(&mut self) -> Option<Entry> {
        if std::mem::take(&mut self.is_pool_due) {
            return Some(Entry::Pool { granted: self.pool_granted });
        }
        if let Some(stream) = self.due.pop_front() {
            let loan = self.loans.entry(stream).or_default();
            loan.is_due = false;
            return Some(Entry::Grant { stream, granted: loan.granted });
        }
        std::mem::take(&mut self.reclaim.is_due).then_some(Entry::Reclaim)
    }

    /// Returns true if there is an entry to send.
    pub(super) fn has_entry(&self) -> bool {
        self.is_pool_due || !self.due.is_empty() || self.reclaim.is_due
    }

    /// The credit of the peer, and the charges of unread messages.
    pub(super) fn committed(&self) -> ByteCount {
        self.promised + self.pool_left() + self.unread
    }

    fn on_blocked(&mut self, stream: StreamId, taken: ByteCount, needed: ByteCount) -> Result<(), Violation> {
        self.raise_taken(stream, taken)?;
        let (first, largest) = (self.first_window(), largest_message(self.capacity));
        let capacity = self.capacity;
        let loan = self.loans.entry(stream).or_default();
        let missing = needed.saturating_sub(loan.limit());
        // The sender did not compare the message with the buffer.
        if missing > largest {
            return Ok(());
        }
        // A grant is under way, and came too late: the window is too small all the same.
        if missing.is_zero() {
            if loan.settled >= loan.widened_at + loan.window / 2 {
                loan.widen(first, capacity);
                self.renew(stream);
            }
            return Ok(());
        }
        loan.needed = needed;
        loan.widen(first, capacity);
        self.asking.add(stream, loan.hold() + missing);
        self.reclaim.left = MOST_RECLAIMS;
        self.serve();
        Ok(())
    }

    fn on_return(
        &mut self,
        stream: StreamId,
        taken: ByteCount,
        returned: ByteCount,
    ) -> Result<(), Violation> {
        self.raise_taken(stream, taken)?;
        let loan = self.loans.entry(stream).or_default();
        let more = returned.saturating_sub(loan.returned);
        // A message that the stream sent later, from the pool, arrived before this entry.
        let over = more.saturating_sub(loan.promised());
        if over > self.pool_granted - self.pool_taken {
            return Err(Violation::ReturnedMore(stream));
        }
        let taken = loan.taken + over;
        self.raise_taken(stream, taken)?;
        let loan = self.loans.entry(stream).or_default();
        loan.returned += more;
        self.promised -= more;
        if !more.is_zero() {
            self.reclaim.left = MOST_RECLAIMS;
        }
        self.serve();
        Ok(())
    }

    /// Moves what the peer took from the pool to the stream that took it.
    fn raise_taken(&mut self, stream: StreamId, taken: ByteCount) -> Result<(), Violation> {
        let left = self.pool_left();
        let loan = self.loans.entry(stream).or_default();
        let more = taken.saturating_sub(loan.taken);
        if more > left {
            return Err(Violation::MoreThanCredit { stream, over: more - left });
        }
        loan.taken += more;
        self.pool_taken += more;
        self.promised += more;
        Ok(())
    }

    /// Counts a message that arrived or was given up. The excess over the stream's credit was taken from the pool.
    fn settle(&mut self, stream: StreamId, charge: ByteCount) -> Result<(), Violation> {
        let loan = self.loans.entry(stream).or_default();
        let over = charge.saturating_sub(loan.promised());
        let taken = loan.taken + over;
        self.raise_taken(stream, taken)?;
        let loan = self.loans.entry(stream).or_default();
        loan.settled += charge;
        self.promised -= charge;
        Ok(())
    }

    /// Serves the streams that wait for room, and renews the credit of a stream whose messages were read.
    fn renew(&mut self, stream: StreamId) {
        if let Some(loan) = self.loans.get(&stream)
            && !loan.needed.is_zero()
        {
            self.asking.add(stream, loan.hold() + loan.needed.saturating_sub(loan.limit()));
        }
        self.reclaim.left = MOST_RECLAIMS;
        self.serve();
        let Some(loan) = self.loans.get(&stream).filter(|loan| loan.needed.is_zero()) else { return };
        let hold = loan.hold();
        let most = loan.window.min(self.share(hold));
        if hold * 2 <= most && most - hold >= LEAST_RENEWED {
            self.grant(stream, most - hold);
        }
    }

    /// Serves the pool and the streams that ask, the smallest requests first.
    fn serve(&mut self) {
        self.fill_pool();
        for class in Asking::classes() {
            while let Some(stream) = self.asking.first(class) {
                if !self.answer(stream) {
                    break;
                }
                self.asking.remove(stream, class);
            }
        }
        self.check();
    }

    fn fill_pool(&mut self) {
        let missing = self.pool_size.saturating_sub(self.pool_left());
        let more = missing.min(self.free().saturating_sub(self.capacity / 8) / 2);
        if missing * 2 >= self.pool_size && more >= MESSAGE_CHARGE {
            self.pool_granted += more;
            self.is_pool_due = true;
        }
    }

    /// Grants a stream what it asked for. Returns false if it has to wait for room in its place.
    fn answer(&mut self, stream: StreamId) -> bool {
        let saved =
            self.saving.filter(|(other, _)| *other == stream).map_or(ByteCount::ZERO, |(_, room)| room);
        let free = self.free();
        let Some(loan) = self.loans.get(&stream) else { return true };
        let (missing, hold, window) = (loan.needed.saturating_sub(loan.limit()), loan.hold(), loan.window);
        let has_unread = !loan.unread.is_zero();
        if missing.is_zero() {
            self.loans.entry(stream).or_default().needed = ByteCount::ZERO;
            return true;
        }
        let allowed = self
            .share(hold)
            .saturating_sub(hold)
            .max(least_share(self.capacity).saturating_sub(hold).min(free / 2));
        if missing <= allowed {
            let window = if self.asking.has_others() { missing } else { window };
            self.grant(stream, window.saturating_sub(hold).max(missing).min(allowed));
            self.reclaim.left = MOST_RECLAIMS;
            return true;
        }
        // Its own reader makes room, and asks again for it.
        if has_unread {
            self.saving = self.saving.filter(|(other, _)| *other != stream);
            return true;
        }
        if self.may_save(stream, missing) {
            if missing <= free + saved {
                self.saving = None;
                self.grant(stream, missing);
                self.reclaim.left = MOST_RECLAIMS;
                return true;
            }
            self.saving = Some((stream, saved + free / 2));
        }
        self.reclaim();
        false
    }

    /// Returns true if room may be saved for a message that exceeds the stream's share: others leave it when they are
    /// read, and enough stays for them.
    fn may_save(&mut self, stream: StreamId, missing: ByteCount) -> bool {
        if self.saving.is_some_and(|(other, _)| other != stream) {
            return false;
        }
        let may = missing + self.unread + self.pool_size + self.capacity / 8 <= self.capacity;
        if !may {
            self.saving = None;
        }
        may
    }

    fn reclaim(&mut self) {
        if self.reclaim.left > 0 && !self.reclaim.is_asked && !self.promised.is_zero() {
            self.reclaim = Reclaim { left: self.reclaim.left - 1, is_due: true, is_asked: true };
        }
    }

    fn grant(&mut self, stream: StreamId, amount: ByteCount) {
        if self.saving.is_some_and(|(other, _)| other == stream) {
            self.saving = None;
        }
        let loan = self.loans.entry(stream).or_default();
        if amount.is_zero() {
            return;
        }
        loan.granted += amount;
        loan.needed = ByteCount::ZERO;
        self.promised += amount;
        if !std::mem::replace(&mut loan.is_due, true) {
            self.due.push_back(stream);
        }
    }

    /// The most that a stream may hold that holds this much: two thirds of what it could reach, and less of less, so that
    /// streams that pause one after another leave room for many more.
    fn share(&self, hold: ByteCount) -> ByteCount {
        let most = self.free() + hold;
        most * most.get() / self.capacity.get().max(1) * 2 / 3
    }

    /// The window of a stream that asks for the first time: a part of what is free, so that a stream alone starts quickly.
    fn first_window(&self) -> ByteCount {
        (self.free() / 8).max(LEAST_FIRST_WINDOW).min(self.capacity)
    }

    fn pool_left(&self) -> ByteCount {
        self.pool_granted - self.pool_taken
    }

    /// The room that is neither promised nor used nor saved.
    fn free(&self) -> ByteCount {
        let saved = self.saving.map_or(ByteCount::ZERO, |(_, room)| room);
        self.capacity.saturating_sub(self.committed() + saved)
    }

    /// The promise to the peer and the memory never exceed the buffer.
    fn check(&self) {
        debug_assert!(self.committed() <= self.capacity, "{} of {}", self.committed(), self.capacity);
    }
}

/// The charge of a message with `length` bytes on the wire: a bound of the memory that it takes.
pub(super) fn charge_of(length: usize) -> ByteCount {
    MESSAGE_CHARGE + ByteCount::of_len(length)
}

/// The first pool of a receive buffer of this size, which both ends know from the handshake.
pub(super) fn first_pool(buffer: ByteCount) -> ByteCount {
    buffer / 8
}

/// The largest charge of a message that a receive buffer of this size ever grants.
pub(super) fn largest_message(buffer: ByteCount) -> ByteCount {
    buffer / 2
}

/// The share that every stream may hold while anything is free.
fn least_share(buffer: ByteCount) -> ByteCount {
    (buffer / 256).max(MESSAGE_CHARGE * 4)
}

/// The charge of a message beside its bytes.
pub(super) const MESSAGE_CHARGE: ByteCount = ByteCount::new(256);
/// The least window of a stream that asks for the first time.
const LEAST_FIRST_WINDOW: ByteCount = ByteCount::from_kib(16);
/// The least credit that a stream gets without asking, so that many streams do not hold remnants.
const LEAST_RENEWED: ByteCount = ByteCount::from_kib(1);
/// The most requests for the credit of idle streams without news between them: the second one finds streams that were
/// not used since the first.
const MOST_RECLAIMS: u8 = 2;

#[cfg(test)]
mod tests;
