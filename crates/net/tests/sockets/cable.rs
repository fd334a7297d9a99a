//! A relay between two UDP addresses that can be cut, slowed down and made lossy.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A cable from the first sender to [`address`](Cable::address) to one far end. It ends when its last user is
/// dropped.
#[derive(Debug)]
pub(crate) struct Cable {
    address: SocketAddr,
    faults: Arc<Faults>,
    tasks: [JoinHandle<()>; 2],
}

#[derive(Debug, Default)]
struct Faults {
    is_cut: AtomicBool,
    /// The delay in each direction.
    delay_ms: AtomicU64,
    /// Every n-th datagram is lost; 0 for none.
    lose_every: AtomicU64,
    carried: AtomicU64,
}

impl Cable {
    /// Starts a cable on the loopback address `ip` to `far`; its near end takes `port`, or any for 0.
    pub(crate) async fn lay(ip: IpAddr, port: u16, far: SocketAddr) -> io::Result<Cable> {
        let near_end = Arc::new(UdpSocket::bind((ip, port)).await?);
        let far_end = Arc::new(UdpSocket::bind((ip, 0)).await?);
        far_end.connect(far).await?;
        let address = near_end.local_addr()?;
        let faults = Arc::new(Faults::default());
        let (found, user) = tokio::sync::watch::channel(None);
        let there = {
            let (near_end, far_end, faults) = (near_end.clone(), far_end.clone(), faults.clone());
            let wire = wire(faults.clone(), move |bytes| {
                let far_end = far_end.clone();
                async move { drop(far_end.send(&bytes).await) }
            });
            tokio::spawn(async move {
                let mut bytes = vec![0; 65_536];
                while let Ok((len, from)) = near_end.recv_from(&mut bytes).await {
                    found.send_replace(Some(from));
                    faults.carry(&bytes[..len], &wire);
                }
            })
        };
        let back = {
            let (near_end, faults) = (near_end.clone(), faults.clone());
            let wire = wire(faults.clone(), move |bytes| {
                let (near_end, user) = (near_end.clone(), *user.borrow());
                async move {
                    if let Some(user) = user {
                        drop(near_end.send_to(&bytes, user).await);
                    }
                }
            });
            tokio::spawn(async move {
                let mut bytes = vec![0; 65_536];
                loop {
                    // A far end that is gone causes an ICMP error at the socket.
                    if let Ok(len) = far_end.recv(&mut bytes).await {
                        faults.carry(&bytes[..len], &wire);
                    }
                }
            })
        };
        Ok(Cable { address, faults, tasks: [there, back] })
    }

    /// The address to send to.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts the cable: all datagrams are lost from now on.
    pub(crate) fn cut(&self) {
        self.faults.is_cut.store(true, Ordering::Relaxed);
    }

    /// Reconnects the cable.
    pub(crate) fn mend(&self) {
        self.faults.is_cut.store(false, Ordering::Relaxed);
    }

    /// Loses every `n`-th datagram from now on.
    pub(crate) fn lose_every(&self, n: u64) {
        self.faults.lose_every.store(n, Ordering::Relaxed);
    }

    /// Delays every datagram by `delay` from now on.
    pub(crate) fn delay(&self, delay: Duration) {
        let delay = u64::try_from(delay.as_millis()).expect("a short delay");
        self.faults.delay_ms.store(delay, Ordering::Relaxed);
    }

    /// The number of datagrams that entered the cable at either end, including lost ones.
    pub(crate) fn carried(&self) -> u64 {
        self.faults.carried.load(Ordering::Relaxed)
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

type Wire = mpsc::UnboundedSender<(tokio::time::Instant, Vec<u8>)>;

impl Faults {
    fn carry(&self, bytes: &[u8], wire: &Wire) {
        let number = self.carried.fetch_add(1, Ordering::Relaxed) + 1;
        let lose_every = self.lose_every.load(Ordering::Relaxed);
        let is_lost = lose_every != 0 && number.is_multiple_of(lose_every);
        if !is_lost && !self.is_cut.load(Ordering::Relaxed) {
            let delay = Duration::from_millis(self.delay_ms.load(Ordering::Relaxed));
            drop(wire.send((tokio::time::Instant::now() + delay, bytes.to_vec())));
        }
    }
}

/// Delivers in order, each datagram when it is due; datagrams in flight are lost when the cable is cut.
fn wire<F: Future<Output = ()> + Send>(
    faults: Arc<Faults>,
    deliver: impl Fn(Vec<u8>) -> F + Send + 'static,
) -> Wire {
    let (sender, mut receiver) = mpsc::unbounded_channel::<(tokio::time::Instant, Vec<u8>)>();
    tokio::spawn(async move {
        while let Some((due, bytes)) = receiver.recv().await {
            if due > tokio::time::Instant::now() {
                tokio::time::sleep_until(due).await;
            }
            if !faults.is_cut.load(Ordering::Relaxed) {
                deliver(bytes).await;
            }
        }
    });
    sender
}
