//! Schedulers.

mod bas;
mod blest;
mod ecf;
mod ods;
mod reception_index;
mod virtual_queues;

use anabranch_sctp::policy::Registry;

pub(crate) fn add(registry: &mut Registry) {
    bas::add(registry);
    blest::add(registry);
    ecf::add(registry);
    ods::add(registry);
    reception_index::add(registry);
}
