//! Requests to the reference interpreter, as lines of JSON: how the Python tests ask it for its results.
//!
//! ```json
//! {"module": "…", "calls": [{"function": "main", "args": [{"dtype": "float32", "shape": [2], "data": "base64"}]}]}
//! ```
//! The module is a text of [`json::save`](tilewright::ir::json::save). The answer has for every call the tensors of its
//! result (scalars as tensors without dimensions), or an error, and says how closely compiled code has to agree:
//!
//! ```json
//! {"agreement": "exact", "results": [{"tensors": [{"dtype": "float32", "shape": [2], "data": "base64"}]}, {"error": "…"}]}
//! ```
//! A request that cannot be read is answered by `{"error": "…"}`.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use tilewright::expr::node::walk;
use tilewright::expr::{BinOp, Expr, ExprKind};
use tilewright::ir::json::{Node, load};
use tilewright::ir::op::OpTable;
use tilewright::ir::pass::PassCx;
use tilewright::ir::tir::{Block, PrimFunc, Stmt, StmtKind};
use tilewright::relax_passes::LegalizeOps;
use tilewright::{DataType, GlobalFunc, IRModule, Tensor};
use tilewright_interp::{InterpCx, Value};

/// The answer to a request.
pub fn answer(request: &str) -> String {
    answered(request).unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn answered(request: &str) -> Result<Json, String> {
    let request: Json = serde_json::from_str(request).map_err(|error| error.to_string())?;
    let text = request["module"].as_str().ok_or("a request has a `module`")?;
    let node = load(text.as_bytes(), OpTable(tilewright::ops::lookup)).map_err(|error| error.to_string())?;
    let Node::Module(module) = node else { return Err("the text is not one of a module".to_owned()) };
    let calls = request["calls"].as_array().ok_or("a request has `calls`")?;
    let results: Vec<Json> =
        calls.iter().map(|call| result(&module, call).unwrap_or_else(|error| json!({ "error": error }))).collect();
    Ok(json!({ "agreement": agreement(&module)?, "results": results }))
}

fn result(module: &IRModule, call: &Json) -> Result<Json, String> {
    let function = call["function"].as_str().ok_or("a call has a `function`")?;
    let args = call["args"].as_array().ok_or("a call has `args`")?;
    let args = args.iter().map(|arg| tensor_of(arg).map(Value::Tensor)).collect::<Result<Vec<_>, _>>()?;
    let value = InterpCx::new(17).run_function(module, function, &args).map_err(|error| error.to_string())?;
    let mut tensors = Vec::new();
    collect(&value, &mut tensors)?;
    Ok(json!({ "tensors": tensors }))
}

fn tensor_of(json: &Json) -> Result<Tensor, String> {
    let dtype = json["dtype"].as_str().and_then(|text| text.parse::<DataType>().ok()).ok_or("unknown `dtype`")?;
    let dims = json["shape"].as_array().ok_or("a tensor has a `shape`")?;
    let shape = dims.iter().map(|dim| dim.as_i64().ok_or("a size is an integer")).collect::<Result<Vec<_>, _>>()?;
    let data = STANDARD.decode(json["data"].as_str().ok_or("a tensor has `data`")?).map_err(|e| e.to_string())?;
    Tensor::from_bytes(dtype, &shape, &data).map_err(|error| error.to_string())
}

/// The tensors of a value, those of tuples in order.
fn collect(value: &Value, tensors: &mut Vec<Json>) -> Result<(), String> {
    match value {
        Value::Tensor(tensor) => {
            let compact = tensor.to_contiguous().map_err(|error| error.to_string())?;
            let data = STANDARD.encode(compact.as_bytes().map_err(|error| error.to_string())?);
            tensors.push(json!({ "dtype": tensor.dtype().to_string(), "shape": tensor.shape(), "data": data }));
            Ok(())
        }
        Value::Tuple(fields) => fields.iter().try_for_each(|field| collect(field, tensors)),
        Value::Scalar(scalar) => {
            let size = scalar.dtype().element_bytes();
            let bytes = scalar.bits().to_le_bytes();
            let data = STANDARD.encode(bytes.get(..size).unwrap_or(&bytes));
            tensors.push(json!({ "dtype": scalar.dtype().to_string(), "shape": [], "data": data }));
            Ok(())
        }
        other => Err(format!("expected tensors, found {}", other.describe())),
    }
}

/// How closely compiled code agrees with the interpreter: `exact`, bit for bit; `function`, each element is one
/// mathematical function of exact operands; `formula`, several of them, products that may be rounded together with the
/// sum around them, or sums whose order is that of a schedule.
fn agreement(module: &IRModule) -> Result<&'static str, String> {
    let lowered = PassCx::default()
        .run(&LegalizeOps::default(), module.clone())
        .map_err(|error| error.diagnostics.to_string())?;
    let functions: Vec<Arc<PrimFunc>> = lowered.iter().filter_map(|(_, f)| prim_of(f)).collect();
    let inexact = |expr: &Expr| count(expr, &is_latitude) > 0;
    let mut worst = "exact";
    for function in &functions {
        let (mut stores, mut all_exact, mut alone) = (0, true, true);
        walk(&**function, |stmt: &Stmt| match &stmt.kind {
            StmtKind::Store { value, .. } => {
                stores += 1;
                all_exact &= !inexact(value);
                alone &= is_one_function(value);
            }
            StmtKind::Block { block, .. } if is_sum(block) => (all_exact, alone) = (false, false),
            _ => {}
        });
        if !all_exact {
            worst = if stores == 1 && alone && worst != "formula" { "function" } else { "formula" };
        }
    }
    Ok(worst)
}

/// Whether the block adds up or multiplies floats, in any order.
fn is_sum(block: &Block) -> bool {
    let is_part = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Store { value, .. } if value.dtype.is_float() => {
            count(value, &|e| matches!(e.kind, ExprKind::Binary(BinOp::Add | BinOp::Mul, ..))) > 0
        }
        _ => false,
    };
    let mut found = false;
    walk(&block.body, |stmt: &Stmt| found |= is_part(stmt));
    block.init.is_some() && found
}

fn prim_of(function: &GlobalFunc) -> Option<Arc<PrimFunc>> {
    match function {
        GlobalFunc::Prim(function) => Some(function.clone()),
        GlobalFunc::Relax(_) => None,
    }
}

/// Whether this is a mathematical function of operands that are exact.
fn is_one_function(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Cast(inner) => is_one_function(inner),
        ExprKind::Call { .. } => count(value, &is_latitude) == 1,
        _ => false,
    }
}

/// Whether the semantics leave the last bits of this expression's own result open.
fn is_latitude(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { intrinsic, .. } => expr.dtype.is_float() && !intrinsic.is_exact(),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            let is_product = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinOp::Mul, ..));
            expr.dtype.is_float() && (is_product(a) || is_product(b))
        }
        _ => false,
    }
}

fn count(expr: &Expr, is: &dyn Fn(&Expr) -> bool) -> usize {
    let mut found = 0;
    walk(expr, |e: &Expr| found += usize::from(is(e)));
    found
}
