//! The means of windows over two spatial dimensions.

avg_pool! {
    /// The means of windows of the data, over two spatial dimensions.
    "nn.avg_pool2d", 2, "NCHW", false, avg_pool2d_backward
}
