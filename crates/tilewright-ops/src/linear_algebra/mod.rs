//! Products.

family! {
    matmul,
}
