//! Measures a path of the loopback interface for a second, and prints what it carries.
//! `cargo run --example loopback`
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;

use anabranch_base::Duration;
use anabranch_bench::{
    Diagnosis, Exchange, Measured, Remedy, TestRequest, agree, answer, judge, limits_of, summary_of,
};
use anabranch_net::{Config, Endpoint, Key, Options, Security};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (measured, diagnosis) = measure(Duration::from_secs(1)).await?;
    let (forward, _) = measured.directions();
    println!("{:.0} Mbit/s, limited by: {}", forward.goodput_bps() / 1e6, diagnosis.limited_by);
    Ok(())
}

/// Both ends of a test of this length, in one process.
async fn measure(duration: Duration) -> Result<(Measured, Diagnosis), Box<dyn Error>> {
    let (security, config) = (Security::Sealed(Key::fresh()?), Config::tuned_2());
    let options = |accepts| -> Result<Options, Box<dyn Error>> {
        let (local, config) = (vec!["127.0.0.1:0".parse()?], config.clone());
        Ok(Options { local, accepts, config, ..Options::with(security.clone()) })
    };
    let (server, client) = (Endpoint::bind(options(true)?)?, Endpoint::bind(options(false)?)?);
    let limits = limits_of(&config);
    let serving = async {
        let association = server.accept().await.ok_or("the runtime ends")?;
        let test = answer(&association, &limits).await?.ok_or("the client left")?;
        let mut exchange = Exchange::begin(&association, test);
        while exchange.next().await?.is_some() {}
        association.closed().await;
        Ok::<_, Box<dyn Error>>(())
    };
    let asking = async {
        let association = client.connect(&server.local_addresses()).await?;
        let test = agree(&association, &limits, TestRequest { duration, ..TestRequest::default() }).await?;
        let mut exchange = Exchange::begin(&association, test);
        while exchange.next().await?.is_some() {}
        let measured = exchange.measured();
        association.close().await?;
        Ok(measured)
    };
    let (measured, ()) = tokio::try_join!(asking, serving)?;
    let diagnosis = judge(&summary_of(&measured, &config), &[], Remedy::to_string);
    Ok((measured, diagnosis))
}

#[cfg(test)]
#[tokio::test]
async fn a_loopback_path_carries_more_than_a_modem() {
    let (measured, diagnosis) = measure(Duration::from_millis(300)).await.expect("a test to its end");
    let (forward, reverse) = measured.directions();
    assert!(forward.goodput_bps() > 56e3 && reverse.is_none());
    assert_eq!(forward.paths.len(), 1);
    assert!(!diagnosis.advice.is_empty());
}
