//! An attacker on the path: a relay that sees every datagram, may damage, repeat and forge, and may act as an address
//! translator that moves to another port.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::net::UdpSocket;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// A relay from every sender to [`address`](Tap::address) to one far end.
#[derive(Debug)]
pub(crate) struct Tap {
    address: SocketAddr,
    deeds: Arc<Deeds>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Deeds {
    damage_every: AtomicU64,
    repeat_every: AtomicU64,
    seen: Mutex<Vec<Vec<u8>>>,
    outer: Mutex<Vec<SocketAddr>>,
    moves: Notify,
}

impl Tap {
    /// Starts a relay in front of `far`.
    pub(crate) async fn before(far: SocketAddr) -> Tap {
        let inner = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
        let address = inner.local_addr().expect("bound");
        let deeds = Arc::new(Deeds::default());
        let outer = deeds.outer_socket(far).await;
        let task = tokio::spawn(deeds.clone().relay(inner, outer, far));
        Tap { address, deeds, task }
    }

    /// The address to send to.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes one bit of every `n`-th datagram from now on.
    pub(crate) fn damage_every(&self, n: u64) {
        self.deeds.damage_every.store(n, Ordering::Relaxed);
    }

    /// Delivers every `n`-th datagram twice from now on, and the one seen five before it once more.
    pub(crate) fn repeat_every(&self, n: u64) {
        self.deeds.repeat_every.store(n, Ordering::Relaxed);
    }

    /// Sends from another port from now on, like a translator that lost its mapping.
    pub(crate) fn move_away(&self) {
        self.deeds.moves.notify_one();
    }

    /// The ports towards the far end, one after another.
    pub(crate) fn outer_addresses(&self) -> Vec<SocketAddr> {
        self.deeds.outer.lock().expect("no panic").clone()
    }

    /// Every datagram towards the far end so far.
    pub(crate) fn seen(&self) -> Vec<Vec<u8>> {
        self.deeds.seen.lock().expect("no panic").clone()
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Deeds {
    async fn outer_socket(&self, far: SocketAddr) -> UdpSocket {
        let outer = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
        outer.connect(far).await.expect("loopback");
        self.outer.lock().expect("no panic").push(outer.local_addr().expect("bound"));
        outer
    }

    async fn relay(self: Arc<Self>, inner: UdpSocket, mut outer: UdpSocket, far: SocketAddr) {
        let (mut there, mut back) = (vec![0; 65_536], vec![0; 65_536]);
        let mut user = None;
        loop {
            tokio::select! {
                got = inner.recv_from(&mut there) => {
                    let Ok((len, from)) = got else { continue };
                    user = Some(from);
                    for datagram in self.treat(&there[..len]) {
                        drop(outer.send(&datagram).await);
                    }
                }
                got = outer.recv(&mut back) => {
                    if let (Ok(len), Some(user)) = (got, user) {
                        drop(inner.send_to(&back[..len], user).await);
                    }
                }
                () = self.moves.notified() => outer = self.outer_socket(far).await,
            }
        }
    }

    fn treat(&self, datagram: &[u8]) -> Vec<Vec<u8>> {
        let mut seen = self.seen.lock().expect("no panic");
        seen.push(datagram.to_vec());
        let number = seen.len();
        let is_due = |every: &AtomicU64| match every.load(Ordering::Relaxed) {
            0 => false,
            every => (number as u64).is_multiple_of(every),
        };
        let mut datagrams = vec![datagram.to_vec()];
        if is_due(&self.damage_every) {
            let bit = number * 31 % (datagram.len() * 8);
            datagrams[0][bit / 8] ^= 1 << (bit % 8);
        }
        if is_due(&self.repeat_every) {
            datagrams.push(datagram.to_vec());
            datagrams.push(seen[number.saturating_sub(6)].clone());
        }
        datagrams
    }
}
