//! Planned memory: storage of a call, and tensors that lie in it.

family! {
    alloc_storage,
    alloc_tensor,
    kill_tensor,
    kill_storage,
    view,
    ensure_zero_offset,
}
