//! The failures that another attempt may cure.

use crate::failure::Failure;

/// Returns true if another attempt may succeed. `has_connected` says that the peer answered once: until then, a wrong
/// address, interface or key is more likely than a lost network, and a peer with another key does not answer.
pub(super) fn is_curable(failure: &Failure, has_connected: bool) -> bool {
    match failure {
        Failure::Unreachable { .. } | Failure::PeerGone(_) | Failure::Busy(_) => true,
        Failure::UnknownHost(lookup) => has_connected || lookup.may_pass(),
        Failure::NoAnswer { .. } | Failure::Via(_) | Failure::Bind(_) => has_connected,
        Failure::Remote(remote) => has_connected && remote.is_connection_lost(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;

    #[test]
    fn silence_is_an_interruption_only_after_the_peer_has_answered_once() {
        let silent = Failure::NoAnswer {
            program: "",
            to: Vec::new(),
            tried: Vec::new(),
            attempts: 5,
            waited: Duration::ZERO,
            key: "",
        };
        assert!(!is_curable(&silent, false) && is_curable(&silent, true));
        let closed = Failure::Unreachable { to: Vec::new(), why: Vec::new(), program: "" };
        assert!(is_curable(&closed, false));
    }

    #[test]
    fn refusals_faults_of_files_garbage_and_ctrl_c_are_final() {
        for failure in [
            Failure::Refused(String::new()),
            Failure::NotStored(Vec::new()),
            Failure::LinksUsedUp(String::new()),
            Failure::Garbage { protocol: "", peer: String::new(), what: String::new() },
            Failure::Key(String::new()),
            Failure::Arguments(String::new()),
            Failure::Interrupted,
        ] {
            assert!(!is_curable(&failure, true), "{failure:?}");
        }
    }
}
