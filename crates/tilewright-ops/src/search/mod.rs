//! Ops that look for places in sorted tensors.

family! {
    bucketize,
}
