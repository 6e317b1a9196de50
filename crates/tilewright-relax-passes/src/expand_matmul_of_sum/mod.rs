//! `ExpandMatmulOfSum`: distributes a product over a sum of its right operand.
//!
//! ```text
//! s = add(a, b)              p = matmul(x, a)
//! y = matmul(x, s)      ⇒    q = matmul(x, b)
//!                            y = add(p, q)
//! ```
//!
//! From any form to any form, in blocks without side effects. The right operand is a sum of two tensors of its own
//! shape, permuted or not, that nothing else uses: a weight and its low-rank adapter (LoRA), the second a product of
//! small matrices, which `AdjustMatmulOrder` then multiplies from the left. Sums of integers are computed in their own
//! type, so products of a wider type stay. The rounding of floats changes.

use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Expr;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, IRModule};
use tilewright_ops::binary::add;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::permute_dims;
use tilewright_tensor::DataType;

use crate::calls_in_dataflow::{Around, called, with_rule};

/// Multiplies with the terms of a sum.
#[derive(Clone, Copy, Debug)]
pub struct ExpandMatmulOfSum;

const NAME: &str = "ExpandMatmulOfSum";

impl Pass for ExpandMatmulOfSum {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        with_rule(NAME, &module, expanded)
    }
}

fn expanded(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &matmul::OP)?;
    let [x, right] = args else { return None };
    let Some(Attr::DType(out_dtype)) = attrs.get("out_dtype") else { return None };
    let permuted = around.called_once(right, &permute_dims::OP);
    let sum = permuted.and_then(|(args, _)| args.first()).unwrap_or(right);
    let (terms, _) = around.called_once(sum, &add::OP)?;
    // A sum of narrow integers wraps before it is multiplied; wider products would not.
    let wraps =
        sum.struct_info.dtype().is_none_or(|dtype| !dtype.is_float() && ![dtype, DataType::VOID].contains(out_dtype));
    if wraps {
        return None;
    }
    let product = |term: &Expr| {
        if !term.struct_info.equal(&sum.struct_info) {
            return None;
        }
        let term = match permuted.map(|(_, attrs)| attrs.get("axes").and_then(Attr::as_ints)) {
            Some(axes) => permute_dims::call(&around.cx, term.clone(), axes.as_deref()).ok()?,
            None => term.clone(),
        };
        matmul::call(&around.cx, x.clone(), term, *out_dtype).ok()
    };
    let [a, b] = terms else { return None };
    add::call(&around.cx, product(a)?, product(b)?).ok()
}
