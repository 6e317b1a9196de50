//! Releases LLVM's resident pages. Loading the program reads tens of megabytes of LLVM that only compilation needs
//! again.

#[cfg(target_os = "linux")]
pub use linux::release_pages;

/// Nothing: see the implementation for Linux.
#[cfg(not(target_os = "linux"))]
pub fn release_pages() {}

#[cfg(target_os = "linux")]
mod linux {
    use inkwell::llvm_sys::core::LLVMGetVersion;
    use libc::{PF_W, PT_LOAD, c_int, c_void, dl_phdr_info, size_t};

    /// Gives the clean, file-backed pages of the library that contains LLVM back to the system: they are read again
    /// when they are used. A process that only runs models needs none of them.
    pub fn release_pages() {
        let mut inside = LLVMGetVersion as *const () as usize;
        // SAFETY: the callback gets the address that it expects, and `inside` lives until the call is over.
        unsafe { libc::dl_iterate_phdr(Some(release_if_inside), (&raw mut inside).cast()) };
    }

    /// Called for every loaded file; `data` is an address. Ends the search at the file that has it.
    unsafe extern "C" fn release_if_inside(info: *mut dl_phdr_info, _: size_t, data: *mut c_void) -> c_int {
        // SAFETY: the system's loader gives a valid structure whose headers stay while it calls, and `data` is what
        // `release_pages` passed.
        let (base, headers, inside) = unsafe {
            let headers = (*info).dlpi_phdr;
            let count = if headers.is_null() { 0 } else { (*info).dlpi_phnum as usize };
            let headers = if count == 0 { &[] } else { std::slice::from_raw_parts(headers, count) };
            ((*info).dlpi_addr as usize, headers, *data.cast::<usize>())
        };
        let segments = headers.iter().filter(|header| header.p_type == PT_LOAD);
        let range = |at: u64, bytes: u64| (base + at as usize, base + at as usize + bytes as usize);
        let has = |(start, end): (usize, usize)| (start..end).contains(&inside);
        if !segments.clone().any(|header| has(range(header.p_vaddr, header.p_memsz))) {
            return 0;
        }
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).ok().filter(|page| page.is_power_of_two()).unwrap_or(1 << 16);
        for header in segments.filter(|header| header.p_flags & PF_W == 0) {
            let (start, end) = range(header.p_vaddr, header.p_filesz);
            let (start, end) = (start.next_multiple_of(page), end & !(page - 1));
            if start < end {
                // SAFETY: whole pages of a segment that nobody may write, so that they are as in the file, which the
                // loader has mapped: they are read from there again. Relocated data is in writable segments.
                unsafe { libc::madvise(start as *mut c_void, end - start, libc::MADV_DONTNEED) };
            }
        }
        1
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Resident megabytes of mapped files.
    fn megabytes() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("RssFile:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
    }

    #[test]
    fn released_pages_come_back() {
        crate::version();
        let before = megabytes();
        release_pages();
        assert!(megabytes() + 10 < before, "{before} MB, then {} MB", megabytes());
        assert!(crate::version().starts_with(char::is_numeric));
    }
}
