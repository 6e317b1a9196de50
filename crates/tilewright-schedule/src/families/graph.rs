//! What passes over graphs know of a computation before it is a function of loops.
//!
//! A pass that would make one function of several operators asks [`crate::rules::can`] first whether the target has a
//! kernel for it: fused without one, the operators lose the kernels that each of them has.

use tilewright_tensor::DataType;

/// A computation of several operators, by its family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphSpec {
    Attention(AttentionTypes),
    /// Sums of products of bytes in int32, faster than such of float32.
    ByteProducts,
}

/// Attention: `softmax(formula(queries · keys)) · values`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttentionTypes {
    pub queries: DataType,
    pub keys: DataType,
    /// The softmax.
    pub softmax: DataType,
    /// Its results as factors of the values.
    pub weights: DataType,
    /// Elements of a row of queries, and of values, where they are known.
    pub head_dim: Option<i64>,
    pub value_dim: Option<i64>,
}
