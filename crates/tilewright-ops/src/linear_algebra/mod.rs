//! Products.

family! {
    einsum,
    matmul,
}
