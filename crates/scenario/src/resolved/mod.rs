//! Every setting as used.
