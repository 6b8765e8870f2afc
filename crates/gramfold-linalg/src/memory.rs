//! Memory that there is not: one sentence and an exit code instead of an abort, or of a machine that is brought down.

// A global allocator cannot be written without it; all that is done to memory is done by the allocator that is wrapped.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout},
    fs::File,
    io::{Read, Write},
    sync::atomic::{AtomicBool, Ordering},
};

/// Bytes from which on a request is compared with the memory that is available.
const LARGE: usize = 1 << 28;

/// What is left to the rest of the machine.
const RESERVE: u64 = 1 << 27;

/// The exit code: that of bad input.
const CODE: i32 = 2;

/// An allocator that ends the program with a message where the wrapped one has no memory, or where a large request is for more
/// than is available. Systems that promise more memory than they have would otherwise end it without a word, or others
/// with it.
pub struct Guarded<A> {
    wrapped: A,
    first: fn(),
    begun: AtomicBool,
}

impl<A> Guarded<A> {
    /// Calls `first`, which must not allocate, before the first allocation.
    pub const fn new(wrapped: A, first: fn()) -> Self {
        Self { wrapped, first, begun: AtomicBool::new(false) }
    }

    #[inline]
    fn begin(&self) {
        if !self.begun.load(Ordering::Relaxed) && !self.begun.swap(true, Ordering::Relaxed) {
            (self.first)();
        }
    }
}

// SAFETY: every request is passed on to the wrapped allocator as it is, and what that returns is returned unless it is null.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Guarded<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.begin();
        // SAFETY: the caller's promises are passed on.
        guarded(layout.size(), layout.size(), || unsafe { self.wrapped.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.begin();
        // SAFETY: the caller's promises are passed on.
        guarded(layout.size(), layout.size(), || unsafe { self.wrapped.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { self.wrapped.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = size.saturating_sub(layout.size());
        // SAFETY: the caller's promises are passed on.
        guarded(size, more, || unsafe { self.wrapped.realloc(at, layout, size) })
    }
}

/// What `allocate` returns, where `size` bytes, `more` of them new, can be had.
#[inline]
fn guarded(size: usize, more: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    if more >= LARGE && !fits(more as u64) {
        end(size);
    }
    let at = allocate();
    if at.is_null() {
        end(size);
    }
    at
}

/// Whether that much is available, as far as the system tells.
#[cold]
fn fits(bytes: u64) -> bool {
    available().is_none_or(|available| bytes.saturating_add(RESERVE) <= available)
}

/// Bytes that could be had without swapping, on systems that say so in /proc/meminfo. Reads into the stack: the
/// allocator itself asks.
fn available() -> Option<u64> {
    let mut text = [0_u8; 512];
    let mut file = File::open("/proc/meminfo").ok()?;
    let mut length = 0;
    while length < text.len() {
        match file.read(&mut text[length..]).ok()? {
            0 => break,
            more => length += more,
        }
    }
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

/// Says what could not be had, and ends the program.
#[cold]
#[allow(clippy::exit)] // There is no memory to return with.
fn end(size: usize) -> ! {
    let mut text = [0_u8; 160];
    let mut rest = &mut text[..];
    let _ = writeln!(
        rest,
        "error: there is not enough memory: {size} bytes more are needed; take a smaller problem or rank"
    );
    let left = rest.len();
    let length = text.len() - left;
    let _ = std::io::stderr().write_all(&text[..length]);
    std::process::exit(CODE)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn what_is_available_is_more_than_nothing_and_less_than_everything() {
        if let Some(bytes) = available() {
            assert!(bytes > 1 << 20 && bytes < 1 << 50, "{bytes}");
            assert!(fits(1) && !fits(u64::MAX));
        }
    }

    #[test]
    fn requests_are_passed_on() {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let guarded = Guarded::new(std::alloc::System, || {
            CALLS.fetch_add(1, Ordering::Relaxed);
        });
        let layout = Layout::array::<u64>(100).unwrap();
        // SAFETY: the layout is not empty; what was allocated is given back with its layout.
        unsafe {
            let at = guarded.alloc_zeroed(layout);
            assert!((0..800).all(|i| *at.add(i) == 0));
            *at.add(5) = 7;
            let at = guarded.realloc(at, layout, 1600);
            assert_eq!(*at.add(5), 7);
            guarded.dealloc(at, Layout::array::<u64>(200).unwrap());
            guarded.dealloc(guarded.alloc(layout), layout);
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 1);
    }
}
