//! The state of IPv6 addresses: tentative addresses must not be used yet, deprecated ones should no longer be used.

/// The state of an address, the preferred ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) enum Standing {
    /// A temporary address (RFC 8981), which does not identify its host. A user who enables such addresses wants them
    /// to be used.
    Temporary,
    /// An ordinary address.
    Preferred,
    /// RFC 4862 §5.5.4: a deprecated address "SHOULD NOT be used to initiate new communications if an alternate
    /// (non-deprecated) address of sufficient scope can easily be used instead". Existing users of the address keep it.
    Deprecated,
    /// Not known to be unique on its link, or known not to be (RFC 4862 §5.4): it cannot be a source address.
    Unusable,
}
