//! The interface of everything that an engine schedules: endpoint, link, queue, traffic source.

use crate::Time;

/// A state machine that is driven from outside and owns no clock, no socket and no thread.
///
/// The driver's only rule: after every `handle*`, call [`poll`](Machine::poll) until it answers `None`,
/// then read [`poll_timeout`](Machine::poll_timeout) and come back no later than that.
pub trait Machine {
    /// The inputs.
    type Input;
    /// The outputs.
    type Output;

    /// Handles an input that arrived at `now`.
    fn handle(&mut self, now: Time, input: Self::Input);

    /// Runs every timer that is due at `now`. Calling it early is harmless.
    fn handle_timeout(&mut self, now: Time);

    /// The next output, or `None` when there is nothing more to do at `now`.
    fn poll(&mut self, now: Time) -> Option<Self::Output>;

    /// The time at which [`handle_timeout`](Machine::handle_timeout) is due, or `None` while no timer runs.
    fn poll_timeout(&self) -> Option<Time>;
}
