//! Products of all elements up to each.

use tilewright_expr::BinOp;
use tilewright_ir::legalize::Candidate;
use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_te::algorithms::scan;
use tilewright_tensor::DataType;

use super::scan::{Combine, infer_scan, legalize_scan};

const PRODUCT: Combine = Combine { op: BinOp::Mul, identity: 1 };

op! {
    /// The product of all elements up to each along a dimension. Of float16 and bfloat16 it is worked out in float32.
    "cumprod" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInt = AttrDefault::None, "The dimension; `None`: that of the flattened tensor.";
            dtype: DType = AttrDefault::DType(DataType::VOID), "The data type of the result; `void`: that of `data`.";
            exclusive: Bool = AttrDefault::Bool(false), "Whether each element stays out of its own result.";
        }
        infer: infer_scan,
        legalize: Legalize::FirstOf(&[
            Candidate::for_those_with(scan::VECTORS, |cx, call| legalize_scan(cx, call, PRODUCT, scan::vectorized)),
            Candidate::for_any(|cx, call| legalize_scan(cx, call, PRODUCT, scan::sequential)),
        ]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
