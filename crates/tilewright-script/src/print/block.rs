//! Blocks as text: axes, regions, and what follows.

use tilewright_expr::{Expr, Range};
use tilewright_ir::tir::{Block, BufferRegion, IterKind, IterVar};

use super::scalar::quoted;
use super::{Namespace, Printer};
use crate::spelling::range_stop;

impl Printer<'_> {
    pub(super) fn block(&mut self, values: &[Expr], predicate: &Expr, block: &Block) {
        self.marked(block, |p| p.block_text(values, predicate, block));
    }

    /// A block that is no instance: its axes are bound to nothing.
    pub(super) fn block_alone(&mut self, block: &Block) {
        self.marked(block, |p| p.block_of(None, &Expr::bool(true), block));
    }

    fn block_text(&mut self, values: &[Expr], predicate: &Expr, block: &Block) {
        self.block_of(Some(values), predicate, block);
    }

    fn block_of(&mut self, values: Option<&[Expr]>, predicate: &Expr, block: &Block) {
        self.doc.line();
        self.doc.text("with ");
        self.call("block", |p| {
            p.doc.text(&quoted(&block.name));
            if values.is_none() {
                p.doc.separator();
                p.doc.text("no_realize=True");
            }
        });
        self.doc.text(":");
        self.doc.indent();
        self.names.open();
        self.axes(&block.iters, values.unwrap_or_default());
        if predicate.as_int() != Some(1) {
            self.doc.line();
            self.call("where", |p| p.scalar(predicate));
        }
        self.regions("reads", &block.reads);
        self.regions("writes", &block.writes);
        self.attrs_line(Namespace::Tir, "block_attr", &block.annotations, None);
        self.block_contents(block);
        self.names.close();
        self.doc.dedent();
    }

    /// One line for each axis; neighbours that follow their loops from end to end share one.
    fn axes(&mut self, iters: &[IterVar], values: &[Expr]) {
        let mut at = 0;
        while at < iters.len() {
            let run = iters[at..].iter().zip(values.get(at..).unwrap_or_default());
            let run = run.take_while(|(iter, value)| self.follows_its_loop(iter, value)).count();
            if run > 1 {
                self.remap(&iters[at..at + run], &values[at..at + run]);
                at += run;
            } else {
                self.axis(&iters[at], values.get(at));
                at += 1;
            }
        }
    }

    fn follows_its_loop(&self, iter: &IterVar, value: &Expr) -> bool {
        if !self.options.syntax_sugar {
            return false;
        }
        matches!(iter.kind, IterKind::Spatial | IterKind::Reduce)
            && value
                .as_var()
                .and_then(|var| self.ranges.get(&var.id()))
                .is_some_and(|range| range.min.equal(&iter.domain.min) && range.extent.equal(&iter.domain.extent))
    }

    fn remap(&mut self, iters: &[IterVar], values: &[Expr]) {
        self.doc.line();
        let names: Vec<_> = iters.iter().map(|iter| self.names.define(iter.var.id(), &iter.var.name)).collect();
        let kinds: String = iters.iter().map(|iter| if iter.kind == IterKind::Spatial { 'S' } else { 'R' }).collect();
        self.doc.write(format_args!("{} = ", names.join(", ")));
        self.call("axis.remap", |p| {
            p.doc.write(format_args!("\"{kinds}\""));
            p.doc.separator();
            p.list("[", values, "]", |p, value| p.scalar(value));
        });
    }

    fn axis(&mut self, iter: &IterVar, value: Option<&Expr>) {
        self.marked(iter, |p| p.axis_text(iter, value));
    }

    fn axis_text(&mut self, iter: &IterVar, value: Option<&Expr>) {
        self.doc.line();
        let name = self.names.define(iter.var.id(), &iter.var.name);
        self.doc.write(format_args!("{name} = "));
        let function = match iter.kind {
            IterKind::Spatial => "axis.spatial",
            IterKind::Reduce => "axis.reduce",
            IterKind::Scan => "axis.scan",
            IterKind::Opaque => "axis.opaque",
        };
        self.call(function, |p| {
            p.axis_domain(&iter.domain);
            if let Some(value) = value {
                p.doc.separator();
                p.scalar(value);
            }
        });
    }

    fn axis_domain(&mut self, domain: &Range) {
        if domain.min.as_int() == Some(0) {
            return self.scalar(&range_stop(domain));
        }
        self.doc.open("(");
        self.start_stop(domain);
        self.doc.close(")");
    }

    /// `(0, 10)`: the ends of a range.
    pub(super) fn range_arguments(&mut self, range: &Range) {
        self.doc.open("(");
        self.scalar(&range.min);
        self.doc.separator();
        self.scalar(&range_stop(range));
        self.doc.close(")");
    }

    /// `T.iter_var(i, T.Range(0, 8), "DataPar", "")`.
    pub(super) fn iter_var(&mut self, iter: &IterVar) {
        let tag = if iter.var.name.contains('.') { &*iter.var.name } else { "" };
        let kind = match iter.kind {
            _ if !tag.is_empty() => "ThreadIndex",
            IterKind::Spatial => "DataPar",
            IterKind::Reduce => "CommReduce",
            IterKind::Scan => "Ordered",
            IterKind::Opaque => "Opaque",
        };
        self.call("iter_var", |p| {
            p.variable(&iter.var);
            p.doc.separator();
            p.qualified(Namespace::Tir, "Range");
            p.range_arguments(&iter.domain);
            p.doc.separator();
            p.doc.write(format_args!("\"{kind}\""));
            p.doc.separator();
            p.doc.write(format_args!("\"{tag}\""));
        });
    }

    fn regions(&mut self, function: &str, regions: &[BufferRegion]) {
        self.doc.line();
        if regions.is_empty() {
            self.qualified(Namespace::Tir, function);
            return self.doc.text("()");
        }
        self.qualified(Namespace::Tir, function);
        self.list("(", regions, ")", |p, region| p.region(region));
    }

    /// `A[i, 0:4]`.
    pub(super) fn region(&mut self, region: &BufferRegion) {
        self.marked(region, |p| p.region_text(region));
    }

    fn region_text(&mut self, region: &BufferRegion) {
        let name = self.buffer(&region.buffer);
        self.marked(&region.buffer, |p| p.doc.text(&name));
        if region.region.is_empty() {
            return self.doc.text("[()]");
        }
        self.subscript(&region.region, Self::region_range);
    }
}
