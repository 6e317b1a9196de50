//! Convolution over one spatial dimension.

convolution! {
    /// Sums of products of a kernel and of windows of the data, over one spatial dimension.
    ///
    /// `result[n, f, x] = sum over c, r of data[n, c, x * stride + r * dilation - padding] * weight[f, c, r]`.
    "nn.conv1d", 1, "NCW", "OIW", conv1d_transpose
}
