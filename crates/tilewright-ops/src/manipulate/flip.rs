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
                    let (extent, dtype) = (x.shape()[axis].clone(), x.shape()[axis].dtype);
                    compute(x.shape(), &block_name(call), |i| {
                        let mut indices = i.to_vec();
                        indices[axis] = match extent.as_int() {
                            Some(extent) => Value::from(Expr::int(extent - 1, dtype)) - &i[axis],
                            None => Value::from(extent.clone()) - &i[axis] - 1,
                        };
                        x.at_all(&indices)
                    })
                };
                inputs.iter().map(flipped).collect()
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "flip", "T_reverse_sequence",
        layouts: Layouts::Numbered(&["axis"]),
    }
}
