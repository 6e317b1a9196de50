//! Convolution over two spatial dimensions.

convolution! {
    /// Sums of products of a kernel and of windows of the data, over two spatial dimensions.
    ///
    /// `result[n, f, y, x]` is the sum over `c`, `r`, `s` of
    /// `data[n, c, y * strides[0] + r * dilation[0] - padding[0], x * strides[1] + s * dilation[1] - padding[1]]` times
    /// `weight[f, c, r, s]`.
    "nn.conv2d", 2, "NCHW", "OIHW", conv2d_transpose
}
