//! The largest elements of windows over one spatial dimension.

max_pool! {
    /// The largest elements of windows of the data, over one spatial dimension.
    "nn.max_pool1d", 1, "NCW"
}
