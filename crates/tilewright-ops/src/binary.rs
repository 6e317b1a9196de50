//! Ops of two tensors whose shapes broadcast, element by element.

use tilewright_ir::op::OpDef;

binary! {
    /// The sum.
    add "add": number -> Same, |a, b| a + b;
    /// The quotient: of floats as IEEE has it, of integers rounded towards zero.
    divide "divide": number -> Same, |a, b| a / b;
    /// The larger one; NaN if either is.
    maximum "maximum": any -> Same, |a, b| a.max(b);
    /// The smaller one; NaN if either is.
    minimum "minimum": any -> Same, |a, b| a.min(b);
    /// The product.
    multiply "multiply": number -> Same, |a, b| a * b;
    /// The difference.
    subtract "subtract": number -> Same, |a, b| a - b;
    /// Whether the elements are equal; false where one is NaN.
    equal "equal": any -> Bool, |a, b| a.compare(tilewright_expr::CmpOp::Eq, b);
    /// Whether the elements differ; true where one is NaN.
    not_equal "not_equal": any -> Bool, |a, b| a.compare(tilewright_expr::CmpOp::Ne, b);
    /// Whether the first is greater; false where one is NaN.
    greater "greater": any -> Bool, |a, b| a.compare(tilewright_expr::CmpOp::Gt, b);
    /// Whether the first is greater or equal; false where one is NaN.
    greater_equal "greater_equal": any -> Bool, |a, b| a.compare(tilewright_expr::CmpOp::Ge, b);
    /// Whether the first is less; false where one is NaN.
    less "less": any -> Bool, |a, b| a.compare(tilewright_expr::CmpOp::Lt, b);
    /// Whether the first is less or equal; false where one is NaN.
    less_equal "less_equal": any -> Bool, |a, b| a.compare(tilewright_expr::CmpOp::Le, b);
}

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = ELEMENTWISE;
