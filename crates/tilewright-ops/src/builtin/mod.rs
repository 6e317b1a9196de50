//! What programs of the virtual machine are made of.

family! {
    alloc_tensor,
}
