//! A global allocator that counts what the calling thread allocates.
#![allow(dead_code, reason = "tests and benchmarks each use their own part of the counts")]
#![allow(
    unsafe_code,
    reason = "GlobalAlloc is an unsafe trait; every call goes to the system's allocator as it came"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::Sub;

/// The system's allocator, with counters. Make it a binary's `#[global_allocator]`.
pub(crate) struct Counting;

/// The allocations of the calling thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allocated {
    /// Calls that allocate or make an allocation larger.
    pub(crate) times: u64,
    /// Bytes they asked for.
    pub(crate) bytes: u64,
}

/// The number of bytes the calling thread holds: what it allocated less what it freed. Memory that another thread frees
/// counts for both.
pub(crate) fn held() -> u64 {
    HELD.get()
}

/// Returns the allocations of the calling thread so far.
pub(crate) fn allocated() -> Allocated {
    ALLOCATED.get()
}

thread_local! {
    /// It needs no initialisation and no destructor, so that reading it allocates nothing.
    static ALLOCATED: Cell<Allocated> = const { Cell::new(Allocated { times: 0, bytes: 0 }) };
    static HELD: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    let Allocated { times, bytes: so_far } = ALLOCATED.get();
    ALLOCATED.set(Allocated { times: times + 1, bytes: so_far + bytes as u64 });
}

fn hold(more: usize, less: usize) {
    HELD.set(HELD.get().wrapping_add(more as u64).wrapping_sub(less as u64));
}

// SAFETY: every method hands its arguments to the system's allocator unchanged and answers what that answers;
// the counters are thread-local and allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        hold(layout.size(), 0);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        hold(layout.size(), 0);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size.saturating_sub(layout.size()));
        hold(new_size, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

impl Sub for Allocated {
    type Output = Allocated;
    fn sub(self, earlier: Allocated) -> Allocated {
        Allocated { times: self.times - earlier.times, bytes: self.bytes - earlier.bytes }
    }
}
