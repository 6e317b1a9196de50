//! Op patterns: the dependence of a PrimFunc's results on its arguments, which decides about fusion.
//!
//! # Terms
//!
//! A *stage* is a block of a nest of loops, in the root block. It is understood if every instance runs exactly once:
//! each axis, spatial or reducing, has a loop of its own over its whole domain or one value, the body is stores (after
//! `let`s) without a mask, no foreign function has an effect or gets an address, and no loop variable is used inside.
//! Its stores go to distinct spatial axes that cover the buffer, all of them: no two instances write one element. Axes
//! of extent 1 and the index 0 of a dimension of extent 1 count as nothing.
//!
//! # The pattern of a stage
//!
//! By the indices of its loads, which are compared with those of the store:
//!
//! | pattern | a spatial stage whose loads are |
//! |---|---|
//! | elementwise | at the store's indices; besides one such load others may be as in a broadcast; or there are none |
//! | broadcast | at some of the store's indices, in their order |
//! | injective | anywhere, but one element of each buffer (concatenation, gathering by loaded indices, reshaping, …) |
//! | out-elementwise-fusable | several elements of one buffer (a stencil) |
//!
//! A stage with reduce axes is a **commutative reduction** if it combines one element by a commutative operation with a
//! value that reads one element of some buffer for each instance (all axes, each alone in a dimension) and multiplies
//! no elements of two buffers along the reduction. Any other (products, windows, custom combiners, several results) is
//! **out-elementwise-fusable**: its result is complete when its loops are, and elementwise work may follow. The start
//! value is in the block's init, or in a stage right before it that reads nothing; an accumulation into an argument is
//! opaque.
//!
//! # The pattern of a function
//!
//! Without reductions the most general of its stages. One reduction with stages before it, and after it only such that
//! take its result element for element (a mean), is that reduction; everything else (softmax, normalisation, argmax) is
//! out-elementwise-fusable. **Opaque** is what is not understood: a stage that is none, a buffer that two stages write
//! (but for a start value) or that is read before it is written, stages of one nest that read each other's results,
//! loops that say already how they run, and parameters that are not compact tensors in global memory.

mod stage;

use tilewright_support::{Map, Set, with_stack};

use crate::tir::{Buffer, ForKind, PrimFunc, Scope, Stmt, StmtKind};
use stage::{Loop, Stage};

/// The classes of functions for fusion. The order is the order of generality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OpPattern {
    Elementwise,
    Broadcast,
    Injective,
    CommutativeReduce,
    /// Elementwise work may follow it.
    OutElementwiseFusable,
    /// A tuple of a graph; no function has this pattern.
    Tuple,
    Opaque,
}

impl OpPattern {
    const ALL: [(Self, i64); 7] = [
        (Self::Elementwise, 0),
        (Self::Broadcast, 1),
        (Self::Injective, 2),
        (Self::CommutativeReduce, 3),
        (Self::OutElementwiseFusable, 4),
        (Self::Tuple, 7),
        (Self::Opaque, 8),
    ];

    /// The number by which attributes say it.
    pub fn number(self) -> i64 {
        Self::ALL.iter().find(|(pattern, _)| *pattern == self).map_or(8, |(_, number)| *number)
    }

    /// The pattern of this number.
    pub fn of_number(number: i64) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == number).map(|(pattern, _)| *pattern)
    }
}

/// The pattern of the function, by its loops and indices alone.
pub fn op_pattern(function: &PrimFunc) -> OpPattern {
    of_function(function).unwrap_or(OpPattern::Opaque)
}

/// Whether the buffer is a row-major tensor without gaps in memory that every target has, of its own.
pub fn is_plain_tensor(buffer: &Buffer) -> bool {
    let compact = buffer.strides.is_empty() && buffer.elem_offset.is_none() && buffer.axis_separators.is_empty();
    compact && buffer.scope == Scope::Global && !buffer.broadcasts
}

fn of_function(function: &PrimFunc) -> Option<OpPattern> {
    let mut memory = Set::default();
    let mut params = function.params.iter().filter_map(|param| param.buffer.as_ref());
    if !params.all(|buffer| is_plain_tensor(buffer) && memory.insert(buffer.data.id())) {
        return None;
    }
    let StmtKind::Block { predicate, block: root, .. } = &function.body.kind else { return None };
    let plain = root.iters.is_empty() && root.match_buffers.is_empty() && root.init.is_none();
    if predicate.as_int() != Some(1) || !plain {
        return None;
    }
    let mut stages = Vec::new();
    collect(&root.body, &mut Vec::new(), 0, &mut stages)?;
    composed(&stages, &root.alloc_buffers)
}

/// The stages of a statement, each with the number of its nest.
fn collect(stmt: &Stmt, loops: &mut Vec<Loop>, nest: usize, found: &mut Vec<Stage>) -> Option<()> {
    match &stmt.kind {
        StmtKind::For { kind, annotations, .. } if *kind != ForKind::Serial || !annotations.is_empty() => None,
        StmtKind::For { var, min, extent, body, .. } => {
            loops.push(Loop { var: var.clone(), min: min.clone(), extent: extent.clone() });
            with_stack(|| collect(body, loops, nest, found))?;
            loops.pop();
            Some(())
        }
        StmtKind::Seq(stmts) if loops.is_empty() => {
            stmts.iter().enumerate().try_for_each(|(i, stmt)| collect(stmt, loops, nest + i, found))
        }
        StmtKind::Seq(stmts) => stmts.iter().try_for_each(|stmt| match &stmt.kind {
            StmtKind::Block { .. } => collect(stmt, loops, nest, found),
            _ => None,
        }),
        StmtKind::Block { values, predicate, block } if predicate.as_int() == Some(1) => {
            found.push(Stage::of(loops, values, block, nest)?);
            Some(())
        }
        _ => None,
    }
}

/// How a buffer came to be what it is.
struct Written {
    nest: usize,
    /// Nothing was read for it: it may be the start of a reduction.
    is_start: bool,
    /// It depends on a reduction of the function.
    is_reduced: bool,
}

/// The pattern of the stages one after the other.
fn composed(stages: &[Stage], temporaries: &[Buffer]) -> Option<OpPattern> {
    let mut written: Map<Buffer, Written> = Map::default();
    let (mut whole, mut reductions, mut mixed) = (OpPattern::Elementwise, Vec::new(), false);
    for stage in stages {
        let pattern = stage.pattern()?;
        let reduces = pattern > OpPattern::Injective;
        let mut is_reduced = reduces;
        for buffer in stage.inputs() {
            match written.get_mut(buffer) {
                Some(before) if before.nest == stage.nest => return None,
                Some(before) => {
                    before.is_start = false;
                    mixed |= before.is_reduced && (reduces || !stage.is_one_to_one(buffer));
                    is_reduced |= before.is_reduced;
                }
                None if temporaries.contains(buffer) => return None,
                None => {}
            }
        }
        mixed |= is_reduced && pattern == OpPattern::Injective;
        for buffer in stage.outputs() {
            let starts = |before: &Written| before.is_start && before.nest != stage.nest;
            let fits = match written.get(buffer) {
                Some(before) => stage.accumulates() && starts(before),
                None => !stage.accumulates(),
            };
            if !fits {
                return None;
            }
            written.insert(buffer.clone(), Written { nest: stage.nest, is_start: stage.reads_nothing(), is_reduced });
        }
        match reduces {
            true => reductions.push(pattern),
            false => whole = whole.max(pattern),
        }
    }
    match reductions.as_slice() {
        [] if stages.is_empty() => None,
        [] => Some(whole),
        [one] if !mixed => Some(*one),
        _ => Some(OpPattern::OutElementwiseFusable),
    }
}
