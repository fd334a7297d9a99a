//! One end of a transfer over the kernel's TCP: plain blocking reads and writes, all options as they come.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use peers::{Transfer, Watch, begin};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let transfer = Transfer::from_arguments().ok_or("usage: tcp receive|send PORT BYTES MESSAGE [BITS]")?;
    let address = (Ipv4Addr::LOCALHOST, transfer.port);
    if transfer.is_sender {
        let mut stream = TcpStream::connect(address)?;
        let message = vec![0x5a; transfer.message];
        let began = begin();
        for number in 0..transfer.bytes.div_ceil(transfer.message as u64) {
            if let Some(pause) = transfer.pause(began, number * transfer.message as u64) {
                std::thread::sleep(pause);
            }
            stream.write_all(&message)?;
        }
        return Ok(());
    }
    let listener = TcpListener::bind(address)?;
    let mut watch = Watch::ready();
    let (mut stream, _) = listener.accept()?;
    let mut buffer = vec![0; 1 << 18];
    while stream.read(&mut buffer)? > 0 {
        watch.on_bytes();
    }
    watch.print();
    Ok(())
}
