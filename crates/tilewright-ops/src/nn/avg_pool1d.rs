//! The means of windows over one spatial dimension.

avg_pool! {
    /// The means of windows of the data, over one spatial dimension.
    "nn.avg_pool1d", 1, "NCW", true
}
