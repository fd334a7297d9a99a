//! The role of a path, which the ends tell each other.

use anabranch_base::setting::Named;

/// The role of a path among those of its association. Of the roles that both ends give it, the later one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathRole {
    /// It carries data whenever it works.
    #[default]
    Ordinary,
    /// It carries new data only while the ordinary paths are full.
    Secondary,
    /// It carries data only while no other path does.
    Backup,
}

impl PathRole {
    /// The role that the flags of a HEARTBEAT state. Later versions may define further flags.
    pub(super) const fn of_flags(flags: u8) -> PathRole {
        if flags & BACKUP != 0 {
            PathRole::Backup
        } else if flags & SECONDARY != 0 {
            PathRole::Secondary
        } else {
            PathRole::Ordinary
        }
    }

    /// The flags of a HEARTBEAT that states this role.
    pub(super) const fn flags(self) -> u8 {
        match self {
            PathRole::Ordinary => 0,
            PathRole::Secondary => SECONDARY,
            PathRole::Backup => BACKUP,
        }
    }
}

impl Named for PathRole {
    const WHAT: &'static str = "role of a path";
    const NAMES: &'static [(&'static str, PathRole)] =
        &[("ordinary", PathRole::Ordinary), ("secondary", PathRole::Secondary), ("backup", PathRole::Backup)];
}

/// The flag of a path that its sender keeps as a backup.
const BACKUP: u8 = 1;
/// The flag of a path that its sender keeps as a secondary one.
const SECONDARY: u8 = 2;
