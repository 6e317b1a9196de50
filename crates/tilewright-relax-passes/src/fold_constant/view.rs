//! Results that are views of an argument: reshaped constants, and parts of one along its outermost dimension.
//!
//! They need no computation and no memory: a large weight that is split and then repacked would otherwise be written
//! twice.

use tilewright_arith::Analyzer;
use tilewright_expr::Range;
use tilewright_ir::nest::Nest;
use tilewright_ir::tir::{Block, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tensor::Tensor;

/// A view keeps all bytes of the argument alive: the results together are at least the fraction 1 /
/// `MIN_VIEWED_FRACTION` of them.
const MIN_VIEWED_FRACTION: usize = 2;

/// The view of each result of a function; all results are views, or none.
pub(super) struct Views(Vec<(Stage, usize)>);

impl Views {
    /// Analyses a function of `inputs` compact inputs, followed by its results.
    pub(super) fn of(function: &PrimFunc, inputs: usize) -> Option<Self> {
        let buffers: Vec<&Buffer> = function.params.iter().map(|param| param.buffer.as_ref()).collect::<Option<_>>()?;
        let (given, wanted) = buffers.split_at_checked(inputs)?;
        let plain = |root: &&Block| root.alloc_buffers.is_empty() && root.match_buffers.is_empty();
        let root = function.root_block().filter(plain)?;
        let stages = match &root.body.kind {
            StmtKind::Seq(stages) => stages.as_slice(),
            _ => std::slice::from_ref(&root.body),
        };
        let stages: Vec<Stage> = stages.iter().map(Stage::of).collect::<Option<_>>()?;
        let mut views = Vec::new();
        for result in wanted {
            let mut of_result = stages.iter().filter(|stage| stage.written == **result);
            let (stage, None) = (of_result.next()?, of_result.next()) else { return None };
            views.push((stage.clone(), given.iter().position(|buffer| **buffer == stage.read)?));
        }
        (stages.len() == wanted.len()).then_some(Self(views))
    }

    /// The results, unless they would keep much more memory alive than they use.
    pub(super) fn of_inputs(&self, inputs: &[Tensor]) -> Option<Vec<Tensor>> {
        let whole: usize = inputs.iter().map(Tensor::num_bytes).sum();
        let views = self.0.iter().map(|(stage, input)| stage.view(inputs.get(*input)?));
        let views: Vec<Tensor> = views.collect::<Option<_>>()?;
        let bytes: usize = views.iter().map(Tensor::num_bytes).sum();
        (bytes.saturating_mul(MIN_VIEWED_FRACTION) >= whole).then_some(views)
    }
}

/// A stage that copies consecutive elements, in order, from an offset in its source.
#[derive(Clone)]
struct Stage {
    written: Buffer,
    read: Buffer,
    first: i64,
}

impl Stage {
    fn of(stmt: &Stmt) -> Option<Self> {
        let nest = Nest::of(stmt)?;
        let (written, indices, value) = nest.single_store().filter(|_| nest.runs_each_instance_once())?;
        let ExprKind::Load { buffer: read, indices: from, predicate: None } = &value.kind else { return None };
        let (shape, source) = (written.constant_shape().filter(|shape| !shape.contains(&0))?, read.constant_shape()?);
        let mut analyzer = Analyzer::new();
        let axes = nest.block.iters.iter().zip(&nest.values).zip(indices.iter().zip(&shape));
        for ((iter, value), (index, &dim)) in axes {
            let covers = |var: &Var| {
                let around = nest.loops.iter().find(|l| l.var == *var);
                around.is_some_and(|l| l.min.as_int() == Some(0) && l.extent.as_int() == Some(dim))
            };
            let all = value.as_var().map_or(dim == 1 && value.as_int() == Some(0), covers);
            if !all || index.as_var() != Some(&iter.var) {
                return None;
            }
            analyzer.bind(&iter.var, &Range::up_to(Expr::int(dim, iter.var.dtype)));
        }
        let alike = read.dtype == written.dtype && read.dtype.bits.is_multiple_of(8);
        let plain = [written, read].iter().all(|buffer| buffer.strides.is_empty() && buffer.elem_offset.is_none());
        let ranks = indices.len() == shape.len() && from.len() == source.len() && nest.block.iters.len() == shape.len();
        if !(alike && plain && ranks && nest.predicate.as_int() == Some(1)) {
            return None;
        }
        let offset = &flat(from, &source)? - &flat(indices, &shape)?;
        let first = analyzer.simplify(&offset).as_int().filter(|first| *first >= 0)?;
        Some(Self { written: written.clone(), read: read.clone(), first })
    }

    /// The part of the source that the stage copies.
    fn view(&self, input: &Tensor) -> Option<Tensor> {
        let offset = self.first.checked_mul(i64::try_from(self.read.dtype.bytes()).ok()?)?;
        let shape = self.written.constant_shape()?;
        let layout = tilewright_tensor::Layout::compact(self.written.dtype, &shape).ok()?;
        input.view_as(layout.into(), offset).ok()
    }
}

/// The row-major linear index of an element.
fn flat(indices: &[Expr], shape: &[i64]) -> Option<Expr> {
    let mut number = Expr::i64(0);
    for (index, &dim) in indices.iter().zip(shape) {
        let index = index.cast(tilewright_tensor::DataType::I64).ok()?;
        number = &(&number * dim) + &index;
    }
    Some(number)
}
