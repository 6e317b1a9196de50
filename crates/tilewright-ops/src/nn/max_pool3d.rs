//! The largest elements of windows over three spatial dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use super::pooling::{MAX, infer, legalize};

op! {
    /// The largest elements of windows of the data, over three spatial dimensions.
    ///
    /// NaN is larger than any other element, and a border smaller.
    "nn.max_pool3d" {
        args: { data: Tensor, "The data."; }
        attrs: {
            pool_size: Each(3) = AttrDefault::Int(1), "The number of the window's elements.";
            strides: Each(3) = AttrDefault::Int(1), "The steps of the window.";
            padding: Sides(3) = AttrDefault::Int(0), "The widths of the border: before, then behind.";
            dilation: Each(3) = AttrDefault::Int(1), "The distances of the window's elements.";
            ceil_mode: Bool = AttrDefault::Bool(false),
                "Whether a window may reach out behind the border, if it begins before.";
            count_include_pad: Bool = AttrDefault::Bool(false), "It has no meaning for the largest element.";
            layout: Str = AttrDefault::Str("NCDHW"), "The order of the data's dimensions.";
            out_layout: Str = AttrDefault::Of("layout"), "The order of the result's dimensions.";
        }
        infer: |cx, call| infer(cx, call, 3, MAX),
        legalize: Legalize::PrimFunc(|call| legalize(call, 3, MAX)),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        layouts: Layouts::Named { operands: &["layout"], result: "out_layout" },
    }
}
