//! Means of as many windows as there shall be, over one spatial dimension.

adaptive_avg_pool! {
    /// Means of as many windows of the data as `output_size` says, over one spatial dimension.
    "nn.adaptive_avg_pool1d", 1, "NCW"
}
