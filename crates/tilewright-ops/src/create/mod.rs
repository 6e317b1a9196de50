//! Ops that make tensors from nothing.

family! {
    alloc_tensor,
}
