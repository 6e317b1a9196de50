//! One function applied to whole buffers, lowered and compiled as any program is.

use std::sync::Arc;

use tilewright_build::build;
use tilewright_ir::tir::{Buffer, Expr, ForKind, Intrinsic, Param, PrimFunc, Stmt, Var, attr_names};
use tilewright_ir::verify::{Form, Verified};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_runtime::{Executable, VirtualMachine};
use tilewright_target::Target;
use tilewright_tensor::DataType;

/// `out[i] = f(a[i], …)` for so many elements, the loop vectorised.
pub(crate) fn elementwise(symbol: &str, intrinsic: Intrinsic, dtype: DataType, elements: i64) -> PrimFunc {
    let buffer = |name: &str, dtype| Buffer::new(name, vec![Expr::i64(elements)], dtype);
    let inputs: Vec<Buffer> = ["a", "b", "c"][..intrinsic.arity()].iter().map(|name| buffer(name, dtype)).collect();
    let i = Var::new("i", DataType::I64);
    let load = |buffer| Expr::load(buffer, vec![Expr::var(&i)]).unwrap();
    let value = Expr::call(intrinsic, &inputs.iter().map(load).collect::<Vec<_>>()).unwrap();
    let out = buffer("out", value.dtype);
    let store = Stmt::store(&out, vec![Expr::var(&i)], &value).unwrap();
    let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(elements), ForKind::Vectorized, store);
    let params = inputs.iter().chain([&out]).map(Param::buffer).collect();
    let attrs = Attrs::from([
        (attr_names::GLOBAL_SYMBOL.into(), Attr::str(symbol)),
        (attr_names::NOALIAS.into(), Attr::Bool(true)),
    ]);
    PrimFunc { params, attrs, body, origins: Default::default() }
}

/// A machine with these functions, by their symbols.
pub(crate) fn machine(functions: impl IntoIterator<Item = PrimFunc>, target: &Target) -> VirtualMachine {
    let mut module = IRModule::new();
    for function in functions {
        let name = function.global_symbol().unwrap().to_owned();
        module.insert(name, function);
    }
    let module = Verified::new(module, Form::MachineReady).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let bytes = build(&module, target).unwrap_or_else(|e| panic!("{}", e.render(false)));
    VirtualMachine::new(Arc::new(Executable::load(bytes).unwrap()), &[]).unwrap()
}
