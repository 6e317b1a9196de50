//! Planned memory: storage of a call, and tensors that lie in it.

family! {
    alloc_storage,
    alloc_tensor,
    kill_tensor,
}
