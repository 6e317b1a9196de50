//! Deep recursion without overflow.

/// Runs `f` with enough stack for one more level of recursion, on the heap where the thread's own runs out.
///
/// Every function that recurses over IR or syntax of the user's depth calls this once per level.
#[inline]
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, f)
}
