//! `AdjustMatmulOrder`: of a product of three matrices the cheaper order is computed.
//!
//! ```text
//! w = matmul(a, b)             t = matmul(x, a)
//! y = matmul(x, w)        ⇒    y = matmul(t, b)      # where a is 4096 x 8, b is 8 x 4096 and x has 1 row
//! ```
//!
//! From any form to any form, in dataflow blocks. Either order becomes the other one where that takes fewer
//! multiplications and nothing else uses the inner product. The matrices have two dimensions, but for the left one,
//! which may be a batch of them; all sizes are numbers. The rounding of floats changes.

use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Expr;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::linear_algebra::matmul;
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
    if let Some(([a, b], inner)) = around.called_once(right, &matmul::OP) {
        let cost = Cost::of(left, a, b)?;
        if own_type(attrs) && own_type(inner) && cost.from_left < cost.from_right {
            return product(around, product(around, left.clone(), a)?, b);
        }
    }
    if let Some(([x, a], inner)) = around.called_once(left, &matmul::OP) {
        let cost = Cost::of(x, a, right)?;
        if own_type(attrs) && own_type(inner) && cost.from_right < cost.from_left {
            return product(around, x.clone(), &product(around, a.clone(), right)?);
        }
    }
    None
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
    /// `(x a) b`
    from_left: i128,
    /// `x (a b)`
    from_right: i128,
}

impl Cost {
    fn of(x: &Expr, a: &Expr, b: &Expr) -> Option<Self> {
        let sizes = |matrix: &Expr| {
            let dims = matrix.struct_info.dims()?.iter().map(|dim| dim.as_int().map(i128::from));
            dims.collect::<Option<Vec<i128>>>()
        };
        let (x, a, b) = (sizes(x)?, sizes(a)?, sizes(b)?);
        let ([batch @ .., _], [k, n], [_, p]) = (&x[..], &a[..], &b[..]) else { return None };
        let rows = batch.iter().try_fold(1_i128, |rows, size| rows.checked_mul(*size))?;
        let cost = |first: i128, second: i128| first.checked_add(second);
        let times = |sizes: [i128; 3]| sizes[0].checked_mul(sizes[1])?.checked_mul(sizes[2]);
        Some(Self {
            from_left: cost(times([rows, *k, *n])?, times([rows, *n, *p])?)?,
            from_right: cost(times([*k, *n, *p])?, times([rows, *k, *p])?)?,
        })
    }
}
