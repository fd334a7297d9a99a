//! One end of a transfer over quinn, one stream in one direction, all options as they come.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;

use peers::{Transfer, Watch, begin, certificates};
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, Endpoint, ServerConfig};
use rustls::pki_types::PrivateKeyDer;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    // One thread, as ours and TCP's have.
    run().await
}

async fn run() -> Result<(), Failure> {
    let transfer = Transfer::from_arguments().ok_or("usage: quic receive|send PORT BYTES MESSAGE [BITS]")?;
    if transfer.is_sender { send(&transfer).await } else { receive(&transfer).await }
}

async fn receive(transfer: &Transfer) -> Result<(), Failure> {
    let (certificate, key) = certificates::fresh()?;
    let config = ServerConfig::with_single_cert(vec![certificate.into()], PrivateKeyDer::Pkcs8(key.into()))?;
    let endpoint = Endpoint::server(config, (Ipv4Addr::LOCALHOST, transfer.port).into())?;
    let mut watch = Watch::ready();
    let connection = endpoint.accept().await.ok_or("no connection came")?.await?;
    let mut stream = connection.accept_uni().await?;
    while stream.read_chunk(usize::MAX, true).await?.is_some() {
        watch.on_bytes();
    }
    watch.print();
    connection.close(0_u32.into(), b"done");
    endpoint.wait_idle().await;
    Ok(())
}

async fn send(transfer: &Transfer) -> Result<(), Failure> {
    let config = certificates::trusting(rustls::crypto::ring::default_provider())?;
    let mut endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    endpoint.set_default_client_config(ClientConfig::new(Arc::new(QuicClientConfig::try_from(config)?)));
    let connection = endpoint.connect((Ipv4Addr::LOCALHOST, transfer.port).into(), "localhost")?.await?;
    let mut stream = connection.open_uni().await?;
    let message = vec![0x5a; transfer.message];
    let began = begin();
    for number in 0..transfer.bytes.div_ceil(transfer.message as u64) {
        if let Some(pause) = transfer.pause(began, number * transfer.message as u64) {
            tokio::time::sleep(pause).await;
        }
        stream.write_all(&message).await?;
    }
    stream.finish()?;
    connection.closed().await;
    endpoint.wait_idle().await;
    Ok(())
}
