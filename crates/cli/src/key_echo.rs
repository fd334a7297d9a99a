//! Turns off the echo of Ctrl-C on the terminal while a command runs that may show progress.
//!
//! A progress bar fills its line, and the cursor stays at the right edge. An echoed `^C` would go to the next line, and
//! clearing the bar would then clear that line instead.

#[cfg(unix)]
use rustix::{process, stdio, termios};

/// The terminal of standard error without `^C`, until this is dropped.
#[derive(Debug)]
pub(crate) struct KeyEcho {
    #[cfg(unix)]
    before: Option<termios::Termios>,
}

#[cfg(unix)]
impl KeyEcho {
    /// Hides `^C`, if standard error is a terminal and this program is in its foreground: a background job must not change
    /// the terminal.
    pub(crate) fn hide() -> KeyEcho {
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
    /// Does nothing: the settings of other terminals are not supported.
    pub(crate) fn hide() -> KeyEcho {
        KeyEcho {}
    }
}
