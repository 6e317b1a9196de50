//! The exported entry of a kernel: from the ABI's three pointers to an internal function with typed parameters.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{Expr, ForKind, Param, PrimFunc, Stmt, StmtKind, Var, given_away, written_data};
use tilewright_support::Set;
use tilewright_target::Target;
use tilewright_tensor::DataType;
use tilewright_tensor::abi::offsets;

use super::function::{Binding, FnCx, Result, Sort, Source};
use super::scratch::{self, scratch_bindings};
use super::stream::streams_of;
use super::text::{Body, Reg, Value, quoted};
use super::unit::{IntrinsicCall, Unit};
use super::work::serial_where_short;
use crate::{Kernel, SYMBOL_PREFIX};

/// The text of a kernel's functions, its interface, and the intrinsics that it calls by name.
pub(crate) fn kernel(low: &LowTir, number: usize, target: &Target) -> Result<(String, Kernel, Vec<IntrinsicCall>)> {
    let mut unit = Unit::new(low.symbol(), number, target);
    let function = &PrimFunc { body: serial_where_short(&low.function().body, target), ..low.function().clone() };
    unit.streams = streams_of(function, target);
    let written = written_data(&function.body);
    let (mut bindings, mut writes, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
    for param in &function.params {
        let binding = match &param.buffer {
            Some(buffer) => {
                unit.check_type(buffer.dtype)?;
                let is_written = written.contains(&buffer.data.id());
                writes.push(is_written);
                // The caller guarantees no more than the element's alignment.
                let align = buffer.dtype.element_bytes();
                let source = Source::Argument(writes.len() - 1);
                Binding { var: buffer.data.clone(), others: Vec::new(), source, align, readonly: !is_written }
            }
            None => {
                unit.check_type(param.var.dtype)?;
                if param.var.dtype.is_vector() {
                    return Err(unit.malformed(format!("parameter `{}` is a vector", param.var.name)));
                }
                scalars.push(param.var.dtype);
                let source = Source::Dimension(scalars.len() - 1);
                Binding { var: param.var.clone(), others: Vec::new(), source, align: 1, readonly: false }
            }
        };
        bindings.push(binding);
    }
    scratch::plan(&mut unit, &function.body)?;
    bindings.extend(scratch_bindings(&unit, &function.body));
    let name = unit.internal_name();
    let sort = Sort::Kernel { captures: has_parallel_loop(&function.body) || takes_address(&function.body) };
    let mut cx = FnCx::new(&mut unit, &bindings, sort)?;
    cx.loaded = from_user(&function.params);
    cx.decide_streams(function)?;
    cx.stmt(&function.body)?;
    cx.finish(&name)?;
    let mut body = Body::new();
    let arguments = arguments(&mut body, sort, &bindings);
    call_internal(&mut body, &name, &arguments);
    let symbol = quoted(format!("{SYMBOL_PREFIX}{}", low.symbol()).as_bytes());
    let text = format!("define i32 @{symbol}(ptr %cx, ptr %args, ptr %dims) #0 {{\n{}}}\n", body.finish());
    unit.add_function(&text);
    let scratch_bytes = unit.scratch_bytes;
    let kernel = Kernel { symbol: low.symbol().to_owned(), writes, scalars, scratch_bytes };
    let intrinsics = std::mem::take(&mut unit.intrinsics);
    Ok((unit.finish(), kernel, intrinsics))
}

/// The arguments of an internal function: their text, and the values of the bindings.
pub(crate) struct Arguments {
    text: String,
    pub(crate) values: Vec<Value>,
}

/// Loads the arguments of the bindings from `%args`, `%dims`, `%closure` and the scratch memory of `%cx`.
pub(crate) fn arguments(body: &mut Body, sort: Sort, bindings: &[Binding]) -> Arguments {
    let mut arguments = Arguments { text: sort.leading_arguments().to_owned(), values: Vec::new() };
    let scratch = bindings.iter().any(|binding| matches!(binding.source, Source::Scratch(_))).then(|| {
        let address = body.offset(&Value::constant("%cx"), offsets::SCRATCH);
        body.assign(format_args!("load ptr, ptr {address}, align 8"))
    });
    for binding in bindings {
        let dtype = binding.var.dtype;
        let value = match (&binding.source, &scratch) {
            (Source::Argument(index), _) => {
                let address = body.offset(&Value::constant("%args"), *index as u64 * 8);
                body.assign(format_args!("load ptr, ptr {address}, align 8"))
            }
            (Source::Dimension(index), _) => {
                let address = body.offset(&Value::constant("%dims"), *index as u64 * 8);
                let word = body.assign(format_args!("load i64, ptr {address}, align 8"));
                from_word(body, &word, dtype)
            }
            (Source::Closure(offset), _) => {
                let address = body.offset(&Value::constant("%closure"), *offset);
                body.assign(format_args!("load {}, ptr {address}, align 8", Reg(dtype)))
            }
            (Source::Scratch(offset), Some(scratch)) => body.offset(scratch, *offset),
            (Source::Scratch(_), None) => Value::constant("null"),
        };
        arguments.text += &format!(", {} {value}", Reg(dtype));
        arguments.values.push(value);
    }
    arguments
}

/// Calls the internal function and returns its status.
pub(crate) fn call_internal(body: &mut Body, name: &str, arguments: &Arguments) {
    let status = body.assign(format_args!("call fastcc i32 {name}({})", arguments.text));
    body.line(format_args!("ret i32 {status}"));
}

/// A scalar argument from the 64 bits in which it is passed: integers by value, floats by their bits.
pub(crate) fn from_word(body: &mut Body, word: &Value, dtype: DataType) -> Value {
    let ty = Reg(dtype);
    if dtype.is_bool() {
        return body.assign(format_args!("icmp ne i64 {word}, 0"));
    }
    let narrow = match dtype.bits {
        64 => word.clone(),
        bits => body.assign(format_args!("trunc i64 {word} to i{bits}")),
    };
    match dtype.bits {
        32 | 64 if dtype.is_float() => body.assign(format_args!("bitcast i{} {narrow} to {ty}", dtype.bits)),
        _ => narrow,
    }
}

/// Scalar parameters whose values are the user's, like loaded data. A symbolic dimension is the size of a tensor that
/// exists: it occurs in the shape of a buffer.
fn from_user(params: &[Param]) -> Set<VarId> {
    let mut dims = Set::default();
    for buffer in params.iter().filter_map(|param| param.buffer.as_ref()) {
        walk(&buffer.shape, |expr: &Expr| dims.extend(expr.as_var().map(Var::id)));
    }
    let scalars = params.iter().filter(|param| param.buffer.is_none()).map(|param| param.var.id());
    scalars.filter(|id| !dims.contains(id)).collect()
}

/// Whether an address escapes the function's own code.
pub(crate) fn takes_address(body: &Stmt) -> bool {
    let mut found = false;
    given_away(body, &mut |_| found = true);
    found
}

fn has_parallel_loop(body: &Stmt) -> bool {
    let mut found = false;
    walk(body, |stmt: &Stmt| found |= matches!(stmt.kind, StmtKind::For { kind: ForKind::Parallel, .. }));
    found
}
