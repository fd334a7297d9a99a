//! The echo of Ctrl-C on a terminal: off while a command runs that may show progress.
//!
//! A progress bar fills its line, and the cursor waits at the right edge. An echoed `^C` would go to the next line, where
//! the bar is then cleared in vain: the bar itself would stay.

#[cfg(unix)]
use rustix::{process, stdio, termios};

/// Keeps `^C` off the terminal of standard error until it is dropped.
#[derive(Debug)]
pub struct KeyEcho {
    #[cfg(unix)]
    before: Option<termios::Termios>,
}

#[cfg(unix)]
impl KeyEcho {
    /// Hides it, if standard error is a terminal and this program is in its foreground: another must not change it.
    pub fn hide() -> KeyEcho {
        let terminal = stdio::stderr();
        let is_ours = termios::isatty(terminal)
            && termios::tcgetpgrp(terminal).map_or(true, |group| group == process::getpgrp());
        let before = is_ours.then(|| termios::tcgetattr(terminal).ok()).flatten();
        if let Some(before) = &before {
            let mut hidden = before.clone();
            hidden.local_modes.remove(termios::LocalModes::ECHOCTL);
            let _ = termios::tcsetattr(terminal, termios::OptionalActions::Now, &hidden);
        }
        KeyEcho { before }
    }
}

#[cfg(unix)]
impl Drop for KeyEcho {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = termios::tcsetattr(stdio::stderr(), termios::OptionalActions::Now, before);
        }
    }
}

#[cfg(not(unix))]
impl KeyEcho {
    /// Nothing is known of other terminals.
    pub fn hide() -> KeyEcho {
        KeyEcho {}
    }
}
