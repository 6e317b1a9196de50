//! Transposed convolution over one spatial dimension.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};
use tilewright_tensor::DataType;

use super::convolution::{Direction, infer, legalize};

op! {
    /// What goes back from the result of a convolution over one spatial dimension to its data, as `torch.conv_transpose1d`.
    ///
    /// Each element of the data times the kernel is added to the result where the window of that convolution lay.
    "nn.conv1d_transpose" {
        args: {
            data: Tensor, "The data.";
            weight: Tensor, "The kernel: its first axis is that of the data's channels.";
        }
        attrs: {
            strides: Each(1) = AttrDefault::Int(1), "The steps of the window over the result.";
            padding: Sides(1) = AttrDefault::Int(0), "What is cut from the result: before, then behind.";
            output_padding: Each(1) = AttrDefault::Int(0), "What is added behind the result.";
            dilation: Each(1) = AttrDefault::Int(1), "The distances of the window's elements.";
            groups: Int = AttrDefault::Int(1), "The number of groups, which divides that of the channels.";
            data_layout: Str = AttrDefault::Str("NCW"), "The order of the data's dimensions.";
            kernel_layout: Str = AttrDefault::Str("IOW"), "The order of the kernel's dimensions.";
            out_layout: Str = AttrDefault::Of("data_layout"), "The order of the result's dimensions.";
            out_dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of the result and of the sums; `void`: that of the operands.";
        }
        infer: |cx, call| infer(cx, call, 1, Direction::Transposed),
        legalize: Legalize::PrimFunc(|call| legalize(call, 1, Direction::Transposed)),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        layouts: Layouts::Named { operands: &["data_layout", "kernel_layout"], result: "out_layout" },
    }
}
