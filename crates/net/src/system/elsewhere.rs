//! Systems without a file of their own.

use super::System;

/// A system of which nothing further is known.
#[derive(Debug)]
pub(crate) struct Elsewhere;

impl System for Elsewhere {}
