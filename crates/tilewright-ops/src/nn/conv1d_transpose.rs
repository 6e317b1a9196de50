//! Transposed convolution over one spatial dimension.

transposed_convolution! {
    /// The transposed convolution over one spatial dimension, the adjoint of `nn.conv1d`, as
    /// `torch.conv_transpose1d`.
    "nn.conv1d_transpose", 1, "NCW", "IOW"
}
