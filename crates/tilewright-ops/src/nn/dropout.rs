//! Dropout, as inference has it.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties, Purpose};
use tilewright_ir::relax::{self, StructInfo};
use tilewright_te::{compute, legalize, topi};
use tilewright_tensor::DataType;

use crate::create::ones_like;
use crate::elementwise::{block_name, check_loops, float};

op! {
    /// The tuple of the tensor as it is and a mask of ones: nothing is dropped when a model is run.
    "nn.dropout" {
        args: { data: Tensor, "The input tensor."; }
        attrs: { rate: Float = AttrDefault::Float(0.5), "The share of elements that training drops."; }
        infer: |cx, call| {
            let (shape, dtype) = call.tensor(0)?;
            check_loops(cx, call, 0, dtype, float)?;
            Ok(StructInfo::Tuple(vec![StructInfo::tensor_with(shape.clone(), dtype); 2]))
        },
        legalize: Legalize::PrimFunc(|call| {
            legalize(call, |inputs| {
                let [x] = inputs else { return Ok(Vec::new()) };
                let name = block_name(call);
                let mask = compute(x.shape(), &format!("{name}_mask"), |_| Expr::number(1, x.dtype()).into())?;
                Ok(vec![topi::elementwise(x, &name, |x| x)?, mask])
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        decompose: |cx, call, purpose| match (call.args, purpose) {
            ([x], Purpose::Run) => {
                let mask = ones_like::call(cx, x.clone(), DataType::VOID)?;
                Ok(Some(relax::Expr::tuple(vec![x.clone(), mask])))
            }
            _ => Ok(None),
        },
    }
}
