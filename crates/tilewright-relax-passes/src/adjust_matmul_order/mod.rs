//! `AdjustMatmulOrder`: of a product of three matrices the cheaper order is computed.
//!
//! ```text
//! w = matmul(a, b)             t = matmul(x, a)
//! y = matmul(x, w)        ⇒    y = matmul(t, b)      # where a is 4096 x 8, b is 8 x 4096 and x has 1 row
//! ```
//!
//! From any form to any form, in blocks without side effects. Either order becomes the other one where that takes fewer
//! multiplications, whatever symbolic sizes are, and nothing else uses the inner product, which may be transposed. The
//! matrices have two dimensions, but for the left one, which may be a batch of them. The rounding of floats changes.

use tilewright_expr::{CmpOp, Expr as Dim};
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Expr;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::permute_dims;
use tilewright_ops::shapes::of_sizes;
use tilewright_tensor::DataType;

use crate::calls_in_dataflow::{Around, called, with_rule};

/// Multiplies in the cheaper order.
#[derive(Clone, Copy, Debug)]
pub struct AdjustMatmulOrder;

const NAME: &str = "AdjustMatmulOrder";

impl Pass for AdjustMatmulOrder {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        with_rule(NAME, &module, cheaper)
    }
}

fn cheaper(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &matmul::OP)?;
    let [left, right] = args else { return None };
    if !own_type(attrs) {
        return None;
    }
    if let Some((a, b)) = factors(around, right)
        && let Some(cost) = Cost::of(left, &a, &b)
        && cost.left_order_is_cheaper()
    {
        return product(around, product(around, left.clone(), &a)?, &b);
    }
    if let Some((x, a)) = factors(around, left)
        && let Some(cost) = Cost::of(&x, &a, right)
        && cost.right_order_is_cheaper()
    {
        return product(around, x, &product(around, a, right)?);
    }
    None
}

/// The factors of an operand that is a product, or of a transposed product those of its transpose.
fn factors(around: &Around, operand: &Expr) -> Option<(Expr, Expr)> {
    if let Some(([a, b], attrs)) = around.called_once(operand, &matmul::OP) {
        return own_type(attrs).then(|| (a.clone(), b.clone()));
    }
    let ([inner], attrs) = around.called_once(operand, &permute_dims::OP)? else { return None };
    let ([a, b], of_product) = around.called_once(inner, &matmul::OP)? else { return None };
    let exchanged = attrs.get("axes").and_then(Attr::as_ints).is_none_or(|axes| matches!(axes[..], [1 | -1, 0 | -2]));
    let matrices = [a, b].iter().all(|operand| operand.struct_info.rank() == Some(2));
    let transposed = |operand: &Expr| permute_dims::call(&around.cx, operand.clone(), None).ok();
    if own_type(of_product) && exchanged && matrices { Some((transposed(b)?, transposed(a)?)) } else { None }
}

/// Whether the product has the type of its operands.
fn own_type(attrs: &Attrs) -> bool {
    matches!(attrs.get("out_dtype"), Some(Attr::DType(dtype)) if dtype.is_void())
}

fn product(around: &Around, a: Expr, b: &Expr) -> Option<Expr> {
    matmul::call(&around.cx, a, b.clone(), DataType::VOID).ok()
}

/// The number of multiplications of each order.
struct Cost {
    cx: InferCx,
    /// `(x a) b`
    from_left: Dim,
    /// `x (a b)`
    from_right: Dim,
}

impl Cost {
    fn of(x: &Expr, a: &Expr, b: &Expr) -> Option<Self> {
        let sizes = |matrix: &Expr| matrix.struct_info.dims().map(<[Dim]>::to_vec);
        let (x, a, b) = (sizes(x)?, sizes(a)?, sizes(b)?);
        let ([batch @ .., _], [k, n], [_, p]) = (&x[..], &a[..], &b[..]) else { return None };
        let all = [&x[..], &a, &b].concat();
        // The products of large sizes do not overflow.
        let bits = |dim: &Dim| dim.as_int().map_or(0.0, |size| (size.max(1) as f64).log2());
        if all.iter().map(bits).sum::<f64>() > 60.0 {
            return None;
        }
        let cx = of_sizes(&InferCx::default(), &all);
        let rows = batch.iter().fold(Dim::i64(1), |rows, size| rows * size.clone());
        let times = |sizes: [&Dim; 3]| sizes[0].clone() * sizes[1].clone() * sizes[2].clone();
        let from_left = times([&rows, k, n]) + times([&rows, n, p]);
        let from_right = times([k, n, p]) + times([&rows, k, p]);
        Some(Self { cx, from_left, from_right })
    }

    fn left_order_is_cheaper(&self) -> bool {
        self.is_less(&self.from_left, &self.from_right)
    }

    fn right_order_is_cheaper(&self) -> bool {
        self.is_less(&self.from_right, &self.from_left)
    }

    fn is_less(&self, a: &Dim, b: &Dim) -> bool {
        let difference = self.cx.analyzer.simplify(&(a.clone() - b.clone()));
        let less = Dim::compare(CmpOp::Lt, &difference, &Dim::int(0, difference.dtype));
        less.is_ok_and(|less| self.cx.analyzer.prove(&less))
    }
}
