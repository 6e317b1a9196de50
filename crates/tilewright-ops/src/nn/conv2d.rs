//! Convolution over two spatial dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};
use tilewright_tensor::DataType;

use super::convolution::{Direction, infer, legalize};

op! {
    /// Sums of products of a kernel and of windows of the data, over two spatial dimensions.
    ///
    /// `result[n, f, y, x]` is the sum over `c`, `r`, `s` of
    /// `data[n, c, y * strides[0] + r * dilation[0] - padding[0], x * strides[1] + s * dilation[1] - padding[1]]` times
    /// `weight[f, c, r, s]`; outside of its bounds the data is 0. With groups, the channels of the data and of the result are divided
    /// evenly, and those of a group depend on each other only. Sums of float16 are worked out in float32.
    "nn.conv2d" {
        args: {
            data: Tensor, "The data.";
            weight: Tensor, "The kernel.";
        }
        attrs: {
            strides: Each(2) = AttrDefault::Int(1), "The steps of the window.";
            padding: Sides(2) = AttrDefault::Int(0), "The widths of the border of zeros: before, then behind.";
            dilation: Each(2) = AttrDefault::Int(1), "The distances of the window's elements.";
            groups: Int = AttrDefault::Int(1), "The number of groups, which divides that of the channels.";
            data_layout: Str = AttrDefault::Str("NCHW"), "The order of the data's dimensions.";
            kernel_layout: Str = AttrDefault::Str("OIHW"), "The order of the kernel's dimensions.";
            out_layout: Str = AttrDefault::Of("data_layout"), "The order of the result's dimensions.";
            out_dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of the result and of the sums; `void`: that of the operands.";
        }
        infer: |cx, call| infer(cx, call, 2, Direction::Forward),
        legalize: Legalize::PrimFunc(|call| legalize(call, 2, Direction::Forward)),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        layouts: Layouts::Named { operands: &["data_layout", "kernel_layout"], result: "out_layout" },
    }
}
