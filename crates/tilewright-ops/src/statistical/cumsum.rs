//! Sums of all elements up to each.

use tilewright_expr::BinOp;
use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_tensor::DataType;

use super::scan::{infer_scan, legalize_scan};

op! {
    /// The sum of all elements up to each along a dimension. Of float16 and bfloat16 it is worked out in float32.
    "cumsum" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInt = AttrDefault::None, "The dimension; `None`: that of the flattened tensor.";
            dtype: DType = AttrDefault::DType(DataType::VOID), "The data type of the result; `void`: that of `data`.";
            exclusive: Bool = AttrDefault::Bool(false), "Whether each element stays out of its own result.";
        }
        infer: infer_scan,
        legalize: Legalize::PrimFunc(|call| legalize_scan(call, BinOp::Add, 0)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
