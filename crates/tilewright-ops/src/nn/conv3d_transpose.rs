//! Transposed convolution over three spatial dimensions.

transposed_convolution! {
    /// What goes back from the result of a convolution over three spatial dimensions to its data, as
    /// `torch.conv_transpose3d`.
    "nn.conv3d_transpose", 3, "NCDHW", "IODHW"
}
