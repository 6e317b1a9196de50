//! Means of as many windows as there shall be, over two spatial dimensions.

adaptive_avg_pool! {
    /// Means of as many windows of the data as `output_size` says, over two spatial dimensions.
    "nn.adaptive_avg_pool2d", 2, "NCHW"
}
