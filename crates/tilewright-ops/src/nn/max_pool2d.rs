//! The largest elements of windows over two spatial dimensions.

max_pool! {
    /// The largest elements of windows of the data, over two spatial dimensions.
    "nn.max_pool2d", 2, "NCHW", max_pool2d_backward
}
