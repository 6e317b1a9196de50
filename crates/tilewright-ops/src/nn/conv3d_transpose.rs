//! Transposed convolution over three spatial dimensions.

transposed_convolution! {
    /// The transposed convolution over three spatial dimensions, the adjoint of `nn.conv3d`, as
    /// `torch.conv_transpose3d`.
    "nn.conv3d_transpose", 3, "NCDHW", "IODHW"
}
