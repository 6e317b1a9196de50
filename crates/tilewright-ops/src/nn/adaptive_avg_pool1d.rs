//! Means of as many windows as there shall be, over one spatial dimension.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};

use super::pooling::{infer_adaptive, legalize_adaptive};

op! {
    /// Means of as many windows of the data as `output_size` says, over one spatial dimension.
    ///
    /// Window `i` of `m` goes from `i * n / m`, rounded down, to `(i + 1) * n / m`, rounded up, where the data has `n`
    /// elements.
    "nn.adaptive_avg_pool1d" {
        args: { data: Tensor, "The data."; }
        attrs: {
            output_size: OptionalEach(1) = AttrDefault::None, "The numbers of windows; `None`: one for each element.";
            layout: Str = AttrDefault::Str("NCW"), "The order of the data's dimensions.";
            out_layout: Str = AttrDefault::Of("layout"), "The order of the result's dimensions.";
        }
        infer: |cx, call| infer_adaptive(cx, call, 1),
        legalize: Legalize::PrimFunc(|call| legalize_adaptive(call, 1)),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        layouts: Layouts::Named { operands: &["layout"], result: "out_layout" },
    }
}
