//! A request with names looked up: what the rules compare.

use std::ops::RangeInclusive;

use ipnet::IpNet;
use nix::unistd;

use crate::cgroup::Cgroup;
use crate::error::CaptureError;
use crate::except::Except;
use crate::request::Request;
use crate::taken::{Behind, Taken, User};

/// The flows of a request, as the kernel knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) is_host: bool,
    pub(crate) is_strict: bool,
    pub(crate) users: Vec<u32>,
    pub(crate) cgroups: Vec<Cgroup>,
    pub(crate) ports: Vec<RangeInclusive<u16>>,
    pub(crate) behind: Vec<Behind>,
    /// Private destinations that are carried.
    pub(crate) private: Vec<IpNet>,
    pub(crate) except: Vec<Except>,
}

impl Selection {
    /// Looks up the users and control groups of a checked request.
    pub(crate) fn resolve(request: &Request) -> Result<Selection, CaptureError> {
        let mut selection = Selection {
            is_strict: request.is_strict,
            except: request.except.clone(),
            ..Selection::default()
        };
        for taken in &request.taken {
            match taken {
                Taken::Host => selection.is_host = true,
                Taken::User(user) => selection.users.push(user_id(user)?),
                Taken::Cgroup(path) => selection.cgroups.push(Cgroup::open(path)?),
                Taken::Ports(ports) => selection.ports.extend(ports.ranges()),
                Taken::From(behind) => selection.behind.push(behind.clone()),
                Taken::To(net) => selection.private.push(*net),
            }
        }
        Ok(selection)
    }

    /// Returns true if flows of this host itself are carried.
    pub(crate) fn has_own_flows(&self) -> bool {
        self.is_host || !self.ports.is_empty() || self.has_processes()
    }

    /// Returns true if flows of a user or a control group are carried.
    pub(crate) fn has_processes(&self) -> bool {
        !self.users.is_empty() || !self.cgroups.is_empty()
    }
}

fn user_id(user: &User) -> Result<u32, CaptureError> {
    let name = match user {
        User::Id(id) => return Ok(*id),
        User::Name(name) => name,
    };
    match unistd::User::from_name(name) {
        Ok(Some(user)) => Ok(user.uid.as_raw()),
        Ok(None) => Err(CaptureError::UnknownUser(name.clone())),
        Err(error) => Err(CaptureError::User { name: name.clone(), error: error.into() }),
    }
}
