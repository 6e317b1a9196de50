//! The block builder, to the letter the module that `block_builder.py` in the same folder makes.
//!
//! `cargo run -p tilewright --example block_builder` prints it.

use tilewright::expr::{Expr as Int, Intrinsic, Var as Dim};
use tilewright::ir::Attrs;
use tilewright::ir::builder::{BlockBuilder, BuildError};
use tilewright::ir::relax::{Expr, StructInfo, Var};
use tilewright::ops::{binary, linear_algebra::matmul};
use tilewright::te::{TeError, Tensor, compute, emit_te};
use tilewright::{DataType, IRModule};

/// `x / (1 + |x|)`.
fn softsign(inputs: &[Tensor]) -> Result<Vec<Tensor>, TeError> {
    let [x] = inputs else { return Err(TeError("`softsign` takes one tensor".into())) };
    let softsign = compute(x.shape(), "softsign", |i| x.at_all(i) / (x.at_all(i).intrinsic(Intrinsic::Abs) + 1.0))?;
    Ok(vec![softsign])
}

/// Parameters of one function: rows, of which there are `n`, and a matrix.
fn params() -> (Dim, Var, Var) {
    let n = Dim::new("n", DataType::I64);
    let x = Var::new("x", StructInfo::tensor(vec![Int::var(&n), Int::i64(16)], DataType::F32));
    (n, x, Var::new("w", StructInfo::tensor_of(&[16, 16], DataType::F32)))
}

/// A private function of one layer, and one that calls it twice and casts what comes out.
pub(crate) fn module() -> Result<IRModule, Box<dyn std::error::Error>> {
    let mut bb = BlockBuilder::new();

    let (_, x, w) = params();
    bb.begin_function_with("layer", vec![x.clone(), w.clone()], Attrs::new(), true);
    bb.begin_dataflow()?;
    let product = matmul::call(bb.infer_cx(), Expr::var(&x), Expr::var(&w), DataType::VOID)?;
    let product = bb.emit(&product)?;
    let sum = binary::add::call(bb.infer_cx(), Expr::var(&product), Expr::var(&x))?;
    let out = bb.emit_output(&sum)?;
    bb.end_dataflow()?;
    let layer = Expr::global(&bb.emit_func_output(&Expr::var(&out))?);

    let (n, x, w) = params();
    bb.begin_function("main", vec![x.clone(), w.clone()]);
    bb.begin_dataflow()?;
    let call = |bb: &mut BlockBuilder, x: &Var| -> Result<Var, BuildError> {
        let call = Expr::call_value(bb.infer_cx(), layer.clone(), vec![Expr::var(x), Expr::var(&w)])?;
        bb.emit(&call)
    };
    let once = call(&mut bb, &x)?;
    let first = emit_te(&mut bb, "softsign", &[Expr::var(&once)], softsign)?;
    let second = call(&mut bb, &first)?;
    let pair = Expr::var(&bb.emit(&Expr::tuple(vec![Expr::var(&first), Expr::var(&second)]))?);
    let (a, b) = (Expr::tuple_get(pair.clone(), 1)?, Expr::tuple_get(pair, 0)?);
    let difference = binary::subtract::call(bb.infer_cx(), a, b)?;
    let out = bb.emit_output(&difference)?;
    bb.end_dataflow()?;
    let four = bb.emit_match_cast(&Expr::var(&out), StructInfo::tensor_of(&[4, 16], DataType::F32))?;
    bb.emit_func_output(&Expr::tuple(vec![Expr::var(&four), Expr::shape(vec![Int::var(&n), Int::i64(16)])]))?;
    Ok(bb.finalize()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", tilewright::print_module(&module()?));
    Ok(())
}
