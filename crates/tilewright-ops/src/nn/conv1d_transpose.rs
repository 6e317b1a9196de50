//! Transposed convolution over one spatial dimension.

transposed_convolution! {
    /// What goes back from the result of a convolution over one spatial dimension to its data, as
    /// `torch.conv_transpose1d`.
    "nn.conv1d_transpose", 1, "NCW", "IOW"
}
