//! Scenarios run with many seeds on all cores, as studies and comparisons with other programs need them: the runs, what is
//! kept of them so that a study can be interrupted, and their values seed by seed.

pub mod by_seed;
pub mod grid;
pub mod kept_runs;
pub mod printing;
pub mod processors;
pub mod scale;
pub mod stopwatch;
