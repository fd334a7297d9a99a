//! Errors in a planning problem.

use anabranch_models::ModelError;

/// The reason why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// An empty list of paths.
    #[error("there is no path to plan for")]
    NoPath,
    /// A buffer without one packet for each path.
    #[error("a receive buffer of {buffer} packets is less than one packet for each of {paths} paths")]
    BufferTooSmall {
        /// The shared receive buffer, in packets.
        buffer: u32,
        /// The number of paths that share it.
        paths: usize,
    },
    /// A curve with a value that cannot be a throughput.
    #[error(
        "path {path} with its window limited to {limit} packets carries {value} packets/s: not a number from \
         0 to 1e100"
    )]
    Curve {
        /// The path's index.
        path: usize,
        /// The window limit, in packets.
        limit: usize,
        /// The curve's value there.
        value: f64,
    },
    /// Curves too large for memory.
    #[error("curves with {points} points in total exceed the maximum of {most}")]
    TooLong {
        /// The number of their points together.
        points: u64,
        /// The most points allowed.
        most: u64,
    },
    /// A method that would try too many combinations.
    #[error("{combinations:.3e} combinations exceed the maximum of {most:.0e}: use the exact method")]
    TooMany {
        /// The number of combinations.
        combinations: f64,
        /// The most combinations allowed.
        most: f64,
    },
    /// A dynamic program that takes too long, or too much memory.
    #[error(
        "the dynamic program would compare {sums:.3e} sums and keep {kept:.3e}, of at most {most_sums:.0e} and \
         {most_kept:.0e}: use the hull method, which bounds its distance from the optimum"
    )]
    TooMuch {
        /// The number of sums compared.
        sums: f64,
        /// The number of sums kept.
        kept: f64,
        /// The most sums compared.
        most_sums: f64,
        /// The most sums kept.
        most_kept: f64,
    },
    /// A step of 0 packets.
    #[error("a step of 0 packets gives no limits to try")]
    NoStep,
    /// A step that leaves a path no limit to try.
    #[error("steps of {step} packets exceed the largest limit of path {path}, {largest} packets")]
    StepTooLarge {
        /// The step, in packets.
        step: u32,
        /// The path's index.
        path: usize,
        /// The largest limit, in packets.
        largest: u32,
    },
    /// A step with which every limit of a path is too short for a fast retransmit.
    #[error(
        "all limits of path {path} in steps of {step} packets are no longer than {missing_reports} packets, too \
         short for a fast retransmit"
    )]
    TooShort {
        /// The step, in packets.
        step: u32,
        /// The path's index.
        path: usize,
        /// The longest window without a fast retransmit, in packets.
        missing_reports: u32,
    },
    /// Candidates whose smallest limits do not fit together.
    #[error("the smallest limits are {least} packets in total, more than the buffer of {buffer}")]
    NothingFits {
        /// The sum of the smallest limits, in packets.
        least: u64,
        /// The shared receive buffer, in packets.
        buffer: u32,
    },
    /// A number of limits that differs from the number of paths.
    #[error("{limits} window limits for {paths} paths")]
    Limits {
        /// The number of limits.
        limits: usize,
        /// The number of paths.
        paths: usize,
    },
    /// The model has no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
}
