//! Builtins of the virtual machine's programs.

family! {
    alloc_tensor,
    stop_lift_params,
}
