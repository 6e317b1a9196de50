//! Grouped-query attention with one query for each head: heads that share keys and values are the queries of a task.
//!
//! This is what a decoder has that generates one token after the other. Taken one by one, its heads would read the same
//! keys and values again each.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Range, Var};

use super::Attention;
use crate::analysis::axes::Axis;
use crate::build::exprs::{mentions_var, substituted, typed};

impl Attention {
    /// The same with heads that share keys and values as queries, where each of them has one.
    pub(super) fn with_heads_as_queries(self) -> Self {
        if self.query.extent.as_int() != Some(1) {
            return self;
        }
        let found = (0..self.batch.len()).rev().find_map(|at| {
            let heads = self.batch[at].extent.as_int()?;
            let groups = self.sharing(&self.batch[at].var, heads);
            groups.into_iter().filter(|&group| group > 1 && heads % group == 0).find_map(|g| self.in_groups(at, g))
        });
        found.unwrap_or(self)
    }

    /// How many heads may share keys and values, as the indices of these say.
    fn sharing(&self, head: &Var, heads: i64) -> Vec<i64> {
        let mut found = vec![heads];
        for formula in [&self.k, &self.v] {
            walk(formula, |e: &Expr| {
                if let ExprKind::Binary(BinOp::FloorDiv, of, by) = &e.kind
                    && of.as_var() == Some(head)
                    && let Some(by) = by.as_int()
                {
                    found.push(by);
                }
            });
        }
        found
    }

    /// The same with the heads of a group as queries, if keys and values are those of the group.
    fn in_groups(&self, at: usize, group: i64) -> Option<Self> {
        let (head, index) = (&self.batch[at], self.index);
        let count = head.extent.as_int()? / group;
        let of_group = Axis { var: head.var.renewed(), extent: Expr::int(count, index) };
        let own = Axis { var: self.query.var.renewed(), extent: Expr::int(group, index) };
        let mut known = Analyzer::default();
        for axis in [&of_group, &own] {
            known.bind(&axis.var, &Range::up_to(axis.extent.clone()));
        }
        let index_of_head = known.simplify(&(&(&Expr::var(&of_group.var) * group) + &Expr::var(&own.var)));
        let values = [(head.var.clone(), index_of_head), (self.query.var.clone(), Expr::int(0, index))];
        let grouped = |formula: &Expr| {
            let grouped = substituted(formula, &values);
            let simple = |e: &Expr| match &e.kind {
                ExprKind::Load { buffer, indices, predicate } => {
                    let indices = indices.iter().map(|index| known.simplify(index)).collect();
                    typed(Expr::load_where(buffer, indices, predicate.clone())).ok()
                }
                _ => None,
            };
            rewrite(&grouped, simple).unwrap_or(grouped)
        };
        let (k, v) = (grouped(&self.k), grouped(&self.v));
        if [&k, &v].into_iter().any(|formula| mentions_var(formula, &own.var)) {
            return None;
        }
        let mut batch = self.batch.clone();
        batch[at] = of_group;
        Some(Self {
            batch,
            query: own,
            q: grouped(&self.q),
            k,
            v,
            scores: grouped(&self.scores),
            result: grouped(&self.result),
            indices: self.indices.iter().map(|index| known.simplify(&substituted(index, &values))).collect(),
            ..self.clone()
        })
    }
}
