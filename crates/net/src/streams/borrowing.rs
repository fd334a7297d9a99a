//! The sender's side of the credits: each stream spends its own credit and a little of the pool, asks for more when a
//! message waits, and gives back what it does not use.

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::ByteCount;
use anabranch_sctp::wire::StreamId;

use super::control::Entry;
use super::lending::{first_pool, largest_message};

/// The credits that the peer gave.
#[derive(Debug)]
pub(super) struct Borrower {
    accounts: BTreeMap<StreamId, Account>,
    pool_granted: ByteCount,
    pool_taken: ByteCount,
    /// The largest charge of a message that the peer ever grants.
    largest: ByteCount,
    /// The streams with credit that no message waits for, by the time of their last use.
    idle: BTreeMap<u64, StreamId>,
    /// Counts uses of credit.
    uses: u64,
    /// The count of uses at the last request for the credit of idle streams.
    reclaimed_at: u64,
    /// Entries that are built when there is room for them: they have the sums at that time.
    due: VecDeque<Due>,
    /// True if a request for the credit of idle streams was answered by the entries in `due`.
    is_reclaimed: bool,
}

/// The sums of one stream since the association opened.
#[derive(Debug, Default)]
struct Account {
    granted: ByteCount,
    taken: ByteCount,
    returned: ByteCount,
    used: ByteCount,
    /// The sum taken from the pool since the last grant, or since the stream was opened.
    taken_in_row: ByteCount,
    /// The needed sum of the last request; zero without one.
    needed: ByteCount,
    /// The number of the next message that may be given up.
    next_number: u64,
    /// The last use, which is its place among the idle ones.
    last_use: u64,
    is_open: bool,
    is_ask_due: bool,
    is_return_due: bool,
}

#[derive(Clone, Copy, Debug)]
enum Due {
    Blocked(StreamId),
    Return(StreamId),
    GivenUp { stream: StreamId, number: u32, charge: ByteCount },
}

impl Account {
    fn unspent(&self) -> ByteCount {
        (self.granted + self.taken).saturating_sub(self.returned + self.used)
    }

    /// Returns true if a message waits for more credit than there is.
    fn lacks_credit(&self) -> bool {
        self.granted + self.taken < self.returned + self.needed
    }
}

impl Borrower {
    /// No credit but the first pool of a peer with this receive buffer.
    pub(super) fn new(peer_buffer: ByteCount) -> Borrower {
        Borrower {
            accounts: BTreeMap::new(),
            pool_granted: first_pool(peer_buffer),
            pool_taken: ByteCount::ZERO,
            largest: largest_message(peer_buffer),
            idle: BTreeMap::new(),
            uses: 0,
            reclaimed_at: 0,
            due: VecDeque::new(),
            is_reclaimed: false,
        }
    }

    /// The largest charge of a message that the peer ever grants.
    pub(super) fn largest(&self) -> ByteCount {
        self.largest
    }

    /// Opens a stream for sending.
    pub(super) fn open(&mut self, stream: StreamId) {
        let account = self.accounts.entry(stream).or_default();
        account.is_open = true;
        account.taken_in_row = ByteCount::ZERO;
    }

    /// Closes a stream for sending, and gives its credit back.
    pub(super) fn close(&mut self, stream: StreamId) {
        if let Some(account) = self.accounts.get_mut(&stream) {
            account.is_open = false;
        }
        self.give_back(stream);
    }

    /// Returns true if a message of this charge may be sent on a stream now.
    pub(super) fn may_spend(&self, stream: StreamId, charge: ByteCount) -> bool {
        let Some(account) = self.accounts.get(&stream) else { return false };
        let missing = charge.saturating_sub(account.unspent());
        missing.is_zero()
            || (account.taken_in_row + missing <= MOST_TAKEN
                && self.pool_taken + missing <= self.pool_granted)
    }

    /// Spends the charge of a message for which [`may_spend`](Borrower::may_spend) returned true.
    pub(super) fn spend(&mut self, stream: StreamId, charge: ByteCount) {
        let Some(account) = self.accounts.get_mut(&stream) else { return };
        let missing = charge.saturating_sub(account.unspent());
        account.taken += missing;
        account.taken_in_row += missing;
        self.pool_taken += missing;
        account.used += charge;
        account.needed = ByteCount::ZERO;
        self.touch(stream);
    }

    /// Asks for the credit for a whole message of this charge, which waits. The stream gives back its credit, so that
    /// streams that wait never keep credit from each other. Later grants stay until their sum is enough: the
    /// receiver counts them.
    pub(super) fn ask(&mut self, stream: StreamId, charge: ByteCount) {
        let Some(account) = self.accounts.get(&stream) else { return };
        let needed = account.used + charge;
        if account.needed == needed {
            return;
        }
        self.give_back(stream);
        let account = self.accounts.entry(stream).or_default();
        account.needed = needed;
        if !std::mem::replace(&mut account.is_ask_due, true) {
            self.due.push_back(Due::Blocked(stream));
        }
    }

    /// Handles the news that the message of a stream waits no longer, and was not sent.
    pub(super) fn on_withdrawn(&mut self, stream: StreamId) {
        if let Some(account) = self.accounts.get_mut(&stream) {
            account.needed = ByteCount::ZERO;
            self.touch(stream);
        }
    }

    /// Takes the number for a message that may be given up.
    pub(super) fn take_number(&mut self, stream: StreamId) -> u64 {
        let account = self.accounts.entry(stream).or_default();
        account.next_number += 1;
        account.next_number - 1
    }

    /// The number that [`take_number`](Borrower::take_number) would return.
    pub(super) fn next_number(&self, stream: StreamId) -> u64 {
        self.accounts.get(&stream).map_or(0, |account| account.next_number)
    }

    /// Reports a message that was given up.
    pub(super) fn on_given_up(&mut self, stream: StreamId, number: u32, charge: ByteCount) {
        self.due.push_back(Due::GivenUp { stream, number, charge });
    }

    /// Handles a grant. Returns true if the stream has more credit than before. One for a stream that was never used
    /// is ignored, and so is one that is less than an earlier one.
    pub(super) fn on_grant(&mut self, stream: StreamId, granted: ByteCount) -> bool {
        let Some(account) = self.accounts.get_mut(&stream).filter(|account| granted > account.granted) else {
            return false;
        };
        account.granted = granted;
        account.taken_in_row = ByteCount::ZERO;
        let (is_open, lacks, last_use) = (account.is_open, account.lacks_credit(), account.last_use);
        if !is_open {
            self.give_back(stream);
        } else if account.needed.is_zero() || lacks {
            // A grant that crossed the request is not enough: it is given back if the receiver asks.
            self.touch(stream);
        } else {
            self.idle.remove(&last_use);
        }
        is_open
    }

    /// Handles a grant to the pool.
    pub(super) fn on_pool(&mut self, granted: ByteCount) {
        self.pool_granted = self.pool_granted.max(granted);
    }

    /// Gives back the credit of streams that did not use any since the last request.
    pub(super) fn on_reclaim(&mut self) {
        for _ in 0..MOST_RECLAIMED {
            match self.idle.first_key_value() {
                Some((&last_use, &stream)) if last_use <= self.reclaimed_at => {
                    self.give_back(stream);
                    self.ask_again(stream);
                }
                _ => break,
            }
        }
        self.reclaimed_at = self.uses;
        self.is_reclaimed = true;
    }

    /// The next entry to send.
    pub(super) fn poll_entry(&mut self) -> Option<Entry> {
        while let Some(due) = self.due.pop_front() {
            match due {
                Due::Blocked(stream) => {
                    let account = self.accounts.entry(stream).or_default();
                    if account.is_return_due {
                        // An older request, which stands before: the receiver would count the credit that is returned.
                        self.due.push_back(due);
                        continue;
                    }
                    account.is_ask_due = false;
                    if !account.needed.is_zero() {
                        return Some(Entry::Blocked { stream, taken: account.taken, needed: account.needed });
                    }
                }
                Due::Return(stream) => {
                    let account = self.accounts.entry(stream).or_default();
                    account.is_return_due = false;
                    return Some(Entry::Return { stream, taken: account.taken, returned: account.returned });
                }
                Due::GivenUp { stream, number, charge } => {
                    return Some(Entry::GivenUp { stream, number, charge });
                }
            }
        }
        std::mem::take(&mut self.is_reclaimed).then_some(Entry::Reclaimed)
    }

    /// Returns true if there is an entry to send.
    pub(super) fn has_entry(&self) -> bool {
        !self.due.is_empty() || self.is_reclaimed
    }

    /// The credit of all streams, and the pool.
    #[cfg(test)]
    pub(super) fn sendable(&self) -> ByteCount {
        let unspent: ByteCount = self.accounts.values().map(Account::unspent).sum();
        unspent + self.pool_granted - self.pool_taken
    }

    /// Repeats the request of a stream that waits: the receiver may have counted the credit that was given back.
    fn ask_again(&mut self, stream: StreamId) {
        let Some(account) = self.accounts.get_mut(&stream) else { return };
        if !account.needed.is_zero() && !std::mem::replace(&mut account.is_ask_due, true) {
            self.due.push_back(Due::Blocked(stream));
        }
    }

    /// Gives back the credit of a stream.
    fn give_back(&mut self, stream: StreamId) {
        let Some(account) = self.accounts.get_mut(&stream) else { return };
        self.idle.remove(&account.last_use);
        let unspent = account.unspent();
        if !unspent.is_zero() {
            account.returned += unspent;
            if !std::mem::replace(&mut account.is_return_due, true) {
                self.due.push_back(Due::Return(stream));
            }
        }
    }

    /// Makes a stream the most recently used one.
    fn touch(&mut self, stream: StreamId) {
        let Some(account) = self.accounts.get_mut(&stream) else { return };
        self.idle.remove(&account.last_use);
        self.uses += 1;
        account.last_use = self.uses;
        if !account.unspent().is_zero() {
            self.idle.insert(self.uses, stream);
        }
    }
}

/// The most that a stream takes from the pool before it asks for credit of its own.
const MOST_TAKEN: ByteCount = ByteCount::from_kib(4);
/// The most streams that give credit back for one request.
const MOST_RECLAIMED: usize = 256;
