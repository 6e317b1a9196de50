//! Pages that nobody may touch, but for the device while it works on them.
//!
//! All of it lies in one range of addresses that is reserved once, and goes up in it: no address is used twice, so that
//! memory that was given back is never taken for new one. A handler of the system's signal for a forbidden access looks
//! whether the address is in this range, and says what happened before it ends the process.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::dlpack::DLDevice;
use tilewright_tensor::{DeviceMemory, TensorError};
use tilewright_vm_program::DeviceKind;

/// Bytes of addresses that are reserved.
const RANGE_BYTES: usize = 1 << 40;
/// What new memory is full of: a NaN for every type of floats.
const FILL: u8 = 0xff;
/// What the handler says.
pub const MESSAGE: &str = "the host touched memory of a test device: a copy is missing";

/// Where the range begins, once it is reserved; 0 before.
static RANGE: AtomicUsize = AtomicUsize::new(0);
/// The handler that was there before ours.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// Pages that end, but for alignment, where an untouchable one begins.
pub(super) struct Pages {
    device: u32,
    /// The first page, and the bytes of all of them.
    base: usize,
    mapped: usize,
    /// The first byte that is used, and how many are.
    address: usize,
    bytes: usize,
    /// How many tasks of the device work on them.
    open: Mutex<usize>,
}

impl Pages {
    pub(super) fn new(device: u32, bytes: usize) -> Result<Self, TensorError> {
        let none = || TensorError::OutOfMemory { bytes };
        let page = page_size();
        let used = bytes.max(1).checked_next_multiple_of(TENSOR_ALIGN).ok_or_else(none)?;
        let mapped = used.checked_next_multiple_of(page).ok_or_else(none)?;
        let base = take(mapped.checked_add(page).ok_or_else(none)?).ok_or_else(none)?;
        let pages = Self { device, base, mapped, address: base + mapped - used, bytes, open: Mutex::new(0) };
        if !pages.open() {
            return Err(none());
        }
        // SAFETY: the pages may be written now, and nobody else knows of them.
        unsafe { ptr::write_bytes(ptr::with_exposed_provenance_mut::<u8>(base), FILL, mapped) };
        pages.close();
        Ok(pages)
    }

    /// Lets this process's threads read and write the pages; false if the system does not.
    pub(super) fn open(&self) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open += 1;
        *open > 1 || self.protect(libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Ends one [`Pages::open`].
    pub(super) fn close(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open -= 1;
        if *open == 0 {
            self.protect(libc::PROT_NONE);
        }
    }

    fn protect(&self, access: libc::c_int) -> bool {
        // SAFETY: the pages are ours; whoever uses them while they are open holds a tensor over them, and closes them
        // afterwards.
        unsafe { libc::mprotect(ptr::with_exposed_provenance_mut(self.base), self.mapped, access) == 0 }
    }
}

impl DeviceMemory for Pages {
    fn device(&self) -> DLDevice {
        DLDevice { device_type: DeviceKind::ExtDev as i32, device_id: self.device as i32 }
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn address(&self) -> usize {
        self.address
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let address = ptr::with_exposed_provenance_mut(self.base);
        // SAFETY: no tensor over the pages is left, and their addresses are never given out again. They stay without
        // access; the system takes their memory back.
        unsafe { libc::madvise(address, self.mapped, libc::MADV_DONTNEED) };
    }
}

fn page_size() -> usize {
    // SAFETY: reads a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// So many bytes of the range, without access; none where there are none left.
fn take(bytes: usize) -> Option<usize> {
    static RESERVED: OnceLock<Option<usize>> = OnceLock::new();
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let start = (*RESERVED.get_or_init(reserve))?;
    let after = |offset: usize| offset.checked_add(bytes).filter(|end| *end <= RANGE_BYTES);
    let offset = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).ok()?;
    Some(start + offset)
}

/// Reserves the range, and watches it.
fn reserve() -> Option<usize> {
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new pages at an address of the system's choice.
    let base = unsafe { libc::mmap(ptr::null_mut(), RANGE_BYTES, libc::PROT_NONE, kind, -1, 0) };
    if base == libc::MAP_FAILED {
        return None;
    }
    let start = base.expose_provenance();
    RANGE.store(start, Ordering::Release);
    static WATCH: Once = Once::new();
    WATCH.call_once(watch);
    Some(start)
}

fn watch() {
    // SAFETY: the structures are plain data, for which zeros are valid; the handler has the type that `SA_SIGINFO` asks
    // for, and does only what a handler may.
    unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = handle as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGSEGV, ptr::null(), &raw mut before) == 0 {
            // Kept before ours can be called.
            let _ = PREVIOUS.set(before);
            libc::sigaction(libc::SIGSEGV, &raw const ours, ptr::null_mut());
        }
    }
}

/// Says so where the range was touched, and ends the process; hands any other access on to the handler before.
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let start = RANGE.load(Ordering::Acquire);
    // SAFETY: the system calls the handler with a valid structure for this signal.
    let address = unsafe { (*info).si_addr() }.addr();
    if address.wrapping_sub(start) < RANGE_BYTES {
        // SAFETY: writes bytes that are there; both calls are among those that a handler may make.
        unsafe {
            libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::write(2, c"\n".as_ptr().cast(), 1);
            libc::abort();
        }
    }
    // SAFETY: the handler before is called as the system would have called it; without one, the signal's own effect
    // comes when the access is tried again.
    unsafe {
        match PREVIOUS.get() {
            Some(before) if !matches!(before.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN) => {
                type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                let before = std::mem::transmute::<usize, Handler>(before.sa_sigaction);
                before(signal, info, context);
            }
            _ => {
                libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            }
        }
    }
}
