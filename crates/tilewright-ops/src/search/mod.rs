//! Ops that search in sorted tensors.

family! {
    bucketize,
}
