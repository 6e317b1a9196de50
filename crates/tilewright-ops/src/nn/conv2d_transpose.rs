//! Transposed convolution over two spatial dimensions.

transposed_convolution! {
    /// The transposed convolution over two spatial dimensions, the adjoint of `nn.conv2d`, as
    /// `torch.conv_transpose2d`.
    "nn.conv2d_transpose", 2, "NCHW", "IOHW"
}
