//! The failure of a program that ssh starts on another host.

/// The program on another host was not started, or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct RemoteFailure {
    /// The message, with what to do.
    pub message: String,
    /// The exit status of ssh, if it ended by itself: that of the program, or its own.
    pub status: Option<i32>,
}

impl RemoteFailure {
    /// Returns true if ssh itself failed, as when it cannot connect.
    pub(crate) fn is_connection_lost(&self) -> bool {
        self.status == Some(OF_SSH)
    }

    /// The exit status of this program: that of the one on the other host if it has a meaning here.
    pub(super) fn exit_status(&self) -> u8 {
        if self.status == Some(2) { 2 } else { 1 }
    }
}

/// The exit status of ssh after an error of its own (ssh(1)).
const OF_SSH: i32 = 255;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_input_there_is_wrong_input_here() {
        let with = |status| RemoteFailure { message: String::new(), status };
        assert_eq!(
            [Some(2), Some(1), Some(255), Some(127), None].map(|one| with(one).exit_status()),
            [2, 1, 1, 1, 1]
        );
        assert!(with(Some(255)).is_connection_lost() && !with(None).is_connection_lost());
    }
}
