//! The pattern language on scripts: matches, replacements, and unchanged meaning.
//!
//! The interpreter runs each module before and after. Integers are compared exactly, floats bit for bit but for NaN.

mod calls;
mod fusion;
mod graphs;
mod random;

use tilewright_interp::{InterpCx, Value};
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{Callee, Expr, ExprKind, Function, Var};
use tilewright_ir::verify::{Form, verify};
use tilewright_ir::{Attrs, IRModule};
use tilewright_relax_passes::pattern::{CallRewriter, Pattern, rewrite_call};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;
use tilewright_tensor::Tensor;

/// The module whose `main` has this text after `def main`.
pub(crate) fn module(main: &str) -> IRModule {
    parsed(&format!("@R.function\n    def main{main}"))
}

/// As [`module`], with a `main` that may have effects.
pub(crate) fn impure_module(main: &str) -> IRModule {
    parsed(&format!("@R.function(pure=False)\n    def main{main}"))
}

/// The module with these functions, the first of them without indentation.
pub(crate) fn parsed(main: &str) -> IRModule {
    let text = format!("@I.ir_module\nclass Module:\n    {main}\n");
    parse_module(&SourceFile::new("pattern.py", text), &NoHost).unwrap_or_else(|errors| panic!("{errors}"))
}

pub(crate) fn main_of(module: &IRModule) -> Function {
    (**module.relax("main").unwrap()).clone()
}

pub(crate) fn with_main(module: &IRModule, main: Function) -> IRModule {
    let mut module = module.clone();
    module.insert("main", main);
    if let Err(faults) = verify(&module, Form::Any) {
        panic!("{faults}");
    }
    module
}

/// The module with every expression of `main` rewritten that fits; `None` if none does.
pub(crate) fn rewritten(module: &IRModule, pattern: &Pattern, rewriter: &mut CallRewriter<'_>) -> Option<IRModule> {
    let mut bb = BlockBuilder::with_module(module.clone());
    let main = rewrite_call(&mut bb, pattern, rewriter, &main_of(module)).unwrap();
    main.map(|main| with_main(module, main))
}

pub(crate) fn op(name: &str, args: &[&Expr]) -> Expr {
    let op = tilewright_ops::lookup(name).unwrap();
    Expr::call_op(&InferCx::default(), op, args.iter().map(|arg| (*arg).clone()).collect(), Attrs::new()).unwrap()
}

/// A call of the operator with these arguments.
pub(crate) fn call(name: &str, args: &[&Pattern]) -> Pattern {
    Pattern::op(name).unwrap().call(args.iter().map(|arg| (*arg).clone()).collect())
}

/// The operators that `main` calls, in order.
pub(crate) fn ops(module: &IRModule) -> Vec<&'static str> {
    let mut found = Vec::new();
    tilewright_ir::analysis::vars::each_binding(&main_of(module).body, &mut |binding| {
        if let ExprKind::Call { callee: Callee::Op(op), .. } = &tilewright_ir::analysis::vars::value_of(binding).kind {
            found.push(op.name);
        }
    });
    found
}

pub(crate) fn run(module: &IRModule, args: &[Tensor]) -> Value {
    let args: Vec<Value> = args.iter().cloned().map(Value::Tensor).collect();
    InterpCx::new(3).run_function(module, "main", &args).unwrap()
}

/// Asserts that both modules compute the same of these arguments.
pub(crate) fn means_the_same(before: &IRModule, after: &IRModule, args: &[Tensor]) {
    same_value(&run(before, args), &run(after, args));
}

fn same_value(a: &Value, b: &Value) {
    match (a, b) {
        (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => a.iter().zip(b).for_each(|(a, b)| same_value(a, b)),
        (Value::Tensor(a), Value::Tensor(b)) => match (a.to_vec::<f32>(), b.to_vec::<f32>()) {
            (Ok(x), Ok(y)) => {
                let bits = |v: &f32| if v.is_nan() { u32::MAX } else { v.to_bits() };
                assert_eq!(a.shape(), b.shape());
                assert_eq!(x.iter().map(bits).collect::<Vec<_>>(), y.iter().map(bits).collect::<Vec<_>>());
            }
            _ => assert_eq!((a.shape(), a.to_vec::<i32>().unwrap()), (b.shape(), b.to_vec::<i32>().unwrap())),
        },
        _ => panic!("{} is not {}", a.describe(), b.describe()),
    }
}

/// Awkward floats first, then ones from a simple generator.
pub(crate) fn floats(shape: &[i64], seed: u32) -> Tensor {
    let special = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, -1.5];
    let mut state = seed.wrapping_add(1);
    let values = (0..shape.iter().product::<i64>() as usize).map(|i| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let any = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
        special.get(i.wrapping_add(seed as usize) % 16).copied().unwrap_or(any)
    });
    Tensor::from_vec(shape, values.collect::<Vec<_>>()).unwrap()
}

/// Integers of all sizes.
pub(crate) fn integers(shape: &[i64], seed: u32) -> Tensor {
    let mut state = seed.wrapping_add(7);
    let values = (0..shape.iter().product::<i64>()).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state as i32
    });
    Tensor::from_vec(shape, values.collect::<Vec<_>>()).unwrap()
}

/// The variable of `main` of this name.
pub(crate) fn var(module: &IRModule, name: &str) -> Var {
    tilewright_ir::analysis::all_vars(&main_of(module)).into_iter().find(|var| &*var.name == name).unwrap()
}
