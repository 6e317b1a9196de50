//! C functions that kernels call by name (`T.call_extern`): those that were registered, and those of the process
//! itself.
//!
//! Nothing is checked here: the names and types in an executable are trusted like its machine code.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};

use crate::error::{ErrorKind, Result};
use crate::fork::SharedLock;

/// Addresses by name.
static SYMBOLS: SharedLock<BTreeMap<String, usize>> = SharedLock::new(BTreeMap::new());

/// Gives the function at an address a name, under which executables that are loaded from now on find it, before one of
/// the process's own of the same name.
///
/// # Safety
/// The address is that of a function with C's calling convention, which takes and gives what the kernels that call it
/// say, may run on any thread, does not unwind, and is there for as long as an executable that was loaded with it.
pub unsafe fn register_symbol(name: &str, address: *const c_void) {
    let mut symbols = SYMBOLS.write();
    symbols.insert(name.to_owned(), address as usize);
}

/// The address of a function, or an error that names it.
pub(crate) fn address(name: &str) -> Result<usize> {
    let registered = SYMBOLS.read().get(name).copied();
    let missing = || ErrorKind::MissingSymbol { name: name.to_owned() };
    if let Some(address) = registered.filter(|&address| address != 0) {
        return Ok(address);
    }
    let symbol = CString::new(name).map_err(|_| missing())?;
    // SAFETY: the name is a C string that lives through the call, which only looks it up.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) };
    if address.is_null() { Err(missing().into()) } else { Ok(address as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn three() -> i32 {
        3
    }

    #[test]
    fn registered_functions_come_before_those_of_the_process() {
        let [own, library] = ["tilewright_test_three", "toupper"].map(address);
        assert!(own.is_err() && library.as_ref().is_ok_and(|&address| address != 0));
        for name in ["tilewright_test_three", "toupper"] {
            // SAFETY: `three` stays where it is, and nothing here calls it by these names.
            unsafe { register_symbol(name, three as *const c_void) };
            assert_eq!(address(name).unwrap(), three as *const () as usize);
        }
        // SAFETY: as above; a null address is none.
        unsafe { register_symbol("toupper", std::ptr::null()) };
        assert_eq!(address("toupper").unwrap(), library.unwrap());
    }

    #[test]
    fn a_function_that_is_not_there_is_named() {
        for name in ["no_such_function_anywhere", "", "a\0b"] {
            let error = address(name).unwrap_err();
            assert!(error.to_string().contains(&format!("no C function `{name}`")), "{error}");
        }
    }
}
