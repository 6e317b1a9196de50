//! The means of windows over three spatial dimensions.

avg_pool! {
    /// The means of windows of the data, over three spatial dimensions.
    "nn.avg_pool3d", 3, "NCDHW", true
}
