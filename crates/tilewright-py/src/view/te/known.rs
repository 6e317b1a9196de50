//! The tensors of Python's formulas, by the buffers that represent them, and the axes of their reductions.
//!
//! An entry stays while anything besides the table refers to its tensor or to an element of it; unreachable entries are
//! removed when the table has doubled.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tilewright::expr::node::{AnyHandle as _, VarId, walk_some};
use tilewright::expr::{Buffer, Expr, Var};
use tilewright::te::{Operation, Tensor, Value};

#[derive(Default)]
struct Known {
    operations: HashMap<VarId, Operation>,
    axes: HashMap<VarId, Var>,
    /// The size at which the table is swept next.
    limit: usize,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn with<R>(f: impl FnOnce(&mut Known) -> R) -> R {
    let mut known: MutexGuard<'_, Option<Known>> = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    f(known.get_or_insert_with(Known::default))
}

impl Known {
    fn sweep(&mut self) {
        if self.operations.len() + self.axes.len() < self.limit {
            return;
        }
        let mut removed = Vec::new();
        loop {
            let before = removed.len();
            // A dropped operation drops its inputs.
            self.operations.retain(|_, op| {
                let handles = op.outputs().len();
                let used = op.is_used_beyond(handles);
                if !used {
                    removed.push(op.clone());
                }
                used
            });
            if removed.len() == before {
                break;
            }
            removed.clear();
        }
        self.axes.retain(|_, var| var.is_shared());
        self.limit = 2 * (self.operations.len() + self.axes.len()).max(512);
    }
}

/// Makes the operation's tensors known.
pub(super) fn add(op: &Operation) {
    with(|known| {
        known.sweep();
        for tensor in op.outputs() {
            known.operations.insert(tensor.id(), op.clone());
        }
    });
}

/// Makes the axis of a reduction known.
pub(super) fn add_axis(var: &Var) {
    with(|known| {
        known.sweep();
        known.axes.insert(var.id(), var.clone());
    });
}

/// The tensor of the buffer, if there is one.
pub(crate) fn tensor_of(buffer: &Buffer) -> Option<Tensor> {
    let op = with(|known| known.operations.get(&buffer.id()).cloned())?;
    op.outputs().into_iter().find(|tensor| tensor.id() == buffer.id())
}

/// The formula of an expression, with the tensors and axes that it speaks of.
pub(super) fn value(expr: Expr) -> Value {
    let (mut reads, mut over): (Vec<Tensor>, Vec<Var>) = (Vec::new(), Vec::new());
    let whole = vec![expr];
    walk_some(&whole, |node| {
        if let Some(buffer) = node.downcast::<Buffer>() {
            if let Some(tensor) = tensor_of(buffer)
                && !reads.contains(&tensor)
            {
                reads.push(tensor);
            }
            // Dimensions of a tensor are none of the formula's variables.
            return false;
        }
        if let Some(var) = node.downcast::<Var>()
            && !over.contains(var)
            && with(|known| known.axes.contains_key(&var.id()))
        {
            over.push(var.clone());
        }
        true
    });
    match <[Expr; 1]>::try_from(whole) {
        Ok([expr]) => Value::reading(expr, reads, over),
        Err(_) => Value::wrong(tilewright::te::TeError("there is no formula".into())),
    }
}
