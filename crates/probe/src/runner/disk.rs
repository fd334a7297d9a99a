//! The rate at which this end writes files: a short test in their folder, on a thread of its own.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anabranch_base::{BitRate, Duration};
use anabranch_net::Clock;
use tokio::sync::watch;
use tokio::time::timeout;

/// Tries to write a file in a folder.
///
/// # Errors
/// The folder does not exist, or cannot be written.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}

/// Writes at most 64 MB to a file of `folder` that has no name, for some half a second, and returns the rate at which they
/// reached the disk. `None` without a folder, if it cannot be written or is nearly full, if another test runs, or if the disk
/// takes nothing within two seconds; then the thread ends with the write that hangs.
pub(super) async fn write_rate(folder: Option<PathBuf>) -> Option<BitRate> {
    let folder = folder?;
    let turn = Turn::take()?;
    let (tell, mut told) = watch::channel(None);
    let work = move || {
        // A disk that fails later keeps the rate that it had.
        let _ = measure(&folder, |rate| _ = tell.send_replace(Some(rate)));
        drop(turn);
    };
    thread::Builder::new().name("disk".to_owned()).spawn(work).ok()?;
    let _ = timeout(PATIENCE, async { while told.changed().await.is_ok() {} }).await;
    *told.borrow()
}

/// The only test of this program: a disk that hangs holds one thread.
struct Turn;

impl Turn {
    fn take() -> Option<Turn> {
        (!IS_TAKEN.swap(true, Ordering::AcqRel)).then_some(Turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        IS_TAKEN.store(false, Ordering::Release);
    }
}

static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Writes twice as much each time, while the next time would end within [`LONGEST`], and tells the rate of each part. The
/// last and largest part counts: small ones show the delay of the disk.
fn measure(folder: &Path, mut tell: impl FnMut(BitRate)) -> io::Result<()> {
    if !has_room(folder)? {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let mut file = tempfile::tempfile_in(folder)?;
    let (block, clock) = (noise(), Clock::start());
    let mut blocks = 1;
    loop {
        let took = write(&mut file, &block, blocks, &clock)?;
        let bits = (block.len() as u64 * blocks * 8) as f64 / took.as_secs_f64().max(1e-9);
        tell(BitRate::from_bits_per_second(bits as u64));
        if blocks == MOST_BLOCKS || clock.elapsed() + took * 2 > LONGEST {
            return Ok(());
        }
        blocks *= 2;
    }
}

/// Writes blocks; the time until they are on the disk.
fn write(file: &mut File, block: &[u8], blocks: u64, clock: &Clock) -> io::Result<Duration> {
    let begun = clock.now();
    (0..blocks).try_for_each(|_| file.write_all(block))?;
    file.sync_data()?;
    Ok(clock.now().since(begun))
}

/// A block that no file system compresses.
fn noise() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut word = || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..BLOCK / 8).flat_map(|_| word()).collect()
}

/// Returns true if the test leaves room for others.
#[cfg(unix)]
fn has_room(folder: &Path) -> io::Result<bool> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize) >= LEAST_ROOM)
}

/// Returns true if the test leaves room for others, as far as the system tells.
#[cfg(not(unix))]
fn has_room(_: &Path) -> io::Result<bool> {
    Ok(true)
}

const BLOCK: usize = 250_000;
/// The blocks of the largest part; all parts together are 63.75 MB.
const MOST_BLOCKS: u64 = 128;
/// The time after which no part is begun that takes as long as expected.
const LONGEST: Duration = Duration::from_millis(500);
/// The room that is left when the test writes most.
#[cfg(unix)]
const LEAST_ROOM: u64 = 256_000_000;
/// The time after which a disk is given up.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_has_a_rate_and_nothing_stays_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let rate = write_rate(Some(folder.path().to_owned())).await.expect("a rate");
        assert!(rate.bits_per_second() > 0);
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
        assert!(check_folder(folder.path()).is_ok());
        // One at a time.
        let turn = Turn::take().expect("the turn of the test above has ended");
        assert_eq!(write_rate(Some(folder.path().to_owned())).await, None);
        drop(turn);
        // A folder that cannot be written, for root too: it is none.
        let file = folder.path().join("file");
        File::create(&file).expect("a file");
        for wrong in [file, folder.path().join("absent")] {
            assert_eq!(write_rate(Some(wrong.clone())).await, None, "{}", wrong.display());
            assert!(check_folder(&wrong).is_err());
        }
        assert_eq!(write_rate(None).await, None);
        assert!(Turn::take().is_some(), "no turn is kept");
    }

    #[test]
    fn a_folder_that_is_nearly_full_or_absent_is_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rates = Vec::new();
        measure(folder.path(), |rate| rates.push(rate)).expect("a rate");
        assert!((1..=8).contains(&rates.len()), "{rates:?}");
        assert!(measure(&folder.path().join("absent"), |_| panic!("a rate")).is_err());
        // A file system of the kernel has no room at all.
        if Path::new("/proc/self").is_dir() {
            let error = measure(Path::new("/proc"), |_| panic!("a rate")).expect_err("no room");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }

    #[test]
    fn a_block_has_no_repetitions() {
        let block = noise();
        let words: std::collections::BTreeSet<&[u8]> = block.chunks(8).collect();
        assert_eq!((block.len(), words.len()), (BLOCK, BLOCK / 8));
    }
}
