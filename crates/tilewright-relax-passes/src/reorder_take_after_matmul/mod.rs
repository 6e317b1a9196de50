//! `ReorderTakeAfterMatmul`: takes columns of a product instead of columns of its right operand.
//!
//! ```text
//! t = take(w, indices, axis=1)            p = matmul(x, w)
//! y = matmul(x, t)                   ⇒    y = take(p, indices, axis=-1)
//! ```
//!
//! From any form to any form, in blocks without side effects, where nothing else uses what is taken and `w` is a
//! matrix, or a table of matrices of which one is taken for each of the batch (`axis=0`): then the product is with all
//! of them, and `einsum("ijik->ijk")` takes each matrix of the batch with its own. It pays where the left operand has
//! few rows and the weights are many: these are not copied, and products of the same operand may then be one
//! (`CombineParallelMatmul`). In the mode `nan` a column that is not there is no product, so such calls stay.
//! `DeadCodeElimination` removes unused bindings.

use tilewright_expr::Expr as Dim;
use tilewright_ir::IRModule;
use tilewright_ir::op::OpDef;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Expr;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs};
use tilewright_ops::indexed::take;
use tilewright_ops::linear_algebra::{einsum, matmul};
use tilewright_ops::manipulate::{permute_dims, reshape};
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
    if taken.get("axis").and_then(Attr::as_int) == Some(0) {
        return of_table(around, left, weights, indices, out_dtype(attrs), mode);
    }
    let columns = matches!(taken.get("axis").and_then(Attr::as_int), Some(1 | -1));
    if !columns || weights.struct_info.rank() != Some(2) || indices.struct_info.rank() != Some(1) {
        return None;
    }
    let product = matmul::call(&around.cx, left.clone(), weights.clone(), out_dtype(attrs)).ok()?;
    let columns = i64::try_from(product.struct_info.rank()?).ok()? - 1;
    take::call(&around.cx, product, indices.clone(), Some(columns), mode).ok()
}

/// The products with all matrices of a table, of which those are taken that the indices name: one for each matrix of
/// the batch.
fn of_table(
    around: &Around,
    left: &Expr,
    table: &Expr,
    indices: &Expr,
    out_dtype: DataType,
    mode: &str,
) -> Option<Expr> {
    let (Some([batch, rows, _]), Some([count, inner, columns]), Some([_])) =
        (left.struct_info.dims(), table.struct_info.dims(), indices.struct_info.dims())
    else {
        return None;
    };
    let cx = &around.cx;
    let shape = |dims: &[&Dim]| Expr::shape(dims.iter().map(|dim| (*dim).clone()).collect());
    let side_by_side = permute_dims::call(cx, table.clone(), Some(&[1, 0, 2])).ok()?;
    let all = cx.analyzer.simplify(&(count.clone() * columns.clone()));
    let wide = reshape::call(cx, side_by_side, shape(&[inner, &all])).ok()?;
    let product = matmul::call(cx, left.clone(), wide, out_dtype).ok()?;
    let apart = reshape::call(cx, product, shape(&[batch, rows, count, columns])).ok()?;
    let taken = take::call(cx, apart, indices.clone(), Some(2), mode).ok()?;
    einsum::call(cx, Expr::tuple(vec![taken]), "ijik->ijk").ok()
}

/// The type of the sums.
fn out_dtype(attrs: &Attrs) -> DataType {
    match attrs.get(OpDef::OUT_DTYPE) {
        Some(Attr::DType(dtype)) => *dtype,
        _ => DataType::VOID,
    }
}
