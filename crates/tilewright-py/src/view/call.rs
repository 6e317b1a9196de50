//! Calls of operators on the loop level, as Python sees them: an operator and its arguments.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::expr::{BinOp, Buffer, Builtin, Expr, ExprKind, ForeignCallee, Intrinsic};
use tilewright::ir::relax::{ExprKind as ExprKindOfGraph, StructInfo};
use tilewright::{DataType, ops};

use super::scalar::{FOREIGN, operator_of};
use super::{Args, Field, FromPython, Node, node_of};

/// Operators of two operands that Python sees as calls.
const OPERATORS: [(&str, BinOp); 5] = [
    ("tir.bitwise_and", BinOp::BitAnd),
    ("tir.bitwise_or", BinOp::BitOr),
    ("tir.bitwise_xor", BinOp::BitXor),
    ("tir.shift_left", BinOp::Shl),
    ("tir.shift_right", BinOp::Shr),
];

/// The full names of calls of packed functions whose name in a script is another one.
const LOWERED: [(&str, &str); 3] = [
    ("tir.tvm_call_cpacked", "call_cpacked"),
    ("tir.tvm_call_packed_lowered", "call_packed_lowered"),
    ("tir.tvm_call_cpacked_lowered", "call_cpacked_lowered"),
];

/// The operator of this full name, if it is one of two operands that is called.
pub(super) fn operator(name: &str) -> Option<BinOp> {
    OPERATORS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}

/// The operator and the arguments of a call; `None` for what is none.
pub(super) fn parts(e: &Expr) -> Option<(Arc<str>, Vec<Field>)> {
    let scalars = |args: &[Expr]| args.iter().map(Field::scalar).collect::<Vec<_>>();
    Some(match &e.kind {
        ExprKind::Binary(op, a, b) => {
            let (name, _) = OPERATORS.iter().find(|(_, known)| known == op)?;
            ((*name).into(), vec![Field::scalar(a), Field::scalar(b)])
        }
        ExprKind::Call { intrinsic, args } => (operator_of(*intrinsic).into(), scalars(args)),
        ExprKind::Reinterpret(value) => ("tir.reinterpret".into(), vec![Field::scalar(value)]),
        ExprKind::AddressOf { buffer, indices } => {
            let load = ExprKind::Load { buffer: buffer.clone(), indices: indices.clone(), predicate: None };
            let element = Expr::raw(buffer.dtype, load);
            ("tir.address_of".into(), vec![Field::scalar(&element)])
        }
        ExprKind::Foreign { callee, args } => {
            let op = match callee {
                ForeignCallee::Extern(_) => "tir.call_extern",
                ForeignCallee::PureExtern(_) => "tir.call_pure_extern",
                ForeignCallee::Packed(_) => "tir.tvm_call_packed",
                ForeignCallee::Llvm(_) => "tir.call_llvm_intrin",
                ForeignCallee::Function(name) => return Some((name.clone(), scalars(args))),
                ForeignCallee::Builtin(name) => {
                    let full = LOWERED.iter().find(|(_, own)| *own == &**name).map(|(full, _)| (*full).into());
                    return Some((full.unwrap_or_else(|| format!("tir.{name}").into()), scalars(args)));
                }
            };
            let name = Field::scalar(&Expr::str(callee.name()));
            (op.into(), std::iter::once(name).chain(scalars(args)).collect())
        }
        _ => return None,
    })
}

/// `Call(dtype, op, args)`.
pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Expr> {
    let dtype: DataType = args.get(0, "dtype")?;
    let op: OpName = args.get(1, "op")?;
    let mut operands = Vec::new();
    for operand in args.get::<Vec<Operand>>(2, "args")? {
        operands.push(match operand {
            Operand::Value(value) => value,
            Operand::Buffer(buffer) => {
                let zeros = buffer.shape.iter().map(|extent| Expr::int(0, extent.dtype)).collect();
                args.made(Expr::address_of(&buffer, zeros))?
            }
        });
    }
    match op {
        OpName::Operator(name) => args.made(call(dtype, &name, operands)),
        OpName::Function(name) => Ok(Expr::foreign(dtype, ForeignCallee::Function(name), operands)),
    }
}

/// An argument of a call: a buffer means the address of its first element.
enum Operand {
    Value(Expr),
    Buffer(Buffer),
}

impl FromPython for Operand {
    const EXPECTED: &'static str = Expr::EXPECTED;
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        match node_of(object) {
            Some(Node::Buffer(buffer)) => Ok(Some(Self::Buffer(buffer.clone()))),
            _ => Ok(Expr::from_python(object)?.map(Self::Value)),
        }
    }
}

/// The callee of a call: the full name of an operator, or a function of the module.
enum OpName {
    Operator(Arc<str>),
    Function(Arc<str>),
}

impl FromPython for OpName {
    const EXPECTED: &'static str = "an Op, or its full name, or a GlobalVar";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Op(name)) => Some(Self::Operator(name.clone())),
            Some(Node::Relax(expr)) if let ExprKindOfGraph::GlobalVar(global) = &expr.kind => {
                Some(Self::Function(global.name.clone()))
            }
            _ => Arc::<str>::from_python(object)?.map(Self::Operator),
        })
    }
}

/// `T.name(args)` by the name of an operation whose type follows from its operands.
#[pyfunction]
pub(crate) fn call_tir_op<'py>(name: &str, operands: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = operands.py();
    let Some(operands) = Vec::<Expr>::from_python(operands)? else {
        return Err(crate::error::wrong_type(format_args!("{name}: expected scalar expressions"), operands));
    };
    let dtype = operands.first().map_or(DataType::VOID, |first| first.dtype);
    let made = call(dtype, &format!("tir.{name}"), operands).map_err(|reason| super::refused(py, name, reason))?;
    super::wrap(py, Node::Scalar(made))
}

/// A call of the operator of this full name.
fn call(dtype: DataType, op: &str, operands: Vec<Expr>) -> Result<Expr, String> {
    let short = short_name(op);
    if let Some(operator) = operator(op) {
        let [a, b] = operands.as_slice() else { return Err(format!("`{op}` takes two arguments")) };
        return Expr::binary(operator, a, b).map_err(|error| error.0);
    }
    if let Some(intrinsic) = Intrinsic::by_name(short) {
        return Expr::call(intrinsic, &operands).map_err(|error| error.0);
    }
    match (short, operands.as_slice()) {
        ("reinterpret", [value]) => return value.reinterpret(dtype).map_err(|error| error.0),
        ("address_of", [element]) if let ExprKind::Load { buffer, indices, .. } = &element.kind => {
            return Expr::address_of(buffer, indices.clone()).map_err(|error| error.0);
        }
        _ => {}
    }
    if let Some((_, callee)) = FOREIGN.iter().find(|(known, _)| *known == op) {
        let Some((ExprKind::Str(name), rest)) = operands.split_first().map(|(first, rest)| (&first.kind, rest)) else {
            return Err(format!("the first argument of `{op}` is the name of the function"));
        };
        return Ok(Expr::foreign(dtype, callee(name.clone()), rest.to_vec()));
    }
    if let Some(builtin) = Builtin::by_name(short) {
        if !builtin.takes(operands.len()) {
            return Err(format!("`{op}` does not take {} operands", operands.len()));
        }
        let types: Vec<DataType> = operands.iter().map(|operand| operand.dtype).collect();
        let result = builtin.result_type(dtype, &types);
        return Ok(Expr::foreign(result, ForeignCallee::Builtin(builtin.name.into()), operands));
    }
    Err(format!("there is no operator `{op}`"))
}

/// The name of an operator of the loop level in a script.
fn short_name(op: &str) -> &str {
    let own = LOWERED.iter().find(|(full, _)| *full == op).map(|(_, own)| *own);
    own.unwrap_or_else(|| op.strip_prefix("tir.").unwrap_or(op))
}

/// Cross-level calls: operators that are kinds of callee here.
pub(super) const SYSTEM: [&str; 10] = [
    "relax.call_tir",
    "relax.call_tir_inplace",
    "relax.call_tir_with_grad",
    "relax.call_dps_packed",
    "relax.call_pure_packed",
    "relax.call_inplace_packed",
    "relax.call_builtin_with_ctx",
    "relax.invoke_closure",
    "relax.invoke_pure_closure",
    "relax.make_closure",
];

/// Whether there is an operator of this full name.
pub(super) fn known_op(name: &str) -> bool {
    match name.split_once('.') {
        Some(("relax", short)) => SYSTEM.contains(&name) || ops::lookup(short).is_some(),
        Some(("tir", short)) => {
            Intrinsic::by_name(short).is_some()
                || operator(name).is_some()
                || FOREIGN.iter().any(|(known, _)| *known == name)
                || ["reinterpret", "address_of"].contains(&short)
                || Builtin::by_name(short).is_some()
                || LOWERED.iter().any(|(full, _)| *full == name)
        }
        _ => false,
    }
}

/// An operator by its full name, such as `relax.add`; the error lists similar ones.
#[pyfunction]
pub(crate) fn get_op<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if known_op(name) {
        return super::wrap(py, Node::Op(name.into()));
    }
    Err(crate::error::unknown_name(py, format_args!("there is no operator `{name}`")))
}

/// The full names of all operators.
#[pyfunction]
pub(crate) fn list_op_names() -> Vec<String> {
    let graph = ops::all().map(|op| format!("relax.{}", op.name));
    let loops = Intrinsic::ALL.iter().map(|intrinsic| operator_of(*intrinsic));
    let targets = Builtin::ALL.iter().map(|builtin| format!("tir.{}", builtin.name));
    let rest = SYSTEM.iter().chain(OPERATORS.iter().map(|(name, _)| name)).chain(FOREIGN.iter().map(|(name, _)| name));
    graph.chain(loops).chain(targets).chain(rest.map(|name| (*name).to_owned())).collect()
}

pub(super) fn op_field(op: &Arc<str>, name: &str) -> Option<Field> {
    let def = op.strip_prefix("relax.").and_then(ops::lookup);
    Some(match (name, def) {
        ("name", _) => Field::text(op.clone()),
        ("num_inputs", Some(def)) => Field::Int(def.args.len() as i64),
        ("num_inputs", None) => Field::Int(-1),
        ("description", Some(def)) => Field::text(def.doc),
        ("description", None) => Field::text(""),
        // Its operands and result depend on the arguments.
        ("struct_info" | "struct_info_", _) => Field::info(&StructInfo::Object),
        ("span", _) => Field::None,
        _ => return None,
    })
}
