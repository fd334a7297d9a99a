//! Captured flows: connections and datagrams whose destination the system reports.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use anabranch_forward::captured::{self, Capture, CapturedConnection, CapturedDatagram, Replies};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::party::{Party, Setup};
use crate::programs::{accept, connect, content, echo, exchange, listen, read, udp_echo, until_reset};

/// A capture of what a test passes to it.
struct Fake {
    listener: TcpListener,
    destination: SocketAddr,
    /// Those who tell connections that their programs cannot be reached.
    stranding: mpsc::UnboundedSender<oneshot::Sender<()>>,
    datagrams: Mutex<mpsc::UnboundedReceiver<CapturedDatagram>>,
    replies: mpsc::UnboundedSender<(SocketAddr, SocketAddr, Vec<u8>)>,
}

impl Capture for Fake {
    async fn accept(&self) -> io::Result<CapturedConnection> {
        let (connection, program) = self.listener.accept().await?;
        let (sender, stranded) = oneshot::channel();
        let _ = self.stranding.send(sender);
        Ok(CapturedConnection { connection, program, destination: self.destination, stranded })
    }

    async fn receive(&self) -> CapturedDatagram {
        match self.datagrams.lock().await.recv().await {
            Some(datagram) => datagram,
            None => std::future::pending().await,
        }
    }
}

impl Replies for Fake {
    fn reply(&self, source: SocketAddr, program: SocketAddr, data: &[u8]) {
        let _ = self.replies.send((source, program, data.to_vec()));
    }
}

/// The ends of a fake.
struct Ends {
    port: SocketAddr,
    stranding: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
    datagrams: mpsc::UnboundedSender<CapturedDatagram>,
    replies: mpsc::UnboundedReceiver<(SocketAddr, SocketAddr, Vec<u8>)>,
}

async fn captured(party: &Party, destination: SocketAddr) -> Ends {
    let (listener, port) = listen().await;
    let (datagrams, receiver) = mpsc::unbounded_channel();
    let (sender, replies) = mpsc::unbounded_channel();
    let (tellers, stranding) = mpsc::unbounded_channel();
    let receiver = Mutex::new(receiver);
    let fake = Fake { listener, destination, stranding: tellers, datagrams: receiver, replies: sender };
    tokio::spawn(captured::serve(Arc::new(fake), party.bond.clone()));
    Ends { port, stranding, datagrams, replies }
}

#[tokio::test]
async fn a_connection_goes_to_the_destination_that_the_program_meant() {
    let party = Party::new().await;
    let ends = captured(&party, echo().await).await;
    let sent = content(100_000, 1);
    assert!(exchange(&mut connect(ends.port).await, &sent).await == sent);
}

#[tokio::test]
async fn a_connection_that_the_server_refuses_is_reset() {
    let party = Party::with(Setup { allowed: &[], ..Setup::default() }).await;
    let ends = captured(&party, echo().await).await;
    until_reset(&mut connect(ends.port).await).await;
    party.there.wait_for("127.0.0.1 is").await;
}

#[tokio::test]
async fn a_connection_whose_program_is_out_of_reach_is_reset_at_both_ends_and_others_go_on() {
    let party = Party::new().await;
    let (listener, destination) = listen().await;
    let mut ends = captured(&party, destination).await;
    let (mut program, mut far) = (connect(ends.port).await, accept(&listener).await);
    let (mut other, mut far_of_other) = (connect(ends.port).await, accept(&listener).await);
    let [teller, closed] = [ends.stranding.recv().await, ends.stranding.recv().await];
    // One that only goes away tells nothing.
    drop(closed);
    teller.expect("captured").send(()).expect("carried");
    until_reset(&mut program).await;
    until_reset(&mut far).await;
    other.write_all(b"ping").await.expect("sent");
    assert_eq!(read(&mut far_of_other, 4).await, b"ping");
    far_of_other.write_all(b"pong").await.expect("sent");
    assert_eq!(read(&mut other, 4).await, b"pong");
}

#[tokio::test]
async fn answers_come_from_the_destination_and_go_to_the_program_that_asked() {
    let party = Party::new().await;
    let destination = udp_echo().await;
    let mut ends = captured(&party, destination).await;
    let programs: [SocketAddr; 2] = [([10, 0, 0, 2], 1000).into(), ([10, 0, 0, 3], 1000).into()];
    for (seed, program) in (1..).zip(programs) {
        let data = content(1200, seed);
        let datagram = CapturedDatagram { data: data.clone(), program, destination };
        ends.datagrams.send(datagram).expect("open");
        assert_eq!(ends.replies.recv().await, Some((destination, program, data)));
    }
}
