//! Packed functions by name, for the whole process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tilewright_support::nearest;

use crate::builtins;
use crate::error::{ErrorKind, Result};
use crate::fork::SharedLock;
use crate::value::{PackedFunc, Value};

static FUNCTIONS: SharedLock<BTreeMap<String, PackedFunc>> = SharedLock::new(BTreeMap::new());
/// Changes with every change of a name's function, under the lock: who saw the same number twice saw the same
/// functions.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// The number of changes so far.
pub(crate) fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Registers a function under a name that is still free. The closure runs on the thread that calls the program.
pub fn register(name: &str, function: impl Fn(&[Value]) -> Result<Value> + Send + Sync + 'static) -> Result<()> {
    let mut functions = FUNCTIONS.write();
    if functions.contains_key(name) {
        return Err(ErrorKind::AlreadyRegistered { name: name.to_owned() }.into());
    }
    functions.insert(name.to_owned(), Arc::new(function));
    Ok(())
}

/// Registers a function, in the place of another of the same name if there is one. Machines call the new one from their
/// next call on; function values that they hold stay what they are.
pub fn register_override(name: &str, function: impl Fn(&[Value]) -> Result<Value> + Send + Sync + 'static) {
    let function: PackedFunc = Arc::new(function);
    let mut functions = FUNCTIONS.write();
    let replaced = functions.insert(name.to_owned(), function);
    GENERATION.fetch_add(1, Ordering::Release);
    drop(functions);
    // Dropped here, outside the lock: the old function's destructor may do anything.
    drop(replaced);
}

/// Removes a function; false if there was none. Machines do not find it any more.
pub fn unregister(name: &str) -> bool {
    let mut functions = FUNCTIONS.write();
    let removed = functions.remove(name);
    GENERATION.fetch_add(1, Ordering::Release);
    drop(functions);
    removed.is_some()
}

/// The function of a name, or the runtime's own one; else an error that suggests a similar name.
pub fn get(name: &str) -> Result<PackedFunc> {
    let functions = FUNCTIONS.read();
    functions.get(name).cloned().or_else(|| builtins::get(name)).ok_or_else(|| {
        let suggestion = nearest(name, functions.keys().map(String::as_str)).map(str::to_owned);
        ErrorKind::MissingPacked { name: name.to_owned(), suggestion }.into()
    })
}

/// All names, in order.
pub fn names() -> Vec<String> {
    FUNCTIONS.read().keys().cloned().collect()
}
