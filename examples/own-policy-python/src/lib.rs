//! The example's policies for the Python package: a module that replaces its native part.

use anabranch_native::{add_to, shipped_policies};
use pyo3::prelude::*;

#[pymodule]
fn own_policy(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let mut policies = shipped_policies();
    own_policies::add_to(&mut policies);
    add_to(module, policies)
}
