//! Whole networks under a virtual clock, by subject: one program, so that what the subjects share is built once.

mod appstripe;
mod bbr;
mod buffer_split;
mod failover;
mod laws;
mod marks;
mod mesh;
mod mtu;
mod nr_sack;
#[path = "../../../tests/oracle/table.rs"]
mod oracle;
mod outages;
mod places;
mod predict;
mod reordering;
mod schedulers;
mod secondary;
mod sharing;
mod spikes;
mod tcp;
mod threads;
mod westwood;
mod window_management;
mod wireless;
mod worlds;
