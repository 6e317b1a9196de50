//! Operators of the virtual machine that programs name themselves.

family! {
    alloc_storage,
    alloc_tensor,
    kill_object,
    call_tir_dyn,
}
