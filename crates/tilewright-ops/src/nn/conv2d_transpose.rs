//! Transposed convolution over two spatial dimensions.

transposed_convolution! {
    /// What goes back from the result of a convolution over two spatial dimensions to its data, as
    /// `torch.conv_transpose2d`.
    "nn.conv2d_transpose", 2, "NCHW", "IOHW"
}
