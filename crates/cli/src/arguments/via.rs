//! Parses a link of the command line, and its use.

use std::fmt;
use std::str::FromStr;

use anabranch_base::ByteCount;
use anabranch_net::{LinkRule, PathRole};

/// An interface or a local address, and the limits of its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Via {
    /// The interface or the address.
    pub link: String,
    /// The role beside the other links.
    pub role: PathRole,
    /// The most bytes that it may carry.
    pub most: Option<ByteCount>,
    /// As it was written.
    text: String,
}

impl Via {
    /// Returns the rule of the link, unless its use is unlimited.
    pub(crate) fn rule(&self) -> Option<LinkRule> {
        let Via { link, role, most, .. } = self.clone();
        (self.has_role() || most.is_some()).then_some(LinkRule { link, role, most })
    }

    /// Returns true if other links come before it.
    pub(crate) fn has_role(&self) -> bool {
        self.role != PathRole::Ordinary
    }

    /// Gives the link a role.
    fn take_role(&mut self, role: PathRole) -> Result<(), String> {
        if self.has_role() && self.role != role {
            let link = &self.link;
            return Err(format!("{link} is either a secondary link or a backup, not both"));
        }
        self.role = role;
        Ok(())
    }
}

impl FromStr for Via {
    type Err = String;

    /// `LINK`, or `LINK=USE,…` with `secondary` or `backup`, and `max:SIZE`.
    fn from_str(text: &str) -> Result<Via, String> {
        let (link, uses) = match text.split_once('=') {
            Some((link, uses)) => (link, uses.split(',').collect()),
            None => (text, Vec::new()),
        };
        let mut via =
            Via { link: link.to_owned(), role: PathRole::Ordinary, most: None, text: text.to_owned() };
        if link.is_empty() {
            return Err(format!("an interface or an address is missing; {EXPECTED}"));
        }
        for one in uses {
            match (one, one.strip_prefix("max:")) {
                ("secondary", _) => via.take_role(PathRole::Secondary)?,
                ("backup", _) => via.take_role(PathRole::Backup)?,
                (_, Some(size)) => via.most = Some(most(size)?),
                _ => return Err(format!("{one:?} is not a use of a link; {EXPECTED}")),
            }
        }
        Ok(via)
    }
}

fn most(size: &str) -> Result<ByteCount, String> {
    let most = super::quantity::size(size)?;
    if most < LEAST_MOST {
        Err(format!(
            "max:{size} is less than the {} that connecting and probing may need",
            LEAST_MOST.rounded()
        ))
    } else {
        Ok(most)
    }
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const EXPECTED: &str = "expected IFACE or ADDR, alone or with =secondary, =backup, =max:SIZE such as wwan0=max:2GB, \
                        or =backup,max:SIZE";
/// A smaller limit would be used up before any data is sent.
const LEAST_MOST: ByteCount = ByteCount::new(100_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_may_say_how_it_is_used() {
        let parsed = |text: &str| text.parse::<Via>().map(|via| (via.link, via.role, via.most));
        let gigabytes = |count: u64| Some(ByteCount::new(count * 1_000_000_000));
        assert_eq!(parsed("wlan0"), Ok(("wlan0".to_owned(), PathRole::Ordinary, None)));
        assert_eq!(parsed("wwan0=backup"), Ok(("wwan0".to_owned(), PathRole::Backup, None)));
        assert_eq!(parsed("10.0.0.1=max:2GB"), Ok(("10.0.0.1".to_owned(), PathRole::Ordinary, gigabytes(2))));
        assert_eq!(parsed("wwan0=max:1 GB,backup"), Ok(("wwan0".to_owned(), PathRole::Backup, gigabytes(1))));
        let secondary = |most| Ok(("wwan0".to_owned(), PathRole::Secondary, most));
        assert_eq!(parsed("wwan0=secondary"), secondary(None));
        assert_eq!(parsed("wwan0=secondary,max:2GB"), secondary(gigabytes(2)));
        assert_eq!(parsed("wwan0=max:2GB,secondary"), secondary(gigabytes(2)));
        let same = "wwan0=backup,max:500 MB".parse::<Via>().map(|via| via.to_string());
        assert_eq!(same.as_deref(), Ok("wwan0=backup,max:500 MB"));
        assert_eq!("wlan0".parse::<Via>().map(|via| via.rule()), Ok(None));
    }

    #[test]
    fn a_wrong_use_is_named_with_what_was_expected() {
        for (text, what) in [
            ("wwan0=bakcup", "\"bakcup\" is not a use of a link; expected IFACE"),
            ("wwan0=", "\"\" is not a use"),
            ("=backup", "an interface or an address is missing"),
            ("wwan0=second", "\"second\" is not a use of a link; expected IFACE"),
            ("wwan0=secondary,backup", "wwan0 is either a secondary link or a backup"),
            ("wwan0=backup,max:2GB,secondary", "wwan0 is either a secondary link or a backup"),
            ("wwan0=max:2XB", "\"XB\" is not a size unit"),
            ("wwan0=max:10kB", "less than the 100 kB that connecting"),
        ] {
            let error = text.parse::<Via>().expect_err(text);
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
