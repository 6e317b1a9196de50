//! Watching the calls of a run: kernels, packed functions and functions of the program.

use std::fmt;
use std::sync::Arc;

use crate::error::Result;
use crate::value::Value;

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CallKind {
    Kernel,
    /// A function of the process, by name or as a value.
    Packed,
    /// A function of the program: by name, or a closure.
    Function,
}

impl CallKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Packed => "packed",
            Self::Function => "function",
        }
    }
}

/// A call that is about to be made, or was made.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    pub kind: CallKind,
    pub name: &'a str,
    /// A kernel's tensors, its results among them, then its scalars.
    pub args: &'a [Value],
    /// Absent before the call. `None` for a kernel: it writes its results in place.
    pub result: Option<&'a Value>,
}

/// What becomes of a call that is about to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Run,
    /// The call is not made; its result is `None`.
    Skip,
}

type Watch = dyn Fn(&Event<'_>) -> Result<Action> + Send + Sync;

/// Told of each call before and after it. What it returns after a call has no effect; its error ends the run.
#[derive(Clone)]
pub struct Instrument(Arc<Watch>);

impl Instrument {
    pub fn new(watch: impl Fn(&Event<'_>) -> Result<Action> + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }
}

impl fmt::Debug for Instrument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instrument")
    }
}

/// Makes a call between the two events, if anyone is told of them.
#[inline]
pub(crate) fn around(
    observer: Option<&Instrument>,
    kind: CallKind,
    name: &str,
    args: impl FnOnce() -> Result<Vec<Value>>,
    call: impl FnOnce() -> Result<Value>,
) -> Result<Value> {
    let Some(Instrument(watch)) = observer else { return call() };
    let args = args()?;
    let before = Event { kind, name, args: &args, result: None };
    if watch(&before)? == Action::Skip {
        return Ok(Value::None);
    }
    let result = call()?;
    watch(&Event { result: Some(&result), ..before })?;
    Ok(result)
}
