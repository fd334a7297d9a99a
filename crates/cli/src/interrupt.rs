//! Waits for Ctrl-C.

use std::io;

use tokio::sync::watch;

use crate::failure::Failure;
use crate::key_echo::KeyEcho;

/// Listens from the start, so that no press is lost.
#[derive(Debug)]
pub struct Interrupt {
    presses: watch::Receiver<u32>,
    _echo: KeyEcho,
}

impl Interrupt {
    /// Listens from now on. Ctrl-C no longer ends the program by itself.
    ///
    /// # Errors
    /// Where the system has no such signal.
    pub fn listen() -> io::Result<Interrupt> {
        let (count, presses) = watch::channel(0);
        let mut signal = Signal::listen()?;
        tokio::spawn(async move {
            while signal.arrives().await {
                count.send_modify(|count| *count += 1);
            }
        });
        Ok(Interrupt { presses, _echo: KeyEcho::hide() })
    }

    /// Waits for the next press, which may have been before. If the future is dropped, none is lost.
    pub async fn pressed(&mut self) {
        if self.presses.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// The result of `work`, which runs on a separate thread, unless Ctrl-C is pressed first: the work then continues
    /// alone.
    ///
    /// # Errors
    /// It was pressed, or the work panicked.
    pub async fn or_done<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        tokio::select! {
            done = tokio::task::spawn_blocking(work) => done.map_err(|error| Failure::System(io::Error::other(error))),
            () = self.pressed() => Err(Failure::Interrupted),
        }
    }
}

#[cfg(unix)]
struct Signal(tokio::signal::unix::Signal);

#[cfg(unix)]
impl Signal {
    fn listen() -> io::Result<Signal> {
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).map(Signal)
    }

    async fn arrives(&mut self) -> bool {
        self.0.recv().await.is_some()
    }
}

#[cfg(not(unix))]
struct Signal;

#[cfg(not(unix))]
impl Signal {
    fn listen() -> io::Result<Signal> {
        Ok(Signal)
    }

    async fn arrives(&mut self) -> bool {
        tokio::signal::ctrl_c().await.is_ok()
    }
}
