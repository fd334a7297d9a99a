//! One end of a transfer of bare datagrams: calls to the system and nothing else, the floor under every transport over
//! UDP. Nothing is acknowledged or sent again. The receiver tells from time to time how much arrived, so that the sender
//! does not overrun its buffer; what got lost nevertheless does not count.

use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use peers::{Transfer, Watch, begin};
use quinn_udp::{RecvMeta, Transmit, UdpSocketState};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let transfer = Transfer::from_arguments().ok_or("usage: udp receive|send PORT BYTES MESSAGE [BITS]")?;
    if transfer.is_sender {
        send(&transfer)?
    } else {
        receive(&transfer)?
    }
    Ok(())
}

/// Reads until the sender says that it has sent all, which is an empty datagram.
fn receive(transfer: &Transfer) -> io::Result<()> {
    let floor = Floor::open(transfer.port)?;
    let mut memory = vec![0; LARGEST];
    let (mut arrived, mut told) = (0, 0);
    let mut watch = Watch::ready();
    loop {
        let mut meta = [RecvMeta::default()];
        floor.state.recv((&floor.socket).into(), &mut [IoSliceMut::new(&mut memory)], &mut meta)?;
        let [RecvMeta { addr: sender, len, .. }] = meta;
        if len == 0 {
            watch.print_of(arrived);
            floor.socket.send_to(END, sender)?;
            return Ok(());
        }
        watch.on_bytes();
        arrived += len as u64;
        if arrived - told >= floor.window / 4 {
            told = arrived;
            floor.socket.send_to(&arrived.to_be_bytes(), sender)?;
        }
    }
}

/// Sends all bytes, in messages of their own at a rate, and otherwise as many datagrams in a call as the system takes.
fn send(transfer: &Transfer) -> io::Result<()> {
    let floor = Floor::open(0)?;
    floor.socket.connect((Ipv4Addr::LOCALHOST, transfer.port))?;
    floor.socket.set_read_timeout(Some(PATIENCE))?;
    let datagram = transfer.message.min(LARGEST_DATAGRAM);
    let call = match transfer.rate {
        Some(_) => transfer.message,
        None => datagram * (LARGEST_CALL / datagram).min(MOST_DATAGRAMS),
    };
    let bytes = vec![0x5a; call];
    let (mut sent, mut settled) = (0, 0);
    let began = begin();
    while sent < transfer.bytes {
        if let Some(pause) = transfer.pause(began, sent) {
            std::thread::sleep(pause);
        }
        let length = (transfer.bytes - sent).min(call as u64);
        floor.send(transfer.port, &bytes[..length as usize], datagram)?;
        sent += length;
        while transfer.rate.is_none() && sent - settled > floor.window {
            // Where no answer comes, what is on the way is lost.
            settled = floor.count()?.unwrap_or(sent);
        }
    }
    end(&floor)
}

/// Says that this was all until the receiver has heard it.
fn end(floor: &Floor) -> io::Result<()> {
    for _ in 0..ENDS {
        floor.socket.send(&[])?;
        let mut answer = [0; 8];
        while let Ok(length) = floor.socket.recv(&mut answer) {
            if answer[..length] == *END {
                return Ok(());
            }
        }
    }
    Err(io::ErrorKind::TimedOut.into())
}

/// A blocking socket, which sends and receives several datagrams in a call where the system can.
struct Floor {
    socket: UdpSocket,
    state: UdpSocketState,
    /// The most bytes on the way.
    window: u64,
}

impl Floor {
    fn open(port: u16) -> io::Result<Floor> {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None)?;
        socket.set_recv_buffer_size(BUFFER)?;
        socket.set_send_buffer_size(BUFFER)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into())?;
        // Half of it is for the kernel's own notes, and both ends have the same.
        let window = socket.recv_buffer_size()? as u64 / 4;
        let socket = UdpSocket::from(socket);
        let state = UdpSocketState::new((&socket).into())?;
        socket.set_nonblocking(false)?;
        Ok(Floor { socket, state, window })
    }

    fn send(&self, port: u16, contents: &[u8], datagram: usize) -> io::Result<()> {
        let destination = (Ipv4Addr::LOCALHOST, port).into();
        let transmit =
            Transmit { destination, ecn: None, contents, segment_size: Some(datagram), src_ip: None };
        self.state.try_send((&self.socket).into(), &transmit)
    }

    /// Returns the count of received bytes in the receiver's next report; `None` where it reports nothing for long.
    fn count(&self) -> io::Result<Option<u64>> {
        let mut answer = [0; 8];
        match self.socket.recv(&mut answer) {
            Ok(_) => Ok(Some(u64::from_be_bytes(answer))),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// The socket buffer.
const BUFFER: usize = 4 << 20;
/// The largest datagram without fragments, with an MTU of 1,500.
const LARGEST_DATAGRAM: usize = 1_472;
/// The largest payload of an IPv4 packet with UDP in it, as which datagrams are handed to the system.
const LARGEST_CALL: usize = 65_507;
/// The most of them, as the system says.
const MOST_DATAGRAMS: usize = 64;
/// The most that is received in a call.
const LARGEST: usize = 1 << 16;
/// The time that packets under way can take.
const PATIENCE: Duration = Duration::from_millis(100);
/// The most reports of the end.
const ENDS: usize = 50;
/// The receiver's answer to it.
const END: &[u8] = b"end";
