//! `lower_builtins`: expresses attributes, constant memory, named addresses and target-specific operations by
//! statements that every target has.
//!
//! | attribute's key | on a CPU |
//! |---|---|
//! | `pragma_…` | a hint: the body stays |
//! | `storage_alignment`, `storage_scope`, `realize_scope`, `volatile_scope`, `buffer_dim_align` | a hint about memory |
//! | `double_buffer_scope`, `double_buffer_write` | the same |
//! | `loop_scope`, `compute_scope`, `scan_init_scope`, `scan_update_scope`, `hand_threaded` | a hint about loops |
//! | `async_scope`, `async_{commit,wait}_queue_scope`, `async_wait_inflight_count` | copies are made synchronously |
//! | `device_id`, `device_type`, `device_context_id`, `target`, `warp_execution` | said by the build's own target |
//! | any other | an error (`TW0561`): it has no meaning |
//!
//! | operation | on a CPU |
//! |---|---|
//! | barriers, fences, `T.assume`, profiling | nothing: a single thread never waits |
//! | `T.tvm_thread_invariant(x)` | `x` |
//! | `T.isnullptr(h)` | false: a buffer has an address |
//! | `T.undef()` | no store; elsewhere 0 |
//! | `T.tvm_access_ptr(t, A.data, offset, …)` | the address of that element |
//! | `T.prefetch` of an element's address | stays: code generation has it; of another address nothing |
//! | any other | an error (`TW0561`) that names it |
//!
//! Constant memory becomes a temporary that is filled at the start of its scope. A name for an address is replaced by
//! the address: a buffer that views memory by such a name views the memory itself, at an offset.

use tilewright_arith::Analyzer;
use tilewright_expr::node::rewrite;
use tilewright_expr::semantics::Scalar;
use tilewright_ir::relax::Constant;
use tilewright_ir::tir::{BinOp, Buffer, Builtin, BuiltinEffect, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::Origins;
use tilewright_tensor::DataType;

use crate::stmt::{Result, error, error_with_help, map_below, typed, with_body};

/// Attributes that may be dropped without changing the meaning of the statement inside; so may those that begin with
/// `pragma_`.
pub const ATTRIBUTE_HINTS: [&str; 21] = [
    "storage_alignment",
    "storage_scope",
    "double_buffer_scope",
    "double_buffer_write",
    "buffer_dim_align",
    "volatile_scope",
    "scan_init_scope",
    "scan_update_scope",
    "loop_scope",
    "realize_scope",
    "compute_scope",
    "hand_threaded",
    "async_scope",
    "async_commit_queue_scope",
    "async_wait_queue_scope",
    "async_wait_inflight_count",
    "device_id",
    "device_type",
    "device_context_id",
    "target",
    "warp_execution",
];

/// Elements of constant memory at most, which become stores.
const MAX_CONSTANTS: usize = 1 << 16;

pub fn lower_builtins(function: &PrimFunc) -> Result<PrimFunc> {
    lowered(function, &[])
}

/// The same for a GPU, which has barriers, shuffles and reductions of threads.
pub fn lower_device_builtins(function: &PrimFunc) -> Result<PrimFunc> {
    lowered(function, &OF_DEVICES)
}

/// Operations that code generation for GPUs has.
const OF_DEVICES: [&str; 6] = [
    "tvm_storage_sync",
    "tvm_thread_allreduce",
    "tvm_warp_shuffle",
    "tvm_warp_shuffle_up",
    "tvm_warp_shuffle_down",
    "tvm_warp_activemask",
];

fn lowered(function: &PrimFunc, own: &'static [&str]) -> Result<PrimFunc> {
    // Barriers are what divides the loops that threads become on a processor.
    let cx = Builtins { own, keeps_barriers: crate::serial_threads::has_threads(&function.body) };
    let body = cx.statement(&function.origins, &function.body)?;
    let mut problem = None;
    let lowered = rewrite(&body, |expr: &Expr| match cx.builtin(&function.origins, expr) {
        Ok(lowered) => lowered,
        Err(found) => {
            problem.get_or_insert(found);
            None
        }
    });
    match problem {
        Some(found) => Err(found),
        None => Ok(with_body(function, lowered.unwrap_or(body))),
    }
}

/// A kind of machine, as this step sees it.
struct Builtins {
    /// Operations that stay as they are, by name.
    own: &'static [&'static str],
    keeps_barriers: bool,
}

impl Builtins {
    fn is_own(&self, row: &Builtin) -> bool {
        self.own.contains(&row.name)
    }

    /// How messages call the machine.
    fn machine(&self) -> &'static str {
        if self.own.is_empty() { "a CPU" } else { "a GPU" }
    }

    fn statement(&self, origins: &Origins, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Attr { key, body, .. } if key.starts_with("pragma_") || ATTRIBUTE_HINTS.contains(&&**key) => {
                self.statement(origins, body)
            }
            // Of a reduction over threads, which has been lowered.
            StmtKind::Attr { key, body, .. } if &**key == "reduce_scope" && !self.own.is_empty() => {
                self.statement(origins, body)
            }
            StmtKind::Attr { key, .. } => {
                let message = format!("attribute `{key}` has no meaning on {}", self.machine());
                let help = "give it its meaning in a pass before this, or take it away";
                Err(error_with_help("TW0561", origins, message, help))
            }
            StmtKind::AllocateConst { buffer, data, body } => {
                let fill = fill(origins, buffer, data)?;
                let body = Stmt::seq(fill.into_iter().chain([self.statement(origins, body)?]));
                Ok(StmtKind::Allocate { buffer: buffer.clone(), body }.into())
            }
            StmtKind::Let { var, value, body } if var.dtype.is_handle() => {
                let lowered = rewrite(value, |expr: &Expr| self.builtin(origins, expr).ok().flatten());
                let address = lowered.unwrap_or_else(|| value.clone());
                self.statement(origins, &at_address(origins, var, &address, body)?)
            }
            StmtKind::Evaluate(value) | StmtKind::Store { value, .. } if self.means_nothing(value) => {
                Ok(Stmt::nothing())
            }
            _ => map_below(stmt, &mut |stmt| self.statement(origins, stmt)),
        }
    }

    /// Whether the expression is an operation without effect here.
    fn means_nothing(&self, value: &Expr) -> bool {
        let ExprKind::Foreign { callee, .. } = &value.kind else { return false };
        callee.builtin().is_some_and(|row| match row.effect {
            BuiltinEffect::Prefetch => !self.own.is_empty() || value.prefetched().is_none(),
            BuiltinEffect::Barrier => !self.is_own(row) && !self.keeps_barriers,
            BuiltinEffect::Fence | BuiltinEffect::Hint => true,
            BuiltinEffect::Pure | BuiltinEffect::Opaque => row.name == "undef",
        })
    }

    /// A target-specific operation; `None` for other expressions, and for what stays.
    fn builtin(&self, origins: &Origins, expr: &Expr) -> Result<Option<Expr>> {
        let ExprKind::Foreign { callee, args } = &expr.kind else { return Ok(None) };
        let Some(row) = callee.builtin() else { return Ok(None) };
        let kept = row.effect == BuiltinEffect::Barrier && self.keeps_barriers;
        if row.effect == BuiltinEffect::Prefetch || self.is_own(row) || kept {
            return Ok(None);
        }
        match (row.name, args.as_slice()) {
            ("tvm_thread_invariant", [value]) => Ok(Some(value.clone())),
            ("isnullptr", [_]) => Ok(Some(Expr::bool(false))),
            ("undef", []) => Ok(Some(Expr::number(0, expr.dtype))),
            ("tvm_access_ptr", [_, base, offset, ..]) if matches!(base.kind, ExprKind::AddressOf { .. }) => {
                further(origins, base, offset).map(Some)
            }
            // The type of an address, or an address that is still named.
            ("type_annotation", []) | ("tvm_access_ptr", _) => Ok(None),
            _ => {
                let message = format!("`T.{}` has no meaning on {}", row.name, self.machine());
                Err(error_with_help("TW0561", origins, message, "it is an operation of other targets"))
            }
        }
    }
}

/// The stores that fill constant memory.
fn fill(origins: &Origins, buffer: &Buffer, data: &Constant) -> Result<Vec<Stmt>> {
    let (shape, dtype) = (data.0.shape(), data.0.dtype());
    if data.0.num_elements() > MAX_CONSTANTS {
        let message = format!("constant memory `{}` has more than {MAX_CONSTANTS} elements", buffer.name);
        return Err(error_with_help("TW0561", origins, message, "pass so many constants as an argument"));
    }
    let unreadable = |problem: String| error("TW0561", origins, problem);
    let compact = data.0.to_contiguous().map_err(|problem| unreadable(problem.to_string()))?;
    let bytes = compact.as_bytes().map_err(|problem| unreadable(problem.to_string()))?;
    let mut stores = Vec::with_capacity(data.0.num_elements());
    for (number, bytes) in bytes.chunks(dtype.bytes().max(1)).enumerate() {
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        let scalar = Scalar::from_bits(dtype, bits);
        let value = match dtype.is_float() {
            true => Expr::float(scalar.as_float(), dtype),
            false => Expr::int(scalar.as_int(), dtype),
        };
        let mut rest = number as i64;
        let mut indices = Vec::with_capacity(shape.len());
        for (&extent, dim) in shape.iter().zip(&buffer.shape).rev() {
            indices.push(Expr::int(rest % extent.max(1), dim.dtype));
            rest /= extent.max(1);
        }
        indices.reverse();
        stores.push(typed(Stmt::store(buffer, indices, &value))?);
    }
    Ok(stores)
}

/// The address of an element plus an offset in elements.
fn further(origins: &Origins, base: &Expr, offset: &Expr) -> Result<Expr> {
    let ExprKind::AddressOf { buffer, indices } = &base.kind else { return Ok(base.clone()) };
    if !buffer.strides.is_empty() {
        let message = format!("an offset from an element of buffer `{}`, which is not contiguous", buffer.name);
        let help = "take the address of the element itself";
        return Err(error_with_help("TW0563", origins, message, help));
    }
    let one = Expr::int(1, offset.dtype);
    let elements = buffer.shape.iter().try_fold(one, |n, dim| typed(Expr::binary(BinOp::Mul, &n, dim)))?;
    let mut element = offset.clone();
    let mut stride = Expr::int(1, offset.dtype);
    for (index, dim) in indices.iter().zip(&buffer.shape).rev() {
        let step = typed(Expr::binary(BinOp::Mul, index, &stride))?;
        element = typed(Expr::binary(BinOp::Add, &element, &step))?;
        stride = typed(Expr::binary(BinOp::Mul, &stride, dim))?;
    }
    let flat = buffer.derive(|node| {
        node.shape = vec![elements];
        node.axis_separators = Vec::new();
    });
    typed(Expr::address_of(&flat, vec![Analyzer::new().simplify(&element)]))
}

/// The statement with the address in place of its name.
fn at_address(origins: &Origins, var: &Var, address: &Expr, body: &Stmt) -> Result<Stmt> {
    let ExprKind::AddressOf { buffer: base, .. } = &address.kind else {
        let message = format!("`{}` is no address of a buffer", var.name);
        return Err(error_with_help("TW0563", origins, message, "take `A.data` or the address of an element"));
    };
    let start = offset_of(address)?;
    let mut problem = None;
    let moved = rewrite(body, |buffer: &Buffer| {
        if buffer.data != *var {
            return None;
        }
        match offset_in(base, &start, buffer) {
            Ok(offset) => Some(buffer.derive(|node| {
                node.data = base.data.clone();
                node.elem_offset = Some(offset);
                node.scope = base.scope.clone();
            })),
            Err(found) => {
                problem.get_or_insert(found);
                None
            }
        }
    });
    if let Some(found) = problem {
        return Err(found);
    }
    let moved = moved.unwrap_or_else(|| body.clone());
    let named = rewrite(&moved, |expr: &Expr| (expr.as_var() == Some(var)).then(|| address.clone()));
    Ok(named.unwrap_or(moved))
}

/// Elements from the start of the memory to the element of an address.
fn offset_of(address: &Expr) -> Result<Expr> {
    let ExprKind::AddressOf { buffer, indices } = &address.kind else { return Ok(Expr::i64(0)) };
    let mut element = match &buffer.elem_offset {
        Some(offset) => typed(offset.cast(DataType::I64))?,
        None => Expr::i64(0),
    };
    let mut compact = Expr::i64(1);
    for (at, (index, dim)) in indices.iter().zip(&buffer.shape).enumerate().rev() {
        let stride = buffer.strides.get(at).unwrap_or(&compact).clone();
        let step = typed(Expr::binary(BinOp::Mul, index, &stride))?;
        element = typed(Expr::binary(BinOp::Add, &element, &step))?;
        compact = typed(Expr::binary(BinOp::Mul, &compact, dim))?;
    }
    Ok(element)
}

/// The offset of a view that starts at an element of other memory, in the view's own elements.
fn offset_in(base: &Buffer, start: &Expr, view: &Buffer) -> Result<Expr> {
    let (from, to) = (base.dtype.bytes() as i64, view.dtype.bytes().max(1) as i64);
    let start = match from == to {
        true => start.clone(),
        false => {
            let bytes = typed(Expr::binary(BinOp::Mul, start, &Expr::i64(from)))?;
            typed(Expr::binary(BinOp::FloorDiv, &bytes, &Expr::i64(to)))?
        }
    };
    let offset = match &view.elem_offset {
        Some(offset) => typed(Expr::binary(BinOp::Add, &start, offset))?,
        None => start,
    };
    Ok(Analyzer::new().simplify(&offset))
}
