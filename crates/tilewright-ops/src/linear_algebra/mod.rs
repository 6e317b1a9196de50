//! Products.

mod contraction;

family! {
    einsum,
    matmul,
}
