//! Tensor expressions, to the letter the functions that `tensor_expressions.py` in the same folder makes.
//!
//! `cargo run -p tilewright --example tensor_expressions` prints them.

use tilewright::expr::{Expr, Var};
use tilewright::ir::Attr;
use tilewright::te::{
    CommReducer, TeError, Value, compute_many, compute_nd, create_prim_func, placeholder, reduce_axis, sum,
};
use tilewright::{DataType, IRModule};

type PrimFunc = tilewright::ir::tir::PrimFunc;

/// `relu(x @ w.T + b)` for any number of rows.
fn dense() -> Result<PrimFunc, TeError> {
    let n = Expr::var(&Var::new("n", DataType::I64));
    let x = placeholder(&[n.clone(), Expr::i64(64)], DataType::F32, "x");
    let (w, b) = (
        placeholder(&[Expr::i32(32), Expr::i32(64)], DataType::F32, "w"),
        placeholder(&[Expr::i32(32)], DataType::F32, "b"),
    );
    let k = reduce_axis(Expr::i32(0), Expr::i32(64), "k");
    let shape = [n, Expr::i64(32)];
    let product =
        compute_nd(shape.clone(), "product", ["i", "j"], |[i, j]| sum(x.at(&[&i, &k]) * w.at(&[&j, &k]), &[&k]))?;
    let result = compute_nd(shape, "result", ["i", "j"], |[i, j]| (product.at(&[&i, &j]) + b.at(&[&j])).max(0))?;
    create_prim_func(&[x, w, b, result])
}

/// The index and the value of the greatest element of each row.
fn argmax() -> Result<PrimFunc, TeError> {
    let greater = |a: &[Value], b: &[Value]| {
        let earlier = a[1].equals(&b[1]).and(a[0].lt(&b[0]));
        let first = a[1].gt(&b[1]).or(earlier);
        vec![first.select(&a[0], &b[0]), first.select(&a[1], &b[1])]
    };
    let identity = vec![Expr::i32(-1), Expr::float(f64::from(f32::MIN), DataType::F32)];
    let reducer = CommReducer::combining(&[DataType::I32, DataType::F32], greater, identity)?;
    let x = placeholder(&[Expr::i32(8), Expr::i32(16)], DataType::F32, "x");
    let k = reduce_axis(Expr::i32(0), Expr::i32(16), "k");
    let greatest = compute_many(&[Expr::i32(8)], "greatest", &["i"], |i| {
        reducer.over(&[Value::clone(&k), x.at(&[&i[0], &k])], &[&k])
    })?;
    create_prim_func(&[&[x], &*greatest].concat())
}

/// Both functions.
pub(crate) fn module() -> Result<IRModule, TeError> {
    let mut module = IRModule::new();
    for (name, mut function) in [("dense", dense()?), ("argmax", argmax()?)] {
        function.attrs.insert("global_symbol".into(), Attr::str(name));
        module.insert(name, function);
    }
    Ok(module)
}

fn main() -> Result<(), TeError> {
    println!("{}", tilewright::print_module(&module()?));
    Ok(())
}
