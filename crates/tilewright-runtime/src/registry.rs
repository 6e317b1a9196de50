//! Packed functions by name, for the whole process.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use tilewright_support::nearest;

use crate::error::{ErrorKind, Result};
use crate::value::{PackedFunc, Value};

static FUNCTIONS: RwLock<BTreeMap<String, PackedFunc>> = RwLock::new(BTreeMap::new());

/// Registers a function under a name that is still free. The closure runs on the thread that calls the program.
pub fn register(name: &str, function: impl Fn(&[Value]) -> Result<Value> + Send + Sync + 'static) -> Result<()> {
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    if functions.contains_key(name) {
        return Err(ErrorKind::AlreadyRegistered { name: name.to_owned() }.into());
    }
    functions.insert(name.to_owned(), Arc::new(function));
    Ok(())
}

/// Registers a function, in the place of another of the same name if there is one. Machines that have called the other
/// one keep it.
pub fn register_override(name: &str, function: impl Fn(&[Value]) -> Result<Value> + Send + Sync + 'static) {
    let function: PackedFunc = Arc::new(function);
    let replaced = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), function);
    // Dropped here, outside the lock: the old function's destructor may do anything.
    drop(replaced);
}

/// Removes a function; false if there was none.
pub fn unregister(name: &str) -> bool {
    let removed = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    removed.is_some()
}

/// The function of a name, or an error that suggests a similar one.
pub fn get(name: &str) -> Result<PackedFunc> {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    functions.get(name).cloned().ok_or_else(|| {
        let suggestion = nearest(name, functions.keys().map(String::as_str)).map(str::to_owned);
        ErrorKind::MissingPacked { name: name.to_owned(), suggestion }.into()
    })
}

/// All names, in order.
pub fn names() -> Vec<String> {
    FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}
