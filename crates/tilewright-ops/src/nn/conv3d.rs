//! Convolution over three spatial dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};
use tilewright_tensor::DataType;

use super::convolution::{Direction, infer, legalize};

op! {
    /// Sums of products of a kernel and of windows of the data, over three spatial dimensions.
    ///
    /// As `nn.conv2d`, with a window that moves along three dimensions; outside of its bounds the data is 0. With groups, the channels of the data and of the result are divided
    /// evenly, and those of a group depend on each other only. Sums of float16 are worked out in float32.
    "nn.conv3d" {
        args: {
            data: Tensor, "The data.";
            weight: Tensor, "The kernel.";
        }
        attrs: {
            strides: Each(3) = AttrDefault::Int(1), "The steps of the window.";
            padding: Sides(3) = AttrDefault::Int(0), "The widths of the border of zeros: before, then behind.";
            dilation: Each(3) = AttrDefault::Int(1), "The distances of the window's elements.";
            groups: Int = AttrDefault::Int(1), "The number of groups, which divides that of the channels.";
            data_layout: Str = AttrDefault::Str("NCDHW"), "The order of the data's dimensions.";
            kernel_layout: Str = AttrDefault::Str("OIDHW"), "The order of the kernel's dimensions.";
            out_layout: Str = AttrDefault::Of("data_layout"), "The order of the result's dimensions.";
            out_dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of the result and of the sums; `void`: that of the operands.";
        }
        infer: |cx, call| infer(cx, call, 3, Direction::Forward),
        legalize: Legalize::PrimFunc(|call| legalize(call, 3, Direction::Forward)),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        layouts: Layouts::Named { operands: &["data_layout", "kernel_layout"], result: "out_layout" },
    }
}
