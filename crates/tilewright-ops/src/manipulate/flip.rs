//! A dimension read backwards.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};
use tilewright_te::{Value, compute, legalize};

use crate::elementwise::block_name;
use crate::shapes::infer_axis_kept;
use crate::{attributes, shapes};

op! {
    /// The elements along a dimension in the reverse order.
    "flip" {
        args: { data: Tensor, "The input tensor."; }
        attrs: { axis: Int = AttrDefault::Required, "The dimension; negative numbers count from the end."; }
        infer: infer_axis_kept,
        legalize: Legalize::PrimFunc(|call| {
            let axis = attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?;
            legalize(call, |inputs| {
                let flipped = |x: &tilewright_te::Tensor| {
                    let last = Value::from(&x.shape()[axis] - &Expr::int(1, x.shape()[axis].dtype));
                    compute(x.shape(), &block_name(call), |i| {
                        let mut indices = i.to_vec();
                        indices[axis] = &last - &i[axis];
                        x.at_all(&indices)
                    })
                };
                inputs.iter().map(flipped).collect()
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        layouts: Layouts::Numbered(&["axis"]),
    }
}
