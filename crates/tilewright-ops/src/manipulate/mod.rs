//! Ops that move elements without computing.

family! {
    permute_dims,
}
