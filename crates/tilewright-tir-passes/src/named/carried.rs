//! Dependences between the statements of a pipelined loop.
//!
//! A statement of stage `s` at place `o` of the order does iteration `i` at the time `(i + s, o)`. Of two statements
//! that access one element, the one that comes first in the loop has to come first in time, also where they are of
//! different iterations: statement `X` of iteration `i` in front of `Y` of iteration `i + d` changes place if
//! `i + s(X) > i + d + s(Y)`, or if both are equal and `X` has the later place in the order.

use tilewright_arith::Analyzer;
use tilewright_expr::node::VarId;
use tilewright_ir::tir::{Buffer, BufferRegion, CmpOp, Expr, Range, Var};
use tilewright_support::Map;

use super::pipeline::{Part, touches};
use super::refuse;
use crate::stmt::{Result, reads};
use crate::substitute::Substitute;

/// What one statement writes and a later one of the body reads is not done in a later stage, and within a stage not in
/// another order.
pub(super) fn check_order(parts: &[Part]) -> Result<()> {
    for (at, first) in parts.iter().enumerate() {
        for second in parts.iter().skip(at + 1) {
            let depends = first.block.writes.iter().any(|write| touches(&second.block.reads, &write.buffer));
            if depends && first.passes(second, 0) {
                return refuse(format!(
                    "a statement in stage {} cannot depend on one in stage {}, which runs later",
                    second.stage, first.stage
                ));
            }
        }
    }
    Ok(())
}

impl Part {
    /// Whether the statement runs after the other one, `distance` iterations later, does.
    fn passes(&self, other: &Self, distance: i64) -> bool {
        let (own, later) = (self.stage, other.stage + distance);
        own > later || (own == later && self.order > other.order)
    }
}

/// The accesses of a loop whose iterations overlap.
pub(super) struct Carried<'a> {
    pub analyzer: &'a mut Analyzer,
    pub var: &'a Var,
    pub range: &'a Range,
    /// Memory that each iteration has of its own.
    pub temporaries: &'a [Buffer],
    pub versions: &'a Map<VarId, (Buffer, Buffer, i64)>,
}

impl Carried<'_> {
    pub(super) fn check(&mut self, parts: &[Part]) -> Result<()> {
        let scope = self.analyzer.enter();
        self.analyzer.bind(self.var, self.range);
        let checked = self.parts(parts);
        self.analyzer.leave(scope);
        checked
    }

    fn parts(&self, parts: &[Part]) -> Result<()> {
        for (at, first) in parts.iter().enumerate() {
            for (other, second) in parts.iter().enumerate() {
                let nearest = i64::from(at >= other);
                for distance in nearest..=first.stage - second.stage {
                    if !first.passes(second, distance) {
                        continue;
                    }
                    let (own, later) = (&first.block, &second.block);
                    let pairs =
                        [(&own.writes, &later.reads), (&own.reads, &later.writes), (&own.writes, &later.writes)];
                    let met = pairs.into_iter().find_map(|(own, later)| self.met(own, later, distance));
                    if let Some(buffer) = met {
                        return refuse(self.message(first, second, &buffer, distance));
                    }
                }
            }
        }
        Ok(())
    }

    fn message(&self, first: &Part, second: &Part, buffer: &Buffer, distance: i64) -> String {
        format!(
            "in the software pipeline over `{}`, a statement in stage {} would access `{}` before one in stage {} of {} \
             does, which comes first in the loop: give them one stage, or allocate `{}` inside of the loop",
            self.var.name,
            second.stage,
            buffer.name,
            first.stage,
            if distance == 0 { "the same iteration".to_owned() } else { format!("the iteration {distance} before") },
            buffer.name,
        )
    }

    /// Memory of which both may access one element, the second of them `distance` iterations later.
    fn met(&self, own: &[BufferRegion], later: &[BufferRegion], distance: i64) -> Option<Buffer> {
        let pairs = own.iter().flat_map(|a| later.iter().map(move |b| (a, b)));
        let mut pairs = pairs.filter(|(a, b)| a.buffer.data == b.buffer.data);
        pairs.find(|(a, b)| !self.apart(a, b, distance)).map(|(a, _)| a.buffer.clone())
    }

    fn apart(&self, a: &BufferRegion, b: &BufferRegion, distance: i64) -> bool {
        if self.temporaries.iter().any(|own| own.data == a.buffer.data) {
            let count = self.versions.get(&a.buffer.id()).map_or(1, |(_, _, count)| *count);
            return distance % count != 0;
        }
        if a.buffer != b.buffer {
            return false;
        }
        let mut moved = Substitute::value(self.var, &Expr::var(self.var) + distance);
        a.region.iter().zip(&b.region).any(|(a, b)| {
            let b = moved.apply(b);
            let loads = [&a.min, &a.extent, &b.min, &b.extent].into_iter().any(reads);
            let below = |a: &Range, b: &Range| {
                let end = &a.min + &a.extent;
                self.analyzer.decide(CmpOp::Le, &end, &b.min) == Some(true)
            };
            !loads && a.min.dtype == b.min.dtype && (below(a, &b) || below(&b, a))
        })
    }
}
