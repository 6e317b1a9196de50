//! Memory instructions of the virtual machine. A storage is a tensor of bytes; tensors inside it are views, so that
//! a plan that gives live tensors the same bytes shows in the results. A tensor that is placed starts as garbage.

use std::sync::Arc;

use tilewright_expr::semantics::Scalar;
use tilewright_ir::op::MachineOp;
use tilewright_ir::relax::Expr;
use tilewright_ir::{Attr, Attrs};
use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::{DataType, Layout};

use crate::error::ErrorKind;
use crate::graph::{Graph, Scope, mismatch};
use crate::interpreter::Res;
use crate::value::Value;
use crate::{builtin, info};

pub(crate) fn eval(
    graph: &mut Graph<'_>,
    scope: &mut Scope,
    op: MachineOp,
    args: &[Expr],
    values: &[Value],
    attrs: &Attrs,
) -> Res<Value> {
    match (op, values) {
        (MachineOp::AllocTensor, [Value::Shape(shape), ..]) => Ok(Value::Tensor(graph.garbage(shape, dtype(attrs)?)?)),
        (MachineOp::AllocStorage, _) => {
            let bytes = int(graph, scope, attrs, "bytes")?;
            Ok(Value::Tensor(graph.garbage(&[bytes], DataType::U8)?))
        }
        (MachineOp::TensorInStorage, [Value::Tensor(storage), Value::Shape(shape), ..]) => {
            let offset = int(graph, scope, attrs, "offset")?;
            if offset.rem_euclid(TENSOR_ALIGN as i64) != 0 {
                let problem = format!("offset {offset} of a tensor in a storage is no multiple of {TENSOR_ALIGN}");
                return Err(ErrorKind::Unsupported(problem).into());
            }
            let layout = Layout::compact(dtype(attrs)?, shape)?;
            let kept = int(graph, scope, attrs, "bytes")?;
            if kept != 0 && layout.num_bytes() as i64 > kept {
                let needed = layout.num_bytes();
                let problem = format!("a tensor of shape {shape:?} takes {needed} bytes, but {kept} are planned");
                return Err(ErrorKind::Unsupported(problem).into());
            }
            let tensor = storage.view_as(Arc::new(layout), offset)?;
            graph.spoil(&tensor)?;
            Ok(Value::Tensor(tensor))
        }
        (MachineOp::Kill, [_]) => {
            if let Some(var) = args.first().and_then(Expr::as_var) {
                scope.values.remove(&var.id());
            }
            Ok(Value::unit())
        }
        (MachineOp::Same, [value]) => Ok(value.clone()),
        (MachineOp::Closure, [function, Value::Tuple(given)]) => {
            Ok(Value::Partial(Box::new(function.clone()), given.clone()))
        }
        (MachineOp::CallPrimFunc, [function, Value::Tuple(given)]) => {
            let mut args = given.clone();
            if let Some(Value::Shape(_)) = args.last()
                && let Some(Value::Shape(dims)) = args.pop()
            {
                args.extend(dims.into_iter().map(|dim| Value::Scalar(Scalar::from_int(dim, DataType::I64))));
            }
            graph.call_value(function.clone(), args)
        }
        (MachineOp::Builtin(builtin), _) => builtin::eval(graph, builtin, values, attrs),
        (
            MachineOp::AllocTensor
            | MachineOp::TensorInStorage
            | MachineOp::Kill
            | MachineOp::Same
            | MachineOp::Closure
            | MachineOp::CallPrimFunc,
            _,
        ) => {
            Err(mismatch(&format!("arguments of {op:?}"), "what the operator declares", &Value::Tuple(values.to_vec())))
        }
    }
}

fn dtype(attrs: &Attrs) -> Res<DataType> {
    match attrs.get("dtype") {
        Some(Attr::DType(dtype)) => Ok(*dtype),
        other => Err(ErrorKind::Unsupported(format!("attribute `dtype` is {other:?}")).into()),
    }
}

fn int(graph: &Graph<'_>, scope: &Scope, attrs: &Attrs, name: &str) -> Res<i64> {
    match attrs.get(name) {
        Some(Attr::Expr(expr)) => info::dim(graph.cx, &scope.dims, expr),
        Some(attr) if attr.as_int().is_some() => Ok(attr.as_int().unwrap_or_default()),
        other => Err(ErrorKind::Unsupported(format!("attribute `{name}` is {other:?}")).into()),
    }
}
