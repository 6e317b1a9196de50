//! Means of as many windows as there shall be, over three spatial dimensions.

adaptive_avg_pool! {
    /// Means of as many windows of the data as `output_size` says, over three spatial dimensions.
    "nn.adaptive_avg_pool3d", 3, "NCDHW"
}
