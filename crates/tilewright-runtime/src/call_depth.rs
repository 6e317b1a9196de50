//! The bound of nested calls, and their stack.
//!
//! Programs, functions of the process and their callers may call each other recursively. Each call through this crate
//! is a level; where the thread's stack runs out, levels run on a stack on the heap, and their number is bounded.

use std::cell::Cell;

use tilewright_support::with_stack;

use crate::error::{ErrorKind, Result};

/// Nested calls on one thread, at most; more count as an endless recursion.
const MAX_DEPTH: usize = 10_000;

thread_local! {
    /// The number of nested calls that are active on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// One more call that is under way, until it is dropped.
pub(crate) struct Level;

impl Level {
    pub(crate) fn enter(function: &str) -> Result<Self> {
        DEPTH.with(|depth| {
            if depth.get() >= MAX_DEPTH {
                let message = format!("more than {MAX_DEPTH} calls within one another");
                return Err(ErrorKind::Run { function: function.to_owned(), message }.into());
            }
            depth.set(depth.get() + 1);
            Ok(Self)
        })
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get() - 1));
    }
}

/// Calls a function of the process as one more level: for those who hold a [`crate::PackedFunc`] and call it
/// themselves, on behalf of code that may come back. A recursion without end is an error that names the function.
pub fn nested<T>(function: &str, call: impl FnOnce() -> Result<T>) -> Result<T> {
    let _level = Level::enter(function)?;
    with_stack(call)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::registry;
    use crate::value::{PackedFunc, Value};

    /// Takes its own function value, and calls it with itself: without a bound, for ever.
    fn again(args: &[Value]) -> Result<Value> {
        args[0].call(args)
    }

    #[test]
    fn functions_that_call_themselves_for_ever_are_stopped() {
        let function: PackedFunc = Arc::new(again);
        let value = Value::Function(function);
        for _ in 0..2 {
            let error = value.call(std::slice::from_ref(&value)).unwrap_err().to_string();
            assert_eq!(error, "a function value: more than 10000 calls within one another");
        }
        registry::register_override("call_depth.tests.again", again);
        let named = registry::get("call_depth.tests.again").unwrap();
        assert!(nested("named", || named(std::slice::from_ref(&value))).is_err());
        assert_eq!(DEPTH.get(), 0);
    }
}
