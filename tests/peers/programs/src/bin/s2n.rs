//! One end of a transfer over s2n-quic, one stream in one direction, all options as they come.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use peers::{Transfer, Watch, begin, certificates};
use s2n_quic::client::Connect;
use s2n_quic::provider::tls::rustls as tls;
use s2n_quic::{Client, Server};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    // One thread, as ours and TCP's have.
    run().await
}

async fn run() -> Result<(), Failure> {
    let transfer = Transfer::from_arguments().ok_or("usage: s2n receive|send PORT BYTES MESSAGE [BITS]")?;
    if transfer.is_sender { send(&transfer).await } else { receive(&transfer).await }
}

async fn receive(transfer: &Transfer) -> Result<(), Failure> {
    let (certificate, key) = certificates::fresh()?;
    let tls = tls::Server::builder().with_certificate(certificate, key)?.build()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, transfer.port));
    let mut server = Server::builder().with_tls(tls)?.with_io(address)?.start()?;
    let mut watch = Watch::ready();
    let mut connection = server.accept().await.ok_or("no connection came")?;
    let mut stream = connection.accept_receive_stream().await?.ok_or("no stream came")?;
    while stream.receive().await?.is_some() {
        watch.on_bytes();
    }
    watch.print();
    // The sender closes when it has heard that all arrived.
    while let Ok(Some(_)) = connection.accept().await {}
    Ok(())
}

async fn send(transfer: &Transfer) -> Result<(), Failure> {
    // The first of its ciphers is AES-256-GCM, as with quinn and ours.
    let mut config = certificates::trusting(rustls::crypto::aws_lc_rs::default_provider())?;
    config.alpn_protocols = vec![b"h3".to_vec()];
    let from = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut client = Client::builder().with_tls(tls::Client::from(config))?.with_io(from)?.start()?;
    let to = SocketAddr::from((Ipv4Addr::LOCALHOST, transfer.port));
    let mut connection = client.connect(Connect::new(to).with_server_name("localhost")).await?;
    let mut stream = connection.open_send_stream().await?;
    let message = bytes::Bytes::from(vec![0x5a; transfer.message]);
    let began = begin();
    for number in 0..transfer.bytes.div_ceil(transfer.message as u64) {
        if let Some(pause) = transfer.pause(began, number * transfer.message as u64) {
            tokio::time::sleep(pause).await;
        }
        stream.send(message.clone()).await?;
    }
    stream.close().await?;
    connection.close(0_u32.into());
    client.wait_idle().await?;
    Ok(())
}
