//! A link between two UDP sockets of this host: so many bits a second, so much delay, a bounded queue, and
//! it can be cut. It carries datagrams and knows nothing of what is in them.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::clock::Stopwatch;

/// What a link is like, in both directions.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Bits a second, IP and UDP headers included.
    pub rate: BitRate,
    /// From one end to the other.
    pub delay: Duration,
    /// What may wait; a packet that finds more is dropped.
    pub queue: ByteCount,
}

/// A link that is laid. It vanishes when dropped.
#[derive(Debug)]
pub struct Cable {
    near: SocketAddr,
    is_cut: Arc<AtomicBool>,
    directions: [JoinHandle<()>; 2],
}

impl Cable {
    /// Lays a cable at `ip` to `server`: what is sent to [`Cable::address`] arrives there, and the other way.
    ///
    /// # Errors
    /// Where `ip` cannot be bound.
    pub async fn lay(ip: IpAddr, server: SocketAddr, link: Link) -> io::Result<Cable> {
        let near = Arc::new(UdpSocket::bind((ip, 0)).await?);
        let far = Arc::new(UdpSocket::bind((ip, 0)).await?);
        let address = near.local_addr()?;
        let is_cut = Arc::new(AtomicBool::new(false));
        // Whoever sends to the near end is the client; it is known with its first packet.
        let client = Arc::new(Mutex::new(None));
        let there =
            Direction { from: Arc::clone(&near), to: Arc::clone(&far), is_cut: Arc::clone(&is_cut), link };
        let back = Direction { from: far, to: near, is_cut: Arc::clone(&is_cut), link };
        let learned = Arc::clone(&client);
        let target_there = move |source| {
            *learned.lock().unwrap_or_else(PoisonError::into_inner) = Some(source);
            Some(server)
        };
        let target_back = move |_| *client.lock().unwrap_or_else(PoisonError::into_inner);
        let directions = [tokio::spawn(there.carry(target_there)), tokio::spawn(back.carry(target_back))];
        Ok(Cable { near: address, is_cut, directions })
    }

    /// Cuts it: from now on everything is lost, what is under way too.
    pub fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    /// Where the client sends to.
    pub fn address(&self) -> SocketAddr {
        self.near
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.directions.iter().for_each(JoinHandle::abort);
    }
}

/// One direction of a cable.
struct Direction {
    from: Arc<UdpSocket>,
    to: Arc<UdpSocket>,
    is_cut: Arc<AtomicBool>,
    link: Link,
}

struct UnderWay {
    arrives: Time,
    target: SocketAddr,
    datagram: Vec<u8>,
}

impl Direction {
    /// Carries datagrams for ever; `target` says where to, given where from.
    async fn carry(self, target: impl Fn(SocketAddr) -> Option<SocketAddr>) {
        let clock = Stopwatch::start();
        let mut wire = Wire::new(self.link);
        let mut under_way: VecDeque<UnderWay> = VecDeque::new();
        let mut buffer = vec![0; 65_536];
        loop {
            let next = under_way.front().map(|first| first.arrives.since(clock.now()));
            tokio::select! {
                ready = self.from.readable() => if ready.is_err() { return },
                () = sleep(next.unwrap_or_default().into()), if next.is_some() => {}
            }
            while let Ok((length, source)) = self.from.try_recv_from(&mut buffer) {
                let Some(target) = target(source) else { continue };
                let size = ByteCount::of_len(length) + HEADERS;
                if let Some(arrives) = wire.offer(clock.now(), size) {
                    under_way.push_back(UnderWay { arrives, target, datagram: buffer[..length].to_vec() });
                }
            }
            if self.is_cut.load(Ordering::Relaxed) {
                under_way.clear();
            }
            while let Some(first) = under_way.pop_front_if(|first| first.arrives <= clock.now()) {
                // A full socket buffer loses it, as a network may.
                let _ = self.to.try_send_to(&first.datagram, first.target);
            }
        }
    }
}

/// When what is offered arrives at the other end.
#[derive(Debug)]
struct Wire {
    link: Link,
    busy_until: Time,
}

impl Wire {
    fn new(link: Link) -> Wire {
        Wire { link, busy_until: Time::ZERO }
    }

    /// When a packet of `size` that comes `now` arrives; `None` where the queue is full.
    fn offer(&mut self, now: Time, size: ByteCount) -> Option<Time> {
        let longest_wait = self.link.rate.time_for(self.link.queue)?;
        if self.busy_until.since(now) > longest_wait {
            return None;
        }
        self.busy_until = self.busy_until.max(now) + self.link.rate.time_for(size)?;
        Some(self.busy_until + self.link.delay)
    }
}

/// IPv4 and UDP.
const HEADERS: ByteCount = ByteCount::new(28);

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: Link =
        Link { rate: BitRate::from_mbps(12), delay: Duration::from_millis(5), queue: ByteCount::new(3_000) };

    #[test]
    fn packets_follow_one_another_at_the_links_rate() {
        let mut wire = Wire::new(LINK);
        let full = ByteCount::new(1500);
        let arrivals = [0, 0, 10].map(|ms| {
            let now = Time::ZERO + Duration::from_millis(ms);
            wire.offer(now, full).map(|arrives| arrives.since(Time::ZERO).as_millis())
        });
        assert_eq!(arrivals, [Some(6), Some(7), Some(16)]);
    }

    #[test]
    fn what_finds_the_queue_full_is_dropped() {
        let mut wire = Wire::new(LINK);
        let taken = (0..10).filter(|_| wire.offer(Time::ZERO, ByteCount::new(1500)).is_some()).count();
        // Two wait, the one before them is being sent.
        assert_eq!(taken, 3);
        assert!(wire.offer(Time::ZERO + Duration::from_millis(1), ByteCount::new(1500)).is_some());
    }

    #[tokio::test]
    async fn a_cable_carries_both_ways_until_it_is_cut() {
        let ip: IpAddr = [127, 0, 0, 1].into();
        let (client, server) = (UdpSocket::bind((ip, 0)).await, UdpSocket::bind((ip, 0)).await);
        let (client, server) = (client.expect("a port"), server.expect("a port"));
        let cable = Cable::lay(ip, server.local_addr().expect("bound"), LINK).await.expect("a cable");
        let mut buffer = [0; 10];
        client.send_to(b"there", cable.address()).await.expect("sent");
        let (length, from) = server.recv_from(&mut buffer).await.expect("it arrives");
        assert_eq!(&buffer[..length], b"there");
        server.send_to(b"back", from).await.expect("sent");
        let (length, _) = client.recv_from(&mut buffer).await.expect("it arrives");
        assert_eq!(&buffer[..length], b"back");
        cable.cut();
        client.send_to(b"lost", cable.address()).await.expect("sent");
        let waited =
            tokio::time::timeout(std::time::Duration::from_millis(100), server.recv_from(&mut buffer));
        assert!(waited.await.is_err(), "something came through a cut cable");
    }
}
