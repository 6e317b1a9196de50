//! `lower_blocks`: axes take their values, predicates become conditions, temporaries become `Allocate`, accesses to
//! matched buffers become accesses to what they match.
//!
//! A matched buffer declares a shape and strides; that its region has the same is proven or asserted.

use tilewright_arith::Analyzer;
use tilewright_expr::node::VarId;
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, MatchBuffer, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_support::{Map, Origins, Set};
use tilewright_tensor::DataType;

use crate::stmt::{Result, analyzer_of, error, error_with_help, map_below, typed, with_body};
use crate::substitute::{Substitute, reindex};

pub fn lower_blocks(function: &PrimFunc) -> Result<PrimFunc> {
    let bound = KernelInterface::scalars_of(function).iter().map(|scalar| scalar.var.id()).collect();
    let mut cx = Blocks::new(function, bound);
    Ok(with_body(function, cx.lower(&function.origins, &function.body)?))
}

pub(crate) struct Blocks {
    analyzer: Analyzer,
    /// Data variables that are defined here.
    memory: Set<VarId>,
    /// Variables that are defined here: arguments, loops, `Let`.
    bound: Set<VarId>,
    /// The regions of matched buffers, in terms of buffers that own their memory.
    views: Map<VarId, BufferRegion>,
}

impl Blocks {
    pub(crate) fn new(function: &PrimFunc, bound: Set<VarId>) -> Self {
        let memory = function.params.iter().filter_map(|p| p.buffer.as_ref()).map(|buffer| buffer.data.id()).collect();
        Self { analyzer: analyzer_of(function), memory, bound, views: Map::default() }
    }

    /// The region of a matched buffer.
    pub(crate) fn view(&mut self, buffer: VarId, region: BufferRegion) {
        self.views.insert(buffer, region);
    }

    /// Binds the variables of a matched buffer, and gives the asserts of what its region does not prove.
    pub(crate) fn defined(
        &self,
        all: &mut Substitute,
        origins: &Origins,
        matched: &MatchBuffer,
        region: &BufferRegion,
    ) -> Result<Vec<Stmt>> {
        let mut asserts = Vec::new();
        for claim in define(all, &self.bound, origins, matched, region)? {
            asserts.extend(self.assert_claim(all, origins, matched, claim)?);
        }
        Ok(asserts)
    }

    fn lower(&mut self, origins: &Origins, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Block { values, predicate, block } => {
                let origins = if block.origins.first().is_some() { &block.origins } else { origins };
                let body = self.open(origins, values, block)?;
                Ok(match predicate.as_int() {
                    Some(1) => body,
                    _ => StmtKind::If { condition: predicate.clone(), then: body, otherwise: None }.into(),
                })
            }
            // A view needs no declaration besides that of its memory.
            StmtKind::Allocate { buffer, body } if self.memory.contains(&buffer.data.id()) => self.lower(origins, body),
            _ => {
                let scope = self.analyzer.enter();
                match &stmt.kind {
                    StmtKind::Allocate { buffer, .. } => drop(self.memory.insert(buffer.data.id())),
                    StmtKind::For { var, min, extent, .. } => {
                        self.bound.insert(var.id());
                        self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                    }
                    StmtKind::Let { var, value, .. } => {
                        self.bound.insert(var.id());
                        self.analyzer.bind_value(var, value);
                    }
                    _ => {}
                }
                let lowered = map_below(stmt, &mut |s| self.lower(origins, s));
                self.analyzer.leave(scope);
                lowered
            }
        }
    }

    /// The body of the block for these values of its axes, lowered.
    fn open(&mut self, origins: &Origins, values: &[Expr], block: &Block) -> Result<Stmt> {
        if block.init.is_some() || values.len() != block.iters.len() {
            let message = format!("block `{}` has an init, or a wrong number of values for its axes", block.name);
            return Err(error("TW0563", origins, message));
        }
        let mut all = Substitute::default();
        for (iter, value) in block.iters.iter().zip(values) {
            all.values.insert(iter.var.id(), typed(value.cast(iter.var.dtype))?);
        }
        self.memory.extend(block.alloc_buffers.iter().map(|buffer| buffer.data.id()));
        let mut asserts = Vec::new();
        for matched in &block.match_buffers {
            let source = all.apply(&matched.source);
            let region = self.resolved(&source);
            asserts.extend(self.defined(&mut all, origins, matched, &region)?);
            self.views.insert(matched.buffer.id(), region);
        }
        let body = reindex(&block.body, |buffer, indices| self.through_view(buffer, indices));
        let body = all.apply(&body);
        // Their declarations may have become others by the values.
        for matched in &block.match_buffers {
            if let (Some(renewed), Some(region)) =
                (all.buffers.get(&matched.buffer.id()), self.views.get(&matched.buffer.id()).cloned())
            {
                self.views.insert(renewed.id(), region);
            }
        }
        let body = self.lower(origins, &body)?;
        let body = Stmt::seq(asserts.into_iter().chain([body]));
        Ok(block.alloc_buffers.iter().rev().fold(body, |body, buffer| {
            let buffer = all.buffers.get(&buffer.id()).cloned().unwrap_or_else(|| all.apply(buffer));
            StmtKind::Allocate { buffer, body }.into()
        }))
    }

    /// Nothing where the claim is proven, else the assert that it holds.
    fn assert_claim(
        &self,
        all: &mut Substitute,
        origins: &Origins,
        matched: &MatchBuffer,
        claim: Claim,
    ) -> Result<Option<Stmt>> {
        let wide = |e: &Expr| typed(e.cast(DataType::I64));
        let (declared, actual) = (wide(&all.apply(&claim.declared))?, wide(&claim.actual)?);
        let mut holds = typed(Expr::compare(CmpOp::Eq, &declared, &actual))?;
        let mut needed = true;
        if let Some(extent) = &claim.where_more_than_one {
            let single = typed(Expr::compare(CmpOp::Le, &wide(&all.apply(extent))?, &Expr::i64(1)))?;
            needed = self.analyzer.prove(&typed(single.not())?);
            if self.analyzer.prove(&single) {
                return Ok(None);
            }
            holds = typed(Expr::binary(BinOp::Or, &single, &holds))?;
        }
        if self.analyzer.prove_equal(&declared, &actual) {
            return Ok(None);
        }
        let message = format!(
            "buffer `{}` cannot match a region of `{}`: {} differ",
            matched.buffer.name, matched.source.buffer.name, claim.what
        );
        if needed && self.analyzer.prove_different(&declared, &actual) {
            let numbers = declared.as_int().zip(actual.as_int());
            let numbers = numbers.map(|(own, its)| format!(": {own} where the region has {its}")).unwrap_or_default();
            return Err(error_with_help("TW0563", origins, message + &numbers, MATCHED));
        }
        Ok(Some(StmtKind::Assert { condition: holds, message: message.into() }.into()))
    }

    /// The region in the buffer that owns the elements.
    pub(crate) fn resolved(&self, region: &BufferRegion) -> BufferRegion {
        let Some(view) = self.views.get(&region.buffer.id()) else { return region.clone() };
        let dropped = view.region.len().saturating_sub(region.region.len());
        let inner = view.region[dropped..].iter().zip(&region.region);
        let inner = inner.map(|(outer, inner)| Range::new(&outer.min + &inner.min, inner.extent.clone()));
        let region = view.region[..dropped].iter().cloned().chain(inner).collect();
        BufferRegion { buffer: view.buffer.clone(), region }
    }

    pub(crate) fn through_view(&self, buffer: &Buffer, indices: &[Expr]) -> Option<(Buffer, Vec<Expr>)> {
        let view = self.views.get(&buffer.id())?;
        let dropped = view.region.len().checked_sub(indices.len())?;
        let outer = view.region[..dropped].iter().map(|range| range.min.clone());
        let inner = view.region[dropped..].iter().zip(indices).map(|(range, index)| {
            let min = range.min.broadcast(index.dtype.lanes).unwrap_or_else(|_| range.min.clone());
            &min + index
        });
        Some((view.buffer.clone(), outer.chain(inner).collect()))
    }
}

/// The stride of each dimension, in elements.
pub(crate) fn strides(buffer: &Buffer) -> Result<Vec<Expr>> {
    if !buffer.strides.is_empty() {
        return Ok(buffer.strides.clone());
    }
    let mut strides: Vec<Expr> = Vec::with_capacity(buffer.rank());
    let mut stride: Option<Expr> = None;
    for dim in buffer.shape.iter().rev() {
        let here = stride.unwrap_or_else(|| Expr::int(1, dim.dtype));
        strides.push(here.clone());
        stride = Some(typed(Expr::binary(BinOp::Mul, dim, &here))?);
    }
    strides.reverse();
    Ok(strides)
}

/// The error message for other matched buffers.
const MATCHED: &str = "a matched buffer has the element type and the extents of its region, but for leading extents of 1, and \
                       the strides of the buffer that this is a part of";

/// A claim of a matched buffer about its region: shape, stride or offset.
struct Claim {
    what: &'static str,
    declared: Expr,
    actual: Expr,
    /// A stride matters only if the extent exceeds 1.
    where_more_than_one: Option<Expr>,
}

/// Binds the variables in shape, strides and offset of a matched buffer to the values of the region; returns the claims
/// that remain to be proven.
fn define(
    all: &mut Substitute,
    bound: &Set<VarId>,
    origins: &Origins,
    matched: &MatchBuffer,
    region: &BufferRegion,
) -> Result<Vec<Claim>> {
    let (buffer, source) = (&matched.buffer, &region.buffer);
    let refuse = |what: &str| {
        let message = format!("buffer `{}` cannot match a region of `{}`: {what}", buffer.name, source.name);
        error_with_help("TW0563", origins, message, MATCHED)
    };
    let region = &region.region;
    let Some(dropped) = region.len().checked_sub(buffer.rank()) else {
        let (own, its) = (buffer.rank(), region.len());
        return Err(refuse(&format!("it has more dimensions: {own} where the region has {its}")));
    };
    if buffer.dtype != source.dtype {
        let (own, its) = (buffer.dtype, source.dtype);
        return Err(refuse(&format!("its elements have another type: {own} where the region has {its}")));
    }
    if region[..dropped].iter().any(|range| range.extent.as_int() != Some(1)) {
        return Err(refuse("a dimension that it lacks is not of extent 1"));
    }
    let source_strides = strides(source)?;
    let mut claims = Vec::new();
    let mut claim = |what, declared: &Expr, actual: &Expr, extent: Option<&Expr>| -> Result<()> {
        let own = |var: &&Var| !bound.contains(&var.id()) && !all.values.contains_key(&var.id());
        if let Some(var) = declared.as_var().filter(own) {
            all.values.insert(var.id(), typed(actual.cast(var.dtype))?);
            return Ok(());
        }
        let (declared, actual) = (declared.clone(), actual.clone());
        claims.push(Claim { what, declared, actual, where_more_than_one: extent.cloned() });
        Ok(())
    };
    for (declared, range) in buffer.shape.iter().zip(&region[dropped..]) {
        claim("their shapes", declared, &range.extent, None)?;
    }
    for ((declared, actual), extent) in strides(buffer)?.iter().zip(&source_strides[dropped..]).zip(&buffer.shape) {
        claim("their strides", declared, actual, Some(extent))?;
    }
    // An offset that is no variable claims nothing: it is that of the region.
    if let Some(var) = buffer.elem_offset.as_ref().and_then(Expr::as_var)
        && let Some(offset) = first_element(source, region, &source_strides)
        && !bound.contains(&var.id())
    {
        all.values.insert(var.id(), typed(offset.cast(var.dtype))?);
    }
    Ok(claims)
}

/// Elements from the source's address to the first one of the region; `None` where that is the source itself.
fn first_element(source: &Buffer, region: &[Range], strides: &[Expr]) -> Option<Expr> {
    let steps = region.iter().zip(strides).map(|(range, stride)| &range.min * stride);
    source.elem_offset.clone().into_iter().chain(steps).reduce(|sum, step| &sum + &step)
}
