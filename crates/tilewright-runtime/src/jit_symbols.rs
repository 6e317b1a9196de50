//! Symbols of mapped machine code for profilers and debuggers.
//!
//! - `perf`: with `TILEWRIGHT_PERF=1` or [`set_perf_map`], every image that is mapped adds its functions to
//!   `/tmp/perf-PID.map`, where `perf report` finds them.
//! - Debuggers: with `TILEWRIGHT_GDB=1` or [`set_debugger_symbols`], every image is registered through GDB's JIT
//!   interface, which LLDB understands too, as an ELF file of symbols in memory: backtraces name kernels, and
//!   `break matmul` stops in one.
//!
//! Both are off by default. Neither changes what runs, and what goes wrong here is nobody's error.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

use tilewright_vm_program::{Image, Symbol};

use crate::environment::{self, switch};
use crate::fork::Lock;

/// A switch that the environment sets until someone else does.
struct Switch {
    variable: &'static str,
    /// 0: as the environment says, 1: off, 2: on.
    state: AtomicU8,
}

impl Switch {
    const fn new(variable: &'static str) -> Self {
        Self { variable, state: AtomicU8::new(0) }
    }

    fn set(&self, on: bool) {
        self.state.store(1 + u8::from(on), Ordering::Relaxed);
    }

    fn is_on(&self) -> bool {
        match self.state.load(Ordering::Relaxed) {
            0 => switch(self.variable).unwrap_or(false),
            state => state == 2,
        }
    }
}

static PERF: Switch = Switch::new("TILEWRIGHT_PERF");
static DEBUGGER: Switch = Switch::new("TILEWRIGHT_GDB");

/// Whether `perf` hears of the images that are mapped from now on.
pub fn set_perf_map(on: bool) {
    PERF.set(on);
}

/// Whether debuggers hear of the images that are mapped from now on.
pub fn set_debugger_symbols(on: bool) {
    DEBUGGER.set(on);
}

/// The registration of an image; dropping it unregisters the image from debuggers.
#[derive(Debug)]
pub(crate) struct RegisteredImage {
    _registered: Option<Registration>,
}

/// Registers the symbols of an image at this address with the tools that are enabled.
pub(crate) fn image(image: &Image, address: usize) -> RegisteredImage {
    let (perf, debugger) = (PERF.is_on(), DEBUGGER.is_on());
    if !perf && !debugger {
        return RegisteredImage { _registered: None };
    }
    let symbols = symbols(image);
    if perf {
        write_perf_map(&symbols, address);
    }
    RegisteredImage { _registered: debugger.then(|| Registration::new(&symbols, address, image.text.len())) }
}

/// The image's symbols; where it has none, its kernels, each up to the next one.
fn symbols(image: &Image) -> Vec<Symbol> {
    if !image.symbols.is_empty() {
        return image.symbols.clone();
    }
    let mut exports: Vec<_> = image.exports.iter().collect();
    exports.sort_by_key(|export| export.offset);
    let ends = exports.iter().skip(1).map(|export| export.offset).chain([image.text.len() as u32]);
    let symbol = |(export, end): (&&tilewright_vm_program::Export, u32)| Symbol {
        name: export.name.clone(),
        offset: export.offset,
        bytes: end - export.offset,
    };
    exports.iter().zip(ends).map(symbol).collect()
}

/// Adds lines of start, size (both hexadecimal) and name.
fn write_perf_map(symbols: &[Symbol], address: usize) {
    let mut text = String::new();
    for symbol in symbols {
        // A line has one name; spaces may stand in it.
        let name = symbol.name.replace(['\n', '\r'], " ");
        let _ = writeln!(text, "{:x} {:x} {name}", address + symbol.offset as usize, symbol.bytes);
    }
    let path = format!("/tmp/perf-{}.map", std::process::id());
    if let Some(mut file) = open_own(&path) {
        let _ = file.write_all(text.as_bytes());
    }
}

/// Opens a file of this user's for appending, and makes it if there is none. Everybody may put something under a name
/// in `/tmp`: a link, another kind of file, or one that is someone else's or has a second name, is left alone.
#[cfg(unix)]
fn open_own(path: &str) -> Option<File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

    let mut options = OpenOptions::new();
    // A pipe without a reader would wait for one.
    options.append(true).mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC);
    let made = options.clone().create_new(true).open(path);
    if made.is_ok() {
        return made.ok();
    }
    let file = options.open(path).ok()?;
    let found = file.metadata().ok()?;
    (found.is_file() && found.uid() == environment::user() && found.nlink() == 1).then_some(file)
}

#[cfg(not(unix))]
fn open_own(path: &str) -> Option<File> {
    OpenOptions::new().append(true).create(true).open(path).ok()
}

/// An image's symbols in the list that debuggers read.
#[derive(Debug)]
struct Registration {
    entry: *mut JitCodeEntry,
    /// The ELF file that the entry points to.
    _file: Box<[u8]>,
}

// SAFETY: the entry is touched under `LIST` only, and the file is not changed.
unsafe impl Send for Registration {}
// SAFETY: a shared registration gives access to nothing.
unsafe impl Sync for Registration {}

/// `struct jit_code_entry` of GDB's manual, "JIT Compilation Interface".
#[repr(C)]
#[derive(Debug)]
struct JitCodeEntry {
    next: *mut JitCodeEntry,
    previous: *mut JitCodeEntry,
    file: *const u8,
    bytes: u64,
}

/// `struct jit_descriptor`.
#[repr(C)]
struct JitDescriptor {
    version: u32,
    action: u32,
    relevant: *mut JitCodeEntry,
    first: *mut JitCodeEntry,
}

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

// Debuggers find the descriptor by its name, and stop at the function to look at it. Both are weak: a program may also
// carry an LLVM, which brings its own, of the same form.
std::arch::global_asm!(
    ".pushsection .data.__jit_debug_descriptor, \"aw\"",
    ".weak __jit_debug_descriptor",
    ".type __jit_debug_descriptor, STT_OBJECT",
    ".size __jit_debug_descriptor, 24",
    ".p2align 3",
    "__jit_debug_descriptor: .long 1, 0",
    ".quad 0, 0",
    ".popsection",
    ".pushsection .text.__jit_debug_register_code, \"ax\"",
    ".weak __jit_debug_register_code",
    ".type __jit_debug_register_code, STT_FUNC",
    ".p2align 4",
    "__jit_debug_register_code: ret",
    ".size __jit_debug_register_code, . - __jit_debug_register_code",
    ".popsection",
);

unsafe extern "C" {
    static mut __jit_debug_descriptor: JitDescriptor;
    fn __jit_debug_register_code();
}

static LIST: Lock<()> = Lock::new(());

impl Registration {
    fn new(symbols: &[Symbol], address: usize, text_bytes: usize) -> Self {
        let file = elf(symbols, address, text_bytes).into_boxed_slice();
        let _guard = LIST.lock();
        let descriptor = &raw mut __jit_debug_descriptor;
        // SAFETY: the list is ours while the lock is held; all entries in it are alive, because each is removed before
        // its `Registration` is gone.
        unsafe {
            let first = (*descriptor).first;
            let entry = Box::into_raw(Box::new(JitCodeEntry {
                next: first,
                previous: ptr::null_mut(),
                file: file.as_ptr(),
                bytes: file.len() as u64,
            }));
            if !first.is_null() {
                (*first).previous = entry;
            }
            (*descriptor).first = entry;
            tell(descriptor, entry, REGISTER);
            Self { entry, _file: file }
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _guard = LIST.lock();
        let descriptor = &raw mut __jit_debug_descriptor;
        // SAFETY: as above; the entry was made by `Box::into_raw` and is in the list exactly once.
        unsafe {
            let JitCodeEntry { next, previous, .. } = *self.entry;
            match previous.is_null() {
                true => (*descriptor).first = next,
                false => (*previous).next = next,
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
            tell(descriptor, self.entry, UNREGISTER);
            drop(Box::from_raw(self.entry));
        }
    }
}

/// # Safety
/// The list's lock is held, and the entry is alive.
unsafe fn tell(descriptor: *mut JitDescriptor, entry: *mut JitCodeEntry, action: u32) {
    // SAFETY: nobody else touches the descriptor while the lock is held.
    unsafe {
        (*descriptor).relevant = entry;
        (*descriptor).action = action;
        __jit_debug_register_code();
        (*descriptor).relevant = ptr::null_mut();
        (*descriptor).action = 0;
    }
}

const ELF_HEADER: usize = 64;
const SECTION_HEADER: usize = 64;
const SYMBOL_BYTES: usize = 24;

/// An ELF file that holds nothing but symbols for a text that is in memory: the sections null, `.text` (without bytes),
/// `.symtab`, `.strtab`, `.shstrtab`.
fn elf(symbols: &[Symbol], address: usize, text_bytes: usize) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0.shstrtab\0";
    let mut strings = vec![0u8];
    let mut table = vec![0u8; SYMBOL_BYTES];
    for symbol in symbols {
        table.extend((strings.len() as u32).to_le_bytes());
        // Global functions in section 1.
        table.extend([0x12, 0, 1, 0]);
        table.extend((address as u64 + u64::from(symbol.offset)).to_le_bytes());
        table.extend(u64::from(symbol.bytes).to_le_bytes());
        strings.extend(symbol.name.bytes().map(|byte| if byte == 0 { b' ' } else { byte }));
        strings.push(0);
    }
    let table_start = ELF_HEADER + 5 * SECTION_HEADER;
    let strings_start = table_start + table.len();
    let names_start = strings_start + strings.len();
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut file = Vec::new();
    file.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    // An executable file of this machine.
    file.extend(2u16.to_le_bytes());
    file.extend(machine.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    file.extend([0, 0, ELF_HEADER as u64].into_iter().flat_map(u64::to_le_bytes));
    file.extend(0u32.to_le_bytes());
    let sizes = [ELF_HEADER as u16, 0, 0, SECTION_HEADER as u16, 5, 4];
    file.extend(sizes.into_iter().flat_map(u16::to_le_bytes));
    let (address, text_bytes) = (address as u64, text_bytes as u64);
    let (table_start, strings_start, names_start) = (table_start as u64, strings_start as u64, names_start as u64);
    let lengths = [table.len() as u64, strings.len() as u64, NAMES.len() as u64];
    // Name, type, flags, address, offset, bytes, link, info, alignment, bytes of an entry.
    let sections: [[u64; 10]; 5] = [
        [0; 10],
        [1, 8, 6, address, table_start, text_bytes, 0, 0, 16, 0],
        [7, 2, 0, 0, table_start, lengths[0], 3, 1, 8, SYMBOL_BYTES as u64],
        [15, 3, 0, 0, strings_start, lengths[1], 0, 0, 1, 0],
        [23, 3, 0, 0, names_start, lengths[2], 0, 0, 1, 0],
    ];
    for [name, kind, flags, address, offset, bytes, link, info, align, entry] in sections {
        file.extend([name as u32, kind as u32].into_iter().flat_map(u32::to_le_bytes));
        file.extend([flags, address, offset, bytes].into_iter().flat_map(u64::to_le_bytes));
        file.extend([link as u32, info as u32].into_iter().flat_map(u32::to_le_bytes));
        file.extend([align, entry].into_iter().flat_map(u64::to_le_bytes));
    }
    file.extend(table);
    file.extend(strings);
    file.extend(NAMES);
    file
}
