//! Two policies of one's own. Each is one file, with its settings; what makes it known is its line in [`add_to`].

mod gentle;
mod three_to_one;

use anabranch_sctp::policy::Registry;

/// Adds the policies to those that a program has.
pub fn add_to(registry: &mut Registry) {
    gentle::add(registry);
    three_to_one::add(registry);
}
