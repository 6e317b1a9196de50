//! Convolution over three spatial dimensions.

convolution! {
    /// Sums of products of a kernel and of windows of the data, over three spatial dimensions.
    ///
    /// As `nn.conv2d`, with a window that moves along three dimensions.
    "nn.conv3d", 3, "NCDHW", "OIDHW", conv3d_transpose
}
