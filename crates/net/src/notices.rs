//! Notices of possible changes of this machine's interfaces or addresses.

use tokio::time::sleep;

/// A source of notices.
///
/// On Linux the kernel sends them (rtnetlink). Their content is not used: if many arrive at once some are lost, so
/// that only a fresh list of the interfaces is reliable. On other systems, and without the kernel's notices, there is
/// a notice each second.
#[derive(Debug)]
pub(crate) enum Notices {
    /// Notices of the kernel.
    #[cfg(target_os = "linux")]
    Kernel(kernel::Subscription),
    /// A notice each second.
    Clock,
}

impl Notices {
    /// Subscribes to notices. Must be called within a tokio runtime.
    pub(crate) fn subscribe() -> Notices {
        #[cfg(target_os = "linux")]
        match kernel::Subscription::open() {
            Ok(subscription) => return Notices::Kernel(subscription),
            Err(error) => crate::log::debug!(%error, "the kernel does not report changes of addresses"),
        }
        Notices::Clock
    }

    /// Waits for at least one notice, and takes all queued ones.
    ///
    /// Cancellation-safe: if the future is dropped, no notice is lost.
    pub(crate) async fn next(&mut self) {
        match self {
            #[cfg(target_os = "linux")]
            Notices::Kernel(subscription) => {
                if let Err(error) = subscription.next().await {
                    crate::log::debug!(%error, "the kernel no longer reports changes of addresses");
                    *self = Notices::Clock;
                }
            }
            Notices::Clock => sleep(POLLING).await,
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::io;

    use rustix::io::Errno;
    use rustix::net::netlink::SocketAddrNetlink;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
    use tokio::net::UdpSocket;

    /// A socket to which the kernel sends notices.
    #[derive(Debug)]
    pub(crate) struct Subscription {
        /// Not a UDP socket: tokio's type works for every socket that receives datagrams.
        socket: UdpSocket,
    }

    impl Subscription {
        /// Opens the socket.
        pub(crate) fn open() -> io::Result<Subscription> {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
            bind(&socket, &SocketAddrNetlink::new(0, LINKS | ADDRESSES | ROUTES))?;
            Ok(Subscription { socket: UdpSocket::from_std(socket.into())? })
        }

        /// Waits for a notice and takes all queued ones.
        pub(crate) async fn next(&mut self) -> io::Result<()> {
            while self.take_all()? == 0 {
                self.socket.readable().await?;
            }
            Ok(())
        }

        /// Takes all notices, and returns their number.
        fn take_all(&mut self) -> io::Result<usize> {
            let mut beginning = [0_u8; 16];
            let mut count = 0;
            while count < MOST_AT_ONCE {
                match self.socket.try_recv(&mut beginning) {
                    Ok(_) => count += 1,
                    // The kernel dropped some, which is a notice as well.
                    Err(error) if error.raw_os_error() == Some(Errno::NOBUFS.raw_os_error()) => count += 1,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(count)
        }
    }

    /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR` and `RTMGRP_IPV6_IFADDR`, `RTMGRP_IPV4_ROUTE` and `RTMGRP_IPV6_ROUTE` of
    /// `linux/rtnetlink.h`.
    const LINKS: u32 = 0x1;
    const ADDRESSES: u32 = 0x10 | 0x100;
    const ROUTES: u32 = 0x40 | 0x400;
    /// The most notices taken at once, so that continuous changes do not keep the task here.
    const MOST_AT_ONCE: usize = 256;
}

/// The interval at which the interfaces are listed without the system's notices.
const POLLING: std::time::Duration = std::time::Duration::from_secs(1);
