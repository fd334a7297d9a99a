//! Tests: streams of the kernel's TCP and trains of datagrams between real interfaces, with offload, without it, and
//! with it at one end only, over links that damage packets. If the system refuses namespaces, the tests print this
//! and pass.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use anabranch_base::{BitRate, Seed};
use anabranch_link::LinkConfig;
use anabranch_link::config::{QueueConfig, QueueLimit};
use anabranch_scenario::Scenario;
use quinn_udp::{Transmit, UdpSocketState};

use crate::marks::one_path;
use crate::namespaces::{NamespacePair, Offload, SetupError, Side};
use crate::network::Network;

const OFFLOADS: [[Offload; 2]; 4] = [
    [Offload::IfSupported, Offload::IfSupported],
    [Offload::Refused, Offload::Refused],
    [Offload::IfSupported, Offload::Refused],
    [Offload::Refused, Offload::IfSupported],
];

/// Namespaces with one path of 1 Gbit/s on which this part of all packets is damaged.
fn namespaces(offload: [Offload; 2], corrupt: f64) -> Option<NamespacePair> {
    let scenario = scenario(corrupt);
    let network = Network::new(&scenario, &Seed::from_number(1));
    match NamespacePair::open_with(network, &scenario, offload) {
        Ok(namespaces) => Some(namespaces),
        Err(error @ (SetupError::Namespace(_) | SetupError::Device { .. } | SetupError::NoIp(_))) => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn scenario(corrupt: f64) -> Scenario {
    one_path(&LinkConfig {
        queue: QueueConfig::DropTail(QueueLimit::Packets(10_000)),
        corrupt,
        ..LinkConfig::new(BitRate::from_mbps(1_000), anabranch_base::Duration::from_millis(1))
    })
}

/// The addresses of both versions, near and far.
fn addresses(namespaces: &NamespacePair) -> Vec<[IpAddr; 2]> {
    let of = |side| -> Vec<IpAddr> {
        let v6 = namespaces.addresses_v6(side).map(IpAddr::from);
        namespaces.addresses(side).map(IpAddr::from).chain(v6).collect()
    };
    of(Side::Near).into_iter().zip(of(Side::Far)).map(|(near, far)| [near, far]).collect()
}

fn content(length: usize) -> Vec<u8> {
    (0..length).map(|byte| (byte / 7 + byte % 251) as u8).collect()
}

/// Sends `sent` in a stream, and returns the bytes received at the far end.
fn streamed(namespaces: &NamespacePair, far: IpAddr, sent: &[u8]) -> Vec<u8> {
    let listener = namespaces.namespace(Side::Far).within(|| TcpListener::bind((far, 0)).expect("a port"));
    let listener = listener.expect("a thread");
    let to = listener.local_addr().expect("it listens");
    let stream = namespaces.namespace(Side::Near).within(|| TcpStream::connect(to).expect("a connection"));
    let (mut stream, (mut server, _)) = (stream.expect("a thread"), listener.accept().expect("a connection"));
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut received = Vec::new();
            server.set_read_timeout(Some(PATIENCE)).expect("a socket");
            server.read_to_end(&mut received).expect("an end");
            received
        });
        stream.write_all(sent).expect("sent");
        drop(stream);
        reader.join().expect("no panic")
    })
}

#[test]
fn a_stream_arrives_whole_in_packets_no_larger_than_the_mtu() {
    for offload in OFFLOADS {
        let Some(namespaces) = namespaces(offload, 0.0) else { return };
        let (mut bytes, sent) = (0, content(3_000_000));
        for [_, far] in addresses(&namespaces) {
            assert!(streamed(&namespaces, far, &sent) == sent, "{offload:?}, to {far}");
            bytes += sent.len() as u64;
        }
        let forward = namespaces.stop().links[0].forward.counters;
        // A segment has at most 1,448 bytes of data.
        assert!(forward.arrived >= bytes / 1_448, "{offload:?}: {forward:?}");
    }
}

#[test]
fn damage_is_seen_by_the_receiver_of_a_stream() {
    for offload in OFFLOADS {
        let Some(namespaces) = namespaces(offload, 0.02) else { return };
        let sent = content(500_000);
        for [_, far] in addresses(&namespaces) {
            assert!(streamed(&namespaces, far, &sent) == sent, "{offload:?}, to {far}");
        }
    }
}

#[test]
fn a_train_of_datagrams_is_carried_packet_by_packet() {
    for offload in OFFLOADS {
        let Some(namespaces) = namespaces(offload, 0.0) else { return };
        for [near, far] in addresses(&namespaces) {
            let bound = |side, address: IpAddr| {
                let made = namespaces.namespace(side).within(|| UdpSocket::bind((address, 0)));
                made.expect("a thread").expect("an address of this side")
            };
            let (near, far) = (bound(Side::Near, near), bound(Side::Far, far));
            far.set_read_timeout(Some(PATIENCE)).expect("a socket");
            let sent = content(40 * 1_200 + 77);
            send_train(&near, far.local_addr().expect("bound"), &sent);
            for chunk in sent.chunks(1_200) {
                let mut received = [0; 2_000];
                let length = far.recv(&mut received).expect("it arrives");
                assert!(received[..length] == *chunk, "{offload:?}: {length} bytes");
            }
        }
        let report = namespaces.stop();
        let versions = report.paths[0].forward.sent / 41;
        assert!(versions == 1 || versions == 2, "{report:?}");
        assert_eq!(report.paths[0].forward.sent % 41, 0);
    }
}

fn send_train(socket: &UdpSocket, destination: SocketAddr, contents: &[u8]) {
    let state = UdpSocketState::new(socket.into()).expect("a socket");
    let transmit = Transmit { destination, ecn: None, contents, segment_size: Some(1_200), src_ip: None };
    state.try_send(socket.into(), &transmit).expect("sent");
}

const PATIENCE: Duration = Duration::from_secs(10);
