//! One end of a transfer over quinn, one stream in one direction, all options as they come. The certificate is
//! fresh, and the sender takes any: what is measured is what comes after the handshake.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;

use peers::{Transfer, Watch, begin};
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, Endpoint, ServerConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    // On a worker, as ours: this thread would be woken for each read.
    tokio::spawn(run()).await?
}

async fn run() -> Result<(), Failure> {
    let transfer = Transfer::from_arguments().ok_or("usage: quic receive|send PORT BYTES MESSAGE [BITS]")?;
    if transfer.is_sender { send(&transfer).await } else { receive(&transfer).await }
}

async fn receive(transfer: &Transfer) -> Result<(), Failure> {
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let config = ServerConfig::with_single_cert(vec![certified.cert.into()], key)?;
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
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        .with_no_client_auth();
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

/// Takes any certificate.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("QUIC speaks TLS 1.3 only".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
