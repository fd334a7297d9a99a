//! The program as a user runs it, command by command: one test program, so that what the subjects share is built once.

mod bench;
mod comparison;
mod doctor;
mod emulated_commands;
mod emulation;
mod failures;
mod fetching;
mod figures;
mod goodbye;
mod interrupting;
mod keys;
mod limits;
mod narrow;
mod printing;
mod program;
mod recordings;
mod resuming;
mod retrying;
mod simulation;
mod starting;
#[cfg(unix)]
mod status;
mod sweeping;
mod terminal;
mod transfers;
mod trees;
