//! The builder and the analyses of `tilewright-ir` on scripts, judged by the verifier and the interpreter.

mod building;
mod dataflow;
mod editing;
mod graphs;
mod infos;
mod loops;

use tilewright_interp::{InterpCx, Value};
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{Expr, Function, Var};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::{Form, verify};
use tilewright_ir::{Attrs, IRModule};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;
use tilewright_tensor::Tensor;

/// The module with these members.
pub(crate) fn module(members: &str) -> IRModule {
    let text = format!("@I.ir_module\nclass Module:\n{members}\n");
    parse_module(&SourceFile::new("tools.py", text), &NoHost).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The module without functions that are ill-formed.
pub(crate) fn checked(module: IRModule) -> IRModule {
    if let Err(faults) = verify(&module, Form::Any) {
        panic!("{faults}");
    }
    module
}

pub(crate) fn relax(module: &IRModule, name: &str) -> Function {
    (**module.relax(name).unwrap()).clone()
}

pub(crate) fn prim(module: &IRModule, name: &str) -> PrimFunc {
    (**module.prim(name).unwrap()).clone()
}

pub(crate) fn op(name: &str, args: &[&Expr]) -> Expr {
    let op = tilewright_ops::lookup(name).unwrap();
    Expr::call_op(&InferCx::default(), op, args.iter().map(|arg| (*arg).clone()).collect(), Attrs::new()).unwrap()
}

pub(crate) fn names<'v>(vars: impl IntoIterator<Item = &'v Var>) -> Vec<String> {
    vars.into_iter().map(|var| var.name.to_string()).collect()
}

pub(crate) fn run(module: &IRModule, name: &str, args: &[Tensor]) -> Vec<f32> {
    let args: Vec<Value> = args.iter().cloned().map(Value::Tensor).collect();
    let cx = InterpCx::new(3).with_packed("note", |args| Ok(args[0].clone()));
    cx.run_function(module, name, &args).unwrap().as_tensor().unwrap().to_vec().unwrap()
}

pub(crate) fn floats(values: &[f32]) -> Tensor {
    Tensor::from_vec(&[values.len() as i64], values.to_vec()).unwrap()
}
