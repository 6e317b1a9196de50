//! What programs of the virtual machine are made of.

family! {
    alloc_tensor,
    stop_lift_params,
}
