//! A terminal of 24 lines and 80 columns, with a program on it.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anabranch_net::Clock;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A program whose output goes to a terminal.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<vt100::Parser>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Terminal {
    /// Starts `command` there. The terminal is its controlling one, so that a key is a signal.
    pub(crate) fn start(command: &mut Command) -> Terminal {
        let mut whole = Command::new("setsid");
        whole.arg("--ctty").arg(command.get_program()).args(command.get_args());
        whole.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
        Terminal::start_with(&mut whole)
    }

    fn start_with(command: &mut Command) -> Terminal {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal");
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
        let there =
            ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("its other end");
        let end = || Stdio::from(there.try_clone().expect("another handle"));
        let command = command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm-256color");
        let child = command.spawn().expect("the program starts");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        drop(there);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let keyboard = File::from(master);
        let reader = keyboard.try_clone().expect("another handle");
        let reader = std::thread::spawn({
            let screen = screen.clone();
            move || read(reader, &screen)
        });
        Terminal { child, keyboard, screen, reader: Some(reader) }
    }

    /// The text on the screen.
    pub(crate) fn text(&self) -> String {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner).screen().contents()
    }

    /// Returns true if a line goes on in the next.
    pub(crate) fn has_wrapped(&self) -> bool {
        let parser = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |row| {
            let last = parser.screen().cell(row, COLUMNS - 1);
            last.is_some_and(|cell| cell.has_contents() && cell.contents() != " ")
        };
        (0..ROWS).any(|row| parser.screen().row_wrapped(row) && is_full(row))
    }

    /// Waits until the screen `is_right`.
    pub(crate) fn wait_until(&self, mut is_right: impl FnMut(&str) -> bool) {
        let begun = Clock::start();
        while !is_right(&self.text()) {
            assert!(begun.elapsed() < PATIENCE.into(), "the screen stays wrong:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ctrl-C: the terminal sends the signal, and shows the key if it is to.
    pub(crate) fn interrupt(&mut self) {
        self.keyboard.write_all(b"\x03").expect("a key");
    }

    /// Waits for the end; its status.
    pub(crate) fn finish(&mut self) -> Option<i32> {
        let begun = Clock::start();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE.into(), "it does not end:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        };
        if let Some(reader) = self.reader.take() {
            reader.join().expect("all was read");
        }
        status.code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Until the program's end, which a terminal tells as an error.
fn read(mut from: File, screen: &Mutex<vt100::Parser>) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        screen.lock().unwrap_or_else(PoisonError::into_inner).process(&bytes[..count]);
    }
}

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;
const PATIENCE: Duration = Duration::from_secs(60);
