//! Sends a directory and prints one line of progress for each file; sender and receiver run in one process.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::path::{Path, PathBuf};

use anabranch_base::ByteCount;
use anabranch_net::{Association, Endpoint, Key, Options, Security};
use anabranch_transfer::{Destination, Event, Overwrite, Sources, receive_files, send_files};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1).map(PathBuf::from);
    let (Some(from), Some(into)) = (words.next(), words.next()) else {
        return Err("two arguments: FROM INTO".into());
    };
    copy(&from, &into, |line| println!("{line}")).await
}

/// Sends all of `from` over two paths.
async fn copy(from: &Path, into: &Path, show: impl FnMut(String)) -> Result<(), Box<dyn Error>> {
    let security = Security::Sealed(Key::fresh()?);
    let options = |accepts| -> Result<Options, Box<dyn Error>> {
        let local = vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?];
        Ok(Options { local, accepts, ..Options::with(security.clone()) })
    };
    let (receiver, sender) = (Endpoint::bind(options(true)?)?, Endpoint::bind(options(false)?)?);
    let receiving = async {
        let association = receiver.accept().await.ok_or("the runtime ends")?;
        let destination = Destination::open(into, Overwrite::Never)?;
        Ok::<_, Box<dyn Error>>(receive_files(&association, destination).finish().await?)
    };
    let sending = async {
        let association = sender.connect(&receiver.local_addresses()).await?;
        send(&association, from, show).await
    };
    tokio::try_join!(sending, receiving).map(|((), ())| ())
}

/// Sends a directory, and shows a line for each file and the acknowledged share.
async fn send(
    association: &Association,
    from: &Path,
    mut show: impl FnMut(String),
) -> Result<(), Box<dyn Error>> {
    let sources = Sources::find(&[from.to_owned()], None)?;
    let (all, mut arrived) = (sources.size(), ByteCount::ZERO);
    let mut sending = send_files(association, sources, None);
    while let Some(event) = sending.next().await? {
        match event {
            Event::Resumed(bytes) | Event::Progress(bytes) => arrived += bytes,
            Event::Finished(file) => {
                let percent = arrived.get() * 100 / all.get().max(1);
                show(format!("{percent:3} %  {}  {}", file.name, file.verdict.outcome.word()));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
#[tokio::test]
async fn a_directory_arrives_and_every_file_is_shown() {
    let (from, into) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let tree = from.path().join("tree");
    std::fs::create_dir_all(tree.join("below")).expect("folders");
    std::fs::write(tree.join("small"), "abc").expect("a file");
    std::fs::write(tree.join("below/large"), vec![7; 3 << 20]).expect("a file");
    let mut lines = Vec::new();
    copy(&tree, into.path(), |line| lines.push(line)).await.expect("a transfer");
    assert_eq!(std::fs::read(into.path().join("tree/below/large")).expect("the file"), vec![7; 3 << 20]);
    let shown = |name: &str| lines.iter().any(|line| line.contains(name) && line.ends_with("verified"));
    assert!(lines.len() == 2 && shown("tree/small") && shown("tree/below/large"), "{lines:?}");
}
