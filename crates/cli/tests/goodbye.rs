//! The end of a transfer whose last packets are lost: what was stored is stored.

use std::net::{SocketAddr, UdpSocket};

use tempfile::tempdir;

use crate::program::{Program, anabranch, file, receiver};

/// Lets packets of one sender through to the receiver and back, up to the receiver's answer to its goodbye, which is lost
/// with all that follows. Plain packets show what they are: behind the header of 12 bytes stands the first chunk's type.
fn lose_from_the_answer_on(to: SocketAddr) -> SocketAddr {
    let front = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let back = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let address = front.local_addr().expect("bound");
    let (returns, goes) = (front.try_clone().expect("a handle"), back.try_clone().expect("a handle"));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut packet = [0; 65_536];
        let mut is_known = false;
        while let Ok((length, from)) = front.recv_from(&mut packet) {
            if !std::mem::replace(&mut is_known, true) {
                let _ = tell.send(from);
            }
            let _ = goes.send_to(&packet[..length], to);
        }
    });
    std::thread::spawn(move || {
        let Ok(sender) = told.recv() else { return };
        let mut packet = [0; 65_536];
        while let Ok(length) = back.recv(&mut packet) {
            if packet[..length].get(12) == Some(&SHUTDOWN_ACK) {
                return;
            }
            let _ = returns.send_to(&packet[..length], sender);
        }
    });
    address
}

#[test]
fn a_receiver_whose_sender_is_gone_after_its_goodbye_is_done() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 100_000);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "--insecure");
    let relay = lose_from_the_answer_on(to.parse().expect("an address"));
    let sent = Program::start(
        anabranch(&format!("send --insecure --to {relay}")).env_remove("ANABRANCH_KEY").arg(&path),
    );
    recv.finish().expect(0);
    assert_eq!(std::fs::read(to_dir.path().join("a")).expect("stored"), std::fs::read(&path).expect("ours"));
    // Every verdict has come: the answer that is lost changes nothing, and is not waited for for ever.
    sent.finish().expect(0);
}

/// RFC 9260 §3.2: the type of a SHUTDOWN-ACK chunk.
const SHUTDOWN_ACK: u8 = 8;
