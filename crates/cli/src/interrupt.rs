//! Waits for Ctrl-C, and for the signals of a service that is stopped and of a terminal that is closed.

use std::future::Future;
use std::io;

use tokio::sync::watch;

use crate::failure::Failure;
use crate::signals::{self, HANGUP, INTERRUPT};
use crate::supervisor;
use crate::threads;

/// The presses of Ctrl-C since the start of the program.
#[derive(Debug)]
pub(crate) struct Interrupt {
    presses: watch::Receiver<u32>,
    count: watch::Sender<u32>,
}

impl Interrupt {
    /// Counts presses from now on. Ctrl-C no longer ends the program by itself.
    ///
    /// # Errors
    /// The system does not support the signals.
    pub(crate) fn listen() -> io::Result<Interrupt> {
        let (count, presses) = watch::channel(0);
        for mut signal in Signal::listen()? {
            let count = count.clone();
            tokio::spawn(async move {
                while signal.arrives().await {
                    press(&count, signal.number);
                }
            });
        }
        Ok(Interrupt { presses, count })
    }

    /// Counts the end of standard input as a terminal that is closed: the program that started this one is gone.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(crate) fn watch_input(&self) -> Result<(), Failure> {
        let reading = threads::spawn(|| io::copy(&mut io::stdin().lock(), &mut io::sink()))?;
        let count = self.count.clone();
        tokio::spawn(async move {
            let _ = reading.ended().await;
            press(&count, HANGUP);
        });
        Ok(())
    }

    /// Ends some time after the second press: a command that has not ended by then may wait for ever.
    pub(crate) fn forced(&self) -> impl Future<Output = ()> + 'static {
        let mut presses = self.presses.clone();
        async move {
            if presses.wait_for(|count| *count >= 2).await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(GRACE).await;
        }
    }

    /// Waits for the next press, or returns at once if there was one since the last call. If the future is dropped, no
    /// press is lost.
    pub(crate) async fn pressed(&mut self) {
        if self.presses.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Runs `work` on a separate thread, and returns its result unless Ctrl-C is pressed first. The thread then continues
    /// alone.
    ///
    /// # Errors
    /// Ctrl-C, the work panicked, or a thread cannot be started.
    pub(crate) async fn or_done<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let work = threads::spawn(work)?;
        tokio::select! {
            done = work.ended() => Ok(done?),
            () = self.pressed() => Err(Failure::Interrupted),
        }
    }
}

/// Counts a press, or a signal with this number.
fn press(count: &watch::Sender<u32>, number: u8) {
    signals::record(number);
    supervisor::stopping();
    count.send_modify(|count| *count += 1);
}

struct Signal {
    number: u8,
    #[cfg(unix)]
    stream: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signal {
    fn listen() -> io::Result<Vec<Signal>> {
        use rustix::process::Signal as Known;
        use tokio::signal::unix::{SignalKind, signal};
        // A write beyond the limit on file sizes would end the program. Handled, it is an error like a full disk.
        let _ = signal(SignalKind::from_raw(Known::XFSZ.as_raw()))?;
        let ignored = ignored();
        let ending = [Known::INT, Known::TERM, Known::HUP].map(Known::as_raw);
        // A signal that is ignored from the start, as by nohup(1), stays ignored, except Ctrl-C: shells start background
        // jobs with it ignored, and kill -INT must still end them.
        let handled = ending.into_iter().filter(|number| {
            *number == Known::INT.as_raw()
                || ignored & 1_u64.checked_shl((number - 1).cast_unsigned()).unwrap_or(0) == 0
        });
        handled
            .map(|number| {
                let stream = signal(SignalKind::from_raw(number))?;
                Ok(Signal { number: u8::try_from(number).unwrap_or(INTERRUPT), stream })
            })
            .collect()
    }

    async fn arrives(&mut self) -> bool {
        self.stream.recv().await.is_some()
    }
}

/// The signals that were ignored when the program started, a bit each; none if the system does not report them.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
impl Signal {
    fn listen() -> io::Result<Vec<Signal>> {
        Ok(vec![Signal { number: INTERRUPT }])
    }

    async fn arrives(&mut self) -> bool {
        tokio::signal::ctrl_c().await.is_ok()
    }
}

/// The time that a command has after the second Ctrl-C: its last packets take a second.
const GRACE: std::time::Duration = std::time::Duration::from_secs(3);
