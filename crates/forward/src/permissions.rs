//! The destinations to which a server connects for its clients: the public internet, and what its operator allows.
//! Addresses are judged, never names: the caller checks every address that a look-up gave, and connects to that address.

mod address_class;
mod allowance;
mod reverse;

use std::fmt;
use std::net::{IpAddr, SocketAddr};

pub use address_class::AddressClass;
pub use allowance::{Allowance, AllowanceError};
pub use anabranch_nets::PortsError;
pub use reverse::{ReverseAllowance, ReverseError, ReversePermissions, ReverseRefusal};

use address_class::carried;

/// The rules of a server. The default permits the public internet.
///
/// ```
/// use anabranch_forward::Permissions;
///
/// let permissions = Permissions { allowed: vec!["127.0.0.1:8080".parse()?], ..Permissions::default() };
/// let loopback = "127.0.0.1".parse().expect("an address");
/// assert!(permissions.check(loopback, 8080).is_ok());
/// assert!(permissions.check(loopback, 22).is_err());
/// # Ok::<(), anabranch_forward::AllowanceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Addresses and ports that are permitted beyond the public internet.
    pub allowed: Vec<Allowance>,
    /// The server's own addresses, which are refused unless they are allowed.
    pub own: Vec<IpAddr>,
}

/// A destination that the server does not permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The port is zero.
    PortZero,
    /// The address has a class that is not allowed.
    Address {
        /// The address that was asked for.
        ip: IpAddr,
        /// The address that was refused: the same, or the IPv4 address that it carries.
        refused: SocketAddr,
        /// The class of the refused address.
        class: AddressClass,
    },
}

impl Permissions {
    /// Checks that the server permits the destination. An IPv4-mapped address is judged as its IPv4 address; an
    /// IPv6 address that carries an IPv4 address is permitted only if that is permitted as well.
    ///
    /// # Errors
    /// The class of the address is refused.
    pub fn check(&self, ip: IpAddr, port: u16) -> Result<(), Refusal> {
        if port == 0 {
            return Err(Refusal::PortZero);
        }
        let address = SocketAddr::new(ip.to_canonical(), port);
        self.check_address(address).map_err(|(refused, class)| Refusal::Address { ip, refused, class })
    }

    fn check_address(&self, address: SocketAddr) -> Result<(), (SocketAddr, AddressClass)> {
        let ip = address.ip();
        let class = AddressClass::of(ip).or(self.is_own(ip).then_some(AddressClass::Own));
        if let Some(class) = class.filter(|class| !self.is_allowed(address, *class)) {
            return Err((address, class));
        }
        carried(ip).map_or(Ok(()), |ip| self.check_address(SocketAddr::new(ip.into(), address.port())))
    }

    fn is_allowed(&self, address: SocketAddr, class: AddressClass) -> bool {
        let (ip, port, is_opaque) = (address.ip(), address.port(), class.is_opaque());
        self.allowed.iter().any(|one| if is_opaque { one.contains_all(port) } else { one.contains(ip, port) })
    }

    fn is_own(&self, ip: IpAddr) -> bool {
        self.own.iter().any(|own| own.to_canonical() == ip)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal::Address { ip, refused, class } = self else {
            return f.write_str("port 0 is reserved: the server connects to ports from 1 to 65535");
        };
        write!(f, "{ip} ")?;
        if ip.to_canonical() == refused.ip() {
            write!(f, "is {class}")?;
        } else {
            write!(f, "carries {}, {class}", refused.ip())?;
        }
        f.write_str(": the server refuses it unless --allow ")?;
        if class.is_opaque() { write!(f, "all:{}", refused.port()) } else { refused.fmt(f) }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests;
