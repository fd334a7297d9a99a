//! Runs scenarios with many seeds on all cores, for studies and comparisons with other programs: the runs, the values
//! kept so that a study can be interrupted, and statistics seed by seed.

pub mod by_seed;
pub mod grid;
pub mod kept_runs;
pub mod printing;
pub mod processors;
pub mod scale;
pub mod stopwatch;
