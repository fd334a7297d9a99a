//! A file sent over two paths at once, in pieces; when `close` returns, everything is delivered.
//!
//! ```sh
//! cargo run --release -p anabranch-net --example file -- FILE
//! ```
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use anabranch_net::{Association, CloseReason, Config, Endpoint, Key, Options, Security, SendOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("the name of a file is missing")?;
    let copy = format!("{path}.copy");
    transfer(path.as_ref(), copy.as_ref()).await?;
    println!("{copy}");
    Ok(())
}

/// Sends `from` to another endpoint of this program, which stores it as `to`.
async fn transfer(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let security = Security::Sealed(Key::fresh()?);
    let options = |accepts| -> Result<Options, Box<dyn Error>> {
        let local = vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?];
        // The settings that the tools use; the default is RFC 9260 to the letter.
        let config = Config::tuned_2();
        Ok(Options { local, accepts, config, ..Options::with(security.clone()) })
    };
    let (receiver, sender) = (Endpoint::bind(options(true)?)?, Endpoint::bind(options(false)?)?);
    let sending = async {
        let association = sender.connect(&receiver.local_addresses()).await?;
        send(&association, File::open(from)?).await?;
        for path in association.paths() {
            println!("path {:?} carried {}", path.id, path.counters.acked_bytes);
        }
        Ok(())
    };
    let receiving = async {
        let association = receiver.accept().await.ok_or("the runtime ends")?;
        receive(&association, File::create(to)?).await
    };
    tokio::try_join!(sending, receiving).map(|((), ())| ())
}

async fn send(association: &Association, mut file: File) -> Result<(), Box<dyn Error>> {
    let mut piece = vec![0; 64 << 10];
    loop {
        // A larger program reads the file on a separate thread.
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        // Waits while the send buffer is full: the file is read no faster than it is sent.
        association.send(piece[..length].to_vec(), SendOptions::default()).await?;
    }
    Ok(association.close().await?)
}

async fn receive(association: &Association, mut file: File) -> Result<(), Box<dyn Error>> {
    loop {
        match association.recv().await {
            // The payload in the slices in which it arrived, without a copy.
            Ok(message) => message.chunks().try_for_each(|chunk| file.write_all(chunk))?,
            Err(CloseReason::Graceful) => return Ok(()),
            Err(reason) => return Err(reason.into()),
        }
    }
}

#[tokio::test]
async fn the_copy_is_the_file() {
    let folder = std::env::temp_dir().join(format!("anabranch-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (from, to) = (folder.join("file"), folder.join("copy"));
    let content: Vec<u8> =
        (0..3_000_000_u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    std::fs::write(&from, &content).expect("written");
    let result = transfer(&from, &to).await.map_err(|error| error.to_string());
    let copy = std::fs::read(&to);
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(result, Ok(()));
    assert!(copy.expect("a copy") == content);
}
