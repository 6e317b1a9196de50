//! The largest elements of windows over three spatial dimensions.

max_pool! {
    /// The largest elements of windows of the data, over three spatial dimensions.
    "nn.max_pool3d", 3, "NCDHW"
}
