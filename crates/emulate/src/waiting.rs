//! Waits for sockets or for a time, whichever comes first, to the nanosecond.

use std::os::fd::BorrowedFd;

use anabranch_base::Duration;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::thread::nanosleep;

/// Makes the kernel wake this thread at the requested time and not up to 50 µs later, as is usual to save power; and,
/// if permitted, before all less urgent threads. A kernel that forwards packets does not wait for a processor either;
/// niceness would not suffice, because it counts within a session only (sched(7), autogroup).
#[cfg(target_os = "linux")]
pub(crate) fn wake_punctually() {
    use thread_priority::{
        RealtimeThreadSchedulePolicy::Fifo, ThreadPriority, ThreadSchedulePolicy::Realtime,
        set_thread_priority_and_policy, thread_native_id,
    };
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    // The lowest real-time priority; the kernel leaves other threads a twentieth of the time even then.
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, Realtime(Fifo));
}

/// Other systems have no such setting.
#[cfg(not(target_os = "linux"))]
pub(crate) fn wake_punctually() {}

/// Sleeps, even if sources become readable.
pub(crate) fn rest(span: Duration) {
    let _ = nanosleep(&timespec(span));
}

/// Waits until one of `sources` can be read, or for `span`; without it, indefinitely. Returns for each whether it can
/// be read.
pub(crate) fn wait(sources: &[BorrowedFd<'_>], span: Option<Duration>) -> Vec<bool> {
    let mut polled: Vec<PollFd<'_>> =
        sources.iter().map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN)).collect();
    let timeout = span.map(timespec);
    match poll(&mut polled, timeout.as_ref()) {
        Ok(_) => polled.iter().map(|source| !source.revents().is_empty()).collect(),
        // A signal, or a temporary lack of memory: all are tried, and then waited for again.
        Err(_) => vec![true; sources.len()],
    }
}

fn timespec(span: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(span.as_nanos() / 1_000_000_000).unwrap_or(i64::MAX),
        // Less than 10⁹ fits every type of the system's.
        tv_nsec: (span.as_nanos() % 1_000_000_000) as _,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn readable_descriptors_are_reported_at_once() {
        let (silent, _first) = std::io::pipe().expect("a pipe");
        let (ready, mut second) = std::io::pipe().expect("a pipe");
        second.write_all(b"x").expect("room");
        assert_eq!(wait(&[silent.as_fd(), ready.as_fd()], None), [false, true]);
    }

    #[test]
    fn without_anything_to_read_the_wait_ends_with_its_span() {
        let (silent, _writer) = std::io::pipe().expect("a pipe");
        assert_eq!(wait(&[silent.as_fd()], Some(Duration::from_micros(100))), [false]);
    }
}
