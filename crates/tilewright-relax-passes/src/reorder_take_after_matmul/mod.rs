//! `ReorderTakeAfterMatmul`: takes columns of a product instead of columns of its right operand.
//!
//! ```text
//! t = take(w, indices, axis=1)            p = matmul(x, w)
//! y = matmul(x, t)                   ⇒    y = take(p, indices, axis=-1)
//! ```
//!
//! From any form to any form, in dataflow blocks, where nothing else uses what is taken and `w` is a matrix. It pays
//! where the left operand has few rows and the weights are many: these are not copied, and products of the same operand
//! may then be one (`CombineParallelMatmul`). In the mode `nan` a column that is not there is no product, so such calls
//! stay. `DeadCodeElimination` removes unused bindings.

use tilewright_ir::IRModule;
use tilewright_ir::op::OpDef;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Expr;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs};
use tilewright_ops::indexed::take;
use tilewright_ops::linear_algebra::matmul;
use tilewright_tensor::DataType;

use crate::calls_in_dataflow::{Around, called, with_rule};

/// Takes columns of products.
#[derive(Clone, Copy, Debug)]
pub struct ReorderTakeAfterMatmul;

const NAME: &str = "ReorderTakeAfterMatmul";

impl Pass for ReorderTakeAfterMatmul {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        with_rule(NAME, &module, taken_last)
    }
}

fn taken_last(around: &Around, value: &Expr) -> Option<Expr> {
    let ([left, right], attrs) = called(value, &matmul::OP)? else { return None };
    let ([weights, indices], taken) = around.called_once(right, &take::OP)? else { return None };
    let mode = taken.get("mode").and_then(Attr::as_str).filter(|mode| *mode != "nan")?;
    let columns = matches!(taken.get("axis").and_then(Attr::as_int), Some(1 | -1));
    if !columns || weights.struct_info.rank() != Some(2) || indices.struct_info.rank() != Some(1) {
        return None;
    }
    let product = matmul::call(&around.cx, left.clone(), weights.clone(), out_dtype(attrs)).ok()?;
    let columns = i64::try_from(product.struct_info.rank()?).ok()? - 1;
    take::call(&around.cx, product, indices.clone(), Some(columns), mode).ok()
}

/// The type of the sums.
fn out_dtype(attrs: &Attrs) -> DataType {
    match attrs.get(OpDef::OUT_DTYPE) {
        Some(Attr::DType(dtype)) => *dtype,
        _ => DataType::VOID,
    }
}
