//! The flows that a capture is asked for.

use crate::except::Except;
use crate::taken::Taken;

/// The flows to carry, and the exceptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The flows that are carried: those of any entry.
    pub taken: Vec<Taken>,
    /// Destinations that go beside, as without a capture.
    pub except: Vec<Except>,
    /// Nothing else leaves this host, also after this program ends, until [`release`](crate::release()). Private
    /// destinations are carried too.
    pub is_strict: bool,
}

/// The error of a request that cannot be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// No flow is named.
    #[error(
        "nothing is carried: name flows with host, uid=, cgroup=, port= or from=; to= only adds destinations to them"
    )]
    Nothing,
    /// The rules would not fit into one transaction of the kernel.
    #[error(
        "{entries} networks, ports and users are more than the {limit} that fit: write larger networks or ranges"
    )]
    TooMany {
        /// The number of entries, each range of ports by itself.
        entries: usize,
        /// The largest number of entries.
        limit: usize,
    },
}

impl Request {
    /// Checks that the request names flows, and not too many.
    ///
    /// # Errors
    /// The request cannot be carried out on any host.
    pub fn check(&self) -> Result<(), RequestError> {
        if self.taken.iter().all(|taken| matches!(taken, Taken::To(_))) {
            return Err(RequestError::Nothing);
        }
        let taken = self.taken.iter().map(|taken| match taken {
            Taken::Ports(ports) => ports.ranges().count(),
            _ => 1,
        });
        let except = self
            .except
            .iter()
            .map(|except| except.0.ports.as_ref().map_or(1, |ports| ports.ranges().count()));
        let entries = taken.sum::<usize>() + except.sum::<usize>();
        if entries > LARGEST { Err(RequestError::TooMany { entries, limit: LARGEST }) } else { Ok(()) }
    }
}

/// The largest number of entries: their rules take at most two thirds of the buffer of a netlink socket.
const LARGEST: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn request(taken: &[&str], except: &[&str]) -> Request {
        Request {
            taken: taken.iter().map(|text| text.parse().expect(text)).collect(),
            except: except.iter().map(|text| text.parse().expect(text)).collect(),
            is_strict: false,
        }
    }

    #[test]
    fn a_request_without_flows_is_refused() {
        assert_eq!(request(&[], &[]).check(), Err(RequestError::Nothing));
        assert_eq!(request(&["to=10.0.0.0/8"], &[]).check(), Err(RequestError::Nothing));
        assert_eq!(request(&["uid=1", "to=10.0.0.0/8"], &["all:22"]).check(), Ok(()));
    }

    #[test]
    fn each_range_of_ports_is_counted() {
        let many: Vec<String> = (1..=LARGEST).map(|port| port.to_string()).collect();
        let except = format!("10.0.0.0/8:{}", many.join(","));
        let refused = RequestError::TooMany { entries: LARGEST + 1, limit: LARGEST };
        assert_eq!(request(&["host"], &[&except]).check(), Err(refused));
        assert_eq!(request(&["host"], &["10.0.0.0/8:1-65535"]).check(), Ok(()));
    }
}
