//! Means of as many windows as there shall be, over two spatial dimensions.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use super::pooling::{infer_adaptive, legalize_adaptive};

op! {
    /// Means of as many windows of the data as `output_size` says, over two spatial dimensions.
    ///
    /// Window `i` of `m` goes from `i * n / m`, rounded down, to `(i + 1) * n / m`, rounded up, where the data has `n`
    /// elements.
    "nn.adaptive_avg_pool2d" {
        args: { data: Tensor, "The data."; }
        attrs: {
            output_size: OptionalEach(2) = AttrDefault::None, "The numbers of windows; `None`: one for each element.";
            layout: Str = AttrDefault::Str("NCHW"), "The order of the data's dimensions.";
            out_layout: Str = AttrDefault::Of("layout"), "The order of the result's dimensions.";
        }
        infer: |cx, call| infer_adaptive(cx, call, 2),
        legalize: Legalize::PrimFunc(|call| legalize_adaptive(call, 2)),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        layouts: Layouts::Named { operands: &["layout"], result: "out_layout" },
    }
}
