//! Dimensions, axes and parts of tensors.

use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_expr::{BinOp, CmpOp};
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{Expr, StructInfo, TensorShape};
use tilewright_ops::indexed::strided_slice;
use tilewright_ops::manipulate::{permute_dims, reshape, squeeze};
use tilewright_tensor::DataType;

use super::cx::{Cx, ToAttr};
use super::value::{Refused, Res};

/// Shapes and scalars.
impl Cx<'_> {
    pub fn simplified(&self, value: &scalar::Expr) -> scalar::Expr {
        self.bb.infer_cx().analyzer.simplify(value)
    }

    pub fn integer(&self, op: BinOp, a: &scalar::Expr, b: &scalar::Expr) -> Res<scalar::Expr> {
        Ok(self.simplified(&scalar::Expr::binary(op, a, b)?))
    }

    /// The dimensions of a tensor, which must be known.
    pub fn shape(&self, x: &Expr) -> Res<Vec<scalar::Expr>> {
        match x.struct_info.dims() {
            Some(dims) => Ok(dims.to_vec()),
            None => Err(Refused::new("this needs a tensor of known shape")),
        }
    }

    pub fn rank(&self, x: &Expr) -> Res<usize> {
        x.struct_info.rank().ok_or_else(|| Refused::new("this needs a tensor of known rank"))
    }

    pub fn dtype(&self, x: &Expr) -> Res<DataType> {
        x.struct_info.dtype().ok_or_else(|| Refused::new("this needs a tensor of known data type"))
    }

    /// The dimension that an integer names; negative ones count from the end.
    pub fn axis(&self, axis: i64, rank: usize) -> Res<usize> {
        let from_start = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let found = usize::try_from(from_start).ok().filter(|at| *at < rank.max(1));
        found.ok_or_else(|| Refused(format!("a tensor of {rank} dimensions has no dimension {axis}")))
    }

    /// The size of a dimension of a tensor, whose shape must be known.
    pub fn extent(&self, x: &Expr, axis: usize) -> Res<scalar::Expr> {
        let shape = self.shape(x)?;
        let found = shape.get(axis).cloned();
        found.ok_or_else(|| Refused(format!("a tensor of {} dimensions has no dimension {axis}", shape.len())))
    }

    /// The product of dimensions.
    pub fn product(&self, dims: &[scalar::Expr]) -> scalar::Expr {
        self.simplified(&dims.iter().fold(scalar::Expr::i64(1), |product, dim| product * dim.clone()))
    }

    /// The value with dimensions that are seen when the module runs; variables among them that stand nowhere else are
    /// defined there.
    pub fn match_cast(&mut self, value: &Expr, dims: Vec<scalar::Expr>) -> Res<Expr> {
        let info = StructInfo::tensor_with(TensorShape::Known(dims), Some(self.dtype(value)?));
        Ok(Expr::var(&self.bb.emit_match_cast(value, info)?))
    }

    pub fn reshape(&self, x: &Expr, dims: Vec<scalar::Expr>) -> Res<Expr> {
        self.call(&reshape::OP, &[x, &Expr::shape(dims)], [])
    }

    /// The elements in one dimension.
    pub fn flat(&self, x: &Expr) -> Res<Expr> {
        self.reshape(x, vec![self.product(&self.shape(x)?)])
    }

    /// A tensor of one dimension as one of `rank` dimensions, all of which but `axis` have size 1.
    pub fn along_axis(&self, x: &Expr, axis: usize, rank: usize) -> Res<Expr> {
        let mut dims = vec![scalar::Expr::i64(1); rank];
        if let (Some(own), [extent]) = (dims.get_mut(axis), &self.shape(x)?[..]) {
            *own = extent.clone();
        }
        self.reshape(x, dims)
    }

    pub fn permute(&self, x: &Expr, axes: Vec<i64>) -> Res<Expr> {
        self.call(&permute_dims::OP, &[x], [("axes", axes.to_attr())])
    }

    /// The tensor with these dimensions first, in their order, then the others in theirs.
    pub fn permute_to_front(&self, x: &Expr, first: &[usize]) -> Res<Expr> {
        let others = (0..self.rank(x)?).filter(|axis| !first.contains(axis));
        let axes: Vec<i64> = first.iter().copied().chain(others).map(|axis| axis as i64).collect();
        let in_order = axes.iter().enumerate().all(|(at, axis)| at as i64 == *axis);
        if in_order { Ok(x.clone()) } else { self.permute(x, axes) }
    }

    /// The elements `begin..end` along a dimension in steps, as Python slices.
    pub fn slice(&self, x: &Expr, axis: usize, begin: &scalar::Expr, end: &scalar::Expr, step: i64) -> Res<Expr> {
        let one = |value: scalar::Expr| Expr::tuple(vec![Expr::prim(value)]);
        let (axes, step) = (one(scalar::Expr::i64(axis as i64)), one(scalar::Expr::i64(step)));
        if begin.as_int().is_some() && end.as_int().is_some() {
            return self.call(&strided_slice::OP, &[x, &axes, &one(begin.clone()), &one(end.clone()), &step], []);
        }
        let (begin, end) = (self.clamped_bound(x, axis, begin)?, self.clamped_bound(x, axis, end)?);
        let args = [x, &axes, &one(begin), &one(end), &step];
        self.call(&strided_slice::OP, &args, [("assume_inbound", true.to_attr())])
    }

    /// A bound of a slice as Python has it: negative ones count from the end, and those outside are clamped.
    fn clamped_bound(&self, x: &Expr, axis: usize, at: &scalar::Expr) -> Res<scalar::Expr> {
        let extent = self.extent(x, axis)?;
        let at = self.counted_from_start(x, axis, at)?;
        let zero = scalar::Expr::i64(0);
        let cut = scalar::Expr::binary(BinOp::Min, &scalar::Expr::binary(BinOp::Max, &at, &zero)?, &extent)?;
        Ok(facts_of_sizes([&cut]).analyzer.simplify(&cut))
    }

    /// An index along a dimension, counted from its start; negative if it is before that.
    fn counted_from_start(&self, x: &Expr, axis: usize, at: &scalar::Expr) -> Res<scalar::Expr> {
        let (extent, zero) = (self.extent(x, axis)?, scalar::Expr::i64(0));
        let counted = self.simplified(&(&extent + at));
        Ok(match facts_of_sizes([at, &extent]).analyzer.decide(CmpOp::Lt, at, &zero) {
            Some(true) => counted,
            Some(false) => at.clone(),
            None => scalar::Expr::select(&scalar::Expr::compare(CmpOp::Lt, at, &zero)?, &counted, at)?,
        })
    }

    /// One element along a dimension, which is removed.
    pub fn select(&self, x: &Expr, axis: usize, index: &scalar::Expr) -> Res<Expr> {
        let (extent, from_start) = (self.extent(x, axis)?, self.counted_from_start(x, axis, index)?);
        if let (Some(at), Some(extent)) = (from_start.as_int(), extent.as_int())
            && !(0..extent).contains(&at)
        {
            return Err(Refused(format!("a dimension of {extent} has no index {}", index.as_int().unwrap_or(at))));
        }
        // The run checks that there is one element: an index outside of the dimension has none.
        let kept = |at: &scalar::Expr| scalar::Expr::binary(BinOp::Max, at, &scalar::Expr::i64(0));
        let (begin, end) = (kept(&from_start)?, kept(&(&from_start + 1))?);
        let cut = self.slice(x, axis, &self.simplified(&begin), &self.simplified(&end), 1)?;
        self.call(&squeeze::OP, &[&cut], [("axis", vec![axis as i64].to_attr())])
    }
}

/// A size that depends on data: a dimension that a [`Cx::match_cast`] defines when the module runs.
pub fn new_size() -> scalar::Expr {
    scalar::Expr::var(&scalar::Var::new("count", DataType::I64))
}

/// What is known where the variables of these expressions are sizes, which are no negative numbers. The builder is not
/// told: its types are those that the verifier finds.
pub(crate) fn facts_of_sizes<const N: usize>(exprs: [&scalar::Expr; N]) -> InferCx {
    let mut facts = InferCx::default();
    for expr in exprs {
        walk(expr, |var: &scalar::Var| facts.analyzer.learn_least(var.id(), 0));
    }
    facts
}
