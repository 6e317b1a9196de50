//! Data dependence of buffers on an argument, by elements and by rows.
//!
//! The argument's *rows* are named by some of its dimensions, the same for all statements; where nothing is reduced, an
//! element is a row. A buffer computed from the argument has
//!
//! - *elements*: it is indexed as the argument, and an element of it comes from the argument's element there and from
//!   what there is of its row: `t[i, j] = x[i, j] - s[i]`; or
//! - *values of rows*: an element comes from one row, which some of its dimensions name: `s[i] = sum over k of x[i,
//!   k]`.
//!
//! A product is neither: `x[i, k]` is needed for all elements `y[i, j]`, and its axis `j` names no row.

use tilewright_expr::node::walk;
use tilewright_ir::nest::{Nest, loads, same_indices};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, IterKind, IterVar, Stmt, StmtKind, Var};

/// The buffers computed from an argument by the statements so far.
pub(super) struct Dependence {
    elements: Vec<Buffer>,
    /// With the dimensions that name the row, in the order of `rows`.
    values: Vec<(Buffer, Vec<usize>)>,
    /// The argument's dimensions that name a row; nothing as long as nothing is reduced.
    rows: Option<Vec<usize>>,
}

/// A statement that stores the elements of one buffer.
struct Stage<'a> {
    iters: &'a [IterVar],
    stored: &'a Buffer,
    indices: &'a [Expr],
    value: &'a Expr,
}

impl Dependence {
    pub(super) fn of(argument: &Buffer) -> Self {
        Self { elements: vec![argument.clone()], values: Vec::new(), rows: None }
    }

    /// Whether the statement uses the argument or what is computed from it.
    pub(super) fn reaches(&self, stmt: &Stmt) -> bool {
        self.buffers().any(|buffer| touches(stmt, buffer))
    }

    /// Takes in a statement that is reached; whether it computes elements or values of rows.
    pub(super) fn follow(&mut self, stmt: &Stmt) -> bool {
        Nest::of(stmt).is_some_and(|nest| self.follow_nest(&nest).is_some())
    }

    /// Whether the buffer is known to have elements.
    pub(super) fn has_elements(&self, buffer: &Buffer) -> bool {
        self.elements.contains(buffer)
    }

    fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.elements.iter().chain(self.values.iter().map(|(buffer, _)| buffer))
    }

    fn follow_nest(&mut self, nest: &Nest) -> Option<()> {
        let block = &nest.block;
        let StmtKind::Store { buffer: stored, indices, value, predicate: None } = &block.body.kind else { return None };
        let stage = Stage { iters: &block.iters, stored, indices, value };
        let around = nest.loops.iter().flat_map(|l| [&l.min, &l.extent]).chain(&nest.values).chain([&nest.predicate]);
        let mut elsewhere = around.chain(indices);
        let known = |expr: &Expr| self.buffers().chain([stored]).all(|buffer| loads(expr, buffer).is_empty());
        let plain = block.alloc_buffers.is_empty() && block.match_buffers.is_empty() && elsewhere.all(known);
        if !plain || block.init.as_ref().is_some_and(|init| self.reaches(init)) {
            return None;
        }
        let spatial = block.iters.iter().all(|iter| iter.kind == IterKind::Spatial);
        match (&block.init, spatial) {
            (None, true) if nest.runs_each_instance_once() => self.spatial(&stage),
            (_, false) => self.reduction(&stage),
            _ => None,
        }
    }

    /// A statement that computes each element by itself.
    fn spatial(&mut self, stage: &Stage<'_>) -> Option<()> {
        if !stage.wide().all(|iter| stage.dim_of(&iter.var).is_some()) {
            return None;
        }
        let element = self.elements.first().is_some_and(|x| same_shape(x, stage.stored));
        let same = |at: &Vec<Expr>| element && same_indices(at, stage.indices);
        if !self.elements.iter().all(|buffer| loads(stage.value, buffer).iter().all(same)) {
            return None;
        }
        let named = self.rows_named(stage)?;
        if element {
            let rows = self.rows.as_deref().unwrap_or_default();
            let own = |names: &Vec<Var>| names.iter().zip(rows).all(|(name, dim)| stage.dim_of(name) == Some(*dim));
            named.iter().all(own).then(|| self.elements.push(stage.stored.clone()))
        } else {
            self.values_of_row(stage, &named)
        }
    }

    /// A sum, or another reduction, of rows.
    fn reduction(&mut self, stage: &Stage<'_>) -> Option<()> {
        if !loads(stage.value, stage.stored).iter().all(|at| same_indices(at, stage.indices)) {
            return None;
        }
        let mut named = Vec::new();
        for buffer in &self.elements {
            for at in loads(stage.value, buffer) {
                let (mut rows, mut names) = (Vec::new(), Vec::new());
                for (dim, index) in at.iter().enumerate().filter(|(dim, _)| is_wide(buffer, *dim)) {
                    let iter = stage.iters.iter().find(|iter| index.as_var() == Some(&iter.var))?;
                    if iter.kind == IterKind::Spatial {
                        rows.push(dim);
                        names.push(iter.var.clone());
                    }
                }
                if *self.rows.get_or_insert_with(|| rows.clone()) != rows {
                    return None;
                }
                named.push(names);
            }
        }
        named.extend(self.rows_named(stage)?);
        self.values_of_row(stage, &named)
    }

    /// The axes that name the row wherever the statement loads values of rows; nothing where something else does.
    fn rows_named(&self, stage: &Stage<'_>) -> Option<Vec<Vec<Var>>> {
        let of = |(buffer, dims): &(Buffer, Vec<usize>)| {
            let name = |at: &Vec<Expr>, dim: &usize| at.get(*dim)?.as_var().cloned();
            let names = |at: Vec<Expr>| dims.iter().map(|dim| name(&at, dim)).collect::<Option<Vec<Var>>>();
            loads(stage.value, buffer).into_iter().map(names).collect::<Option<Vec<_>>>()
        };
        Some(self.values.iter().map(of).collect::<Option<Vec<_>>>()?.concat())
    }

    /// Records a stage that has values of the rows that the axes name: the same axes everywhere, and no others.
    fn values_of_row(&mut self, stage: &Stage<'_>, named: &[Vec<Var>]) -> Option<()> {
        let (first, others) = named.split_first()?;
        let mut spatial = stage.wide().filter(|iter| iter.kind == IterKind::Spatial);
        if others.iter().any(|names| names != first) || !spatial.all(|iter| first.contains(&iter.var)) {
            return None;
        }
        let dims = first.iter().map(|name| stage.dim_of(name)).collect::<Option<Vec<_>>>()?;
        self.values.push((stage.stored.clone(), dims));
        Some(())
    }
}

impl Stage<'_> {
    /// The axes of more than one value.
    fn wide(&self) -> impl Iterator<Item = &IterVar> {
        self.iters.iter().filter(|iter| iter.domain.extent.as_int() != Some(1))
    }

    /// The dimension of the stored element that the axis is the index of.
    fn dim_of(&self, axis: &Var) -> Option<usize> {
        self.indices.iter().position(|index| index.as_var() == Some(axis))
    }
}

fn is_wide(buffer: &Buffer, dim: usize) -> bool {
    buffer.shape.get(dim).is_none_or(|extent| extent.as_int() != Some(1))
}

fn same_shape(a: &Buffer, b: &Buffer) -> bool {
    same_indices(&a.shape, &b.shape)
}

/// Whether the statement loads from the buffer or stores to it.
pub(super) fn touches(stmt: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| {
        found |= matches!(&stmt.kind, StmtKind::Store { buffer: stored, .. } if stored == buffer);
    });
    walk(stmt, |expr: &Expr| {
        found |= matches!(&expr.kind, ExprKind::Load { buffer: loaded, .. } if loaded == buffer);
    });
    found
}
