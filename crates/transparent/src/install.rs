//! The tables, rules and routes of a capture in the kernel.

use std::io;

use netlink_bindings::nftables::TableFlags;
use nix::libc;

use crate::cgroup::Cgroup;
use crate::error::CaptureError;
use crate::netlink::{Message, NETFILTER, Netlink, ROUTE, Refusal};
use crate::nftables::{Existing, STRICT_TABLE, TABLE, Table, existing, transaction};
use crate::restored::Restored;
use crate::routes::{self, Part};
use crate::rules::{Plan, capturing_table, strict_table};

/// The sockets to the kernel. The first owns the tables.
#[derive(Debug)]
pub(crate) struct Kernel {
    nftables: Netlink,
    routes: Netlink,
}

impl Kernel {
    /// Opens the sockets, and checks that no other capture runs.
    pub(crate) fn open() -> Result<Kernel, CaptureError> {
        let nftables = Netlink::open(NETFILTER).map_err(CaptureError::NoNftables)?;
        let mut kernel = Kernel { nftables, routes: Netlink::open(ROUTE)? };
        match kernel.existing(TABLE)? {
            Some(Existing { is_owned: true, .. }) => return Err(CaptureError::AlreadyRunning),
            Some(_) => return Err(CaptureError::ForeignTable(TABLE)),
            None => {}
        }
        match kernel.existing(STRICT_TABLE)? {
            Some(Existing { is_owned: true, .. }) => Err(CaptureError::AlreadyRunning),
            _ => Ok(kernel),
        }
    }

    fn existing(&mut self, name: &str) -> Result<Option<Existing>, CaptureError> {
        existing(&mut self.nftables, name).map_err(|error| match error.raw_os_error() {
            Some(libc::EPERM) => CaptureError::NotPermitted(error),
            Some(libc::EOPNOTSUPP | libc::EPROTONOSUPPORT | libc::EINVAL) => CaptureError::NoNftables(error),
            _ => CaptureError::System(error),
        })
    }

    fn transact(&mut self, messages: &[Message]) -> Result<(), CaptureError> {
        self.nftables.transact(messages).map_err(|Refusal { what, error }| match error.raw_os_error() {
            // Another capture began since this one looked.
            Some(libc::EPERM | libc::EEXIST) => CaptureError::AlreadyRunning,
            _ => CaptureError::Rules { what: what.into_owned(), error },
        })
    }
}

/// The installed parts of a capture. They are removed when this is dropped, but the strict table stays.
#[derive(Debug)]
pub(crate) struct Installed {
    kernel: Kernel,
    plan: Plan,
}

impl Installed {
    /// Installs routes, rules and tables, and removes what an ended run left.
    pub(crate) fn install(kernel: Kernel, plan: Plan) -> Result<Installed, CaptureError> {
        let mut installed = Installed { kernel, plan };
        routes::remove(&mut installed.kernel.routes)?;
        routes::ensure(&mut installed.kernel.routes, installed.plan.families())?;
        installed.make_tables()?;
        Ok(installed)
    }

    /// Makes the tables in one transaction, so that nothing leaves between a strict table and the next.
    fn make_tables(&mut self) -> Result<(), CaptureError> {
        let capturing = capturing_table(&self.plan);
        if !self.plan.selection.is_strict {
            return self.kernel.transact(&transaction(&[], &[&capturing]));
        }
        let deleted = self.kernel.existing(STRICT_TABLE)?.map(|_| STRICT_TABLE);
        self.with_strict(|kernel, strict| {
            kernel.transact(&transaction(deleted.as_slice(), &[strict, &capturing]))
        })
    }

    /// Makes a strict table that others cannot change while this runs, or a plain one where the kernel does not keep
    /// tables of ended owners (before Linux 6.9).
    fn with_strict(
        &mut self,
        make: impl Fn(&mut Kernel, &Table) -> Result<(), CaptureError>,
    ) -> Result<(), CaptureError> {
        let kept = TableFlags::Owner as u32 | TableFlags::Persist as u32;
        match make(&mut self.kernel, &strict_table(&self.plan, kept)) {
            Err(CaptureError::Rules { error, .. }) if is_unknown_flag(&error) => {
                make(&mut self.kernel, &strict_table(&self.plan, 0))
            }
            other => other,
        }
    }

    /// Restores what others removed, and follows control groups that were made anew.
    pub(crate) fn restore(&mut self) -> Result<Vec<Restored>, CaptureError> {
        let added = routes::ensure(&mut self.kernel.routes, self.plan.families())?;
        let mut restored: Vec<Restored> = added.into_iter().map(Restored::from).collect();
        restored.extend(self.restore_strict()?);
        restored.extend(self.restore_capturing()?);
        Ok(restored)
    }

    fn restore_strict(&mut self) -> Result<Option<Restored>, CaptureError> {
        if !self.plan.selection.is_strict {
            return Ok(None);
        }
        let found = self.kernel.existing(STRICT_TABLE)?;
        let expected = strict_table(&self.plan, 0).chains.len();
        if found.is_some_and(|found| found.chains as usize == expected) {
            return Ok(None);
        }
        let deleted = found.map(|_| STRICT_TABLE);
        self.with_strict(|kernel, strict| kernel.transact(&transaction(deleted.as_slice(), &[strict])))?;
        Ok(Some(Restored::StrictTable))
    }

    fn restore_capturing(&mut self) -> Result<Option<Restored>, CaptureError> {
        let renewed = self.renewed_cgroups();
        let found = self.kernel.existing(TABLE)?;
        let restored = match (&renewed, found) {
            (None, Some(_)) => return Ok(None),
            (_, None) => Restored::Table,
            (Some(_), Some(_)) => Restored::Cgroups,
        };
        if let Some(cgroups) = renewed {
            self.plan.selection.cgroups = cgroups;
        }
        let deleted = found.map(|_| TABLE);
        self.kernel.transact(&transaction(deleted.as_slice(), &[&capturing_table(&self.plan)]))?;
        Ok(Some(restored))
    }

    /// The control groups, if one was made anew. One that is missing stays as it was.
    fn renewed_cgroups(&self) -> Option<Vec<Cgroup>> {
        let cgroups = &self.plan.selection.cgroups;
        let renewed =
            cgroups.iter().map(|cgroup| Cgroup::open(&cgroup.path).unwrap_or_else(|_| cgroup.clone()));
        let renewed: Vec<Cgroup> = renewed.collect();
        (renewed != *cgroups).then_some(renewed)
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        // The kernel removes the table in any case, when its socket is closed; the next run removes the rules.
        let _ = self.kernel.transact(&transaction(&[TABLE], &[]));
        let _ = routes::remove(&mut self.kernel.routes);
    }
}

fn is_unknown_flag(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EINVAL))
}

impl From<Part> for Restored {
    fn from(part: Part) -> Restored {
        match part {
            Part::Rule(family) => Restored::Rule { is_ipv6: family == crate::nftables::Family::Ipv6 },
            Part::Route(family) => Restored::Route { is_ipv6: family == crate::nftables::Family::Ipv6 },
        }
    }
}
