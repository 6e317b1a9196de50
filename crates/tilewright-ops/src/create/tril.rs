//! The lower triangle of matrices.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};

use super::{at_most, infer_triangle, legalize_triangle};
use crate::{attributes, gradient};

op! {
    /// The lower triangle of each matrix in the last two dimensions: elements beyond its diagonal are 0.
    "tril" {
        args: { x: Tensor, "The matrices."; }
        attrs: {
            k: Int = AttrDefault::Int(0), "The diagonal that bounds the triangle: 0 the main one, more to the right.";
        }
        infer: infer_triangle,
        legalize: Legalize::PrimFunc(|call| legalize_triangle(call, |row, column, k| at_most(column, row, k))),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "tril", "trilu",
        gradient: |cx, call, adjoint| {
            let k = attributes::int(call, "k")?;
            gradient::unary(cx, call, adjoint, |g, _, _| g.map(|cx, g| self::call(cx, g, k)))
        },
    }
}
