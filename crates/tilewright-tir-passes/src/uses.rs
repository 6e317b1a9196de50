//! The temporaries whose memory each statement uses.
//!
//! The answer for a statement is found once, as long as the statement stays the same: passes that move many
//! temporaries, one after the other, recompute it only for the statements that they changed.

use std::rc::Rc;

use tilewright_expr::node::{AnyHandle, VarId, Visitor, walk};
use tilewright_ir::tir::{Buffer, Stmt, StmtKind};
use tilewright_support::{Map, with_stack};

/// One bit for each temporary.
type Bits = Rc<[u64]>;

pub(crate) struct Uses {
    /// The temporaries' numbers, by data variable.
    numbers: Map<VarId, usize>,
    /// By address; the statement is kept alive.
    known: Map<usize, (Stmt, Bits)>,
}

impl Uses {
    pub(crate) fn of(body: &Stmt) -> Self {
        let mut numbers = Map::default();
        walk(body, |stmt: &Stmt| {
            if let StmtKind::Allocate { buffer, .. } = &stmt.kind {
                let number = numbers.len();
                numbers.entry(buffer.data.id()).or_insert(number);
            }
        });
        Self { numbers, known: Map::default() }
    }

    /// Whether the statement uses the memory of the temporary.
    pub(crate) fn has(&mut self, stmt: &Stmt, buffer: &Buffer) -> bool {
        let Some(&number) = self.numbers.get(&buffer.data.id()) else { return true };
        self.uses(stmt, number)
    }

    fn uses(&mut self, stmt: &Stmt, number: usize) -> bool {
        match &stmt.kind {
            StmtKind::Seq(stmts) => stmts.iter().any(|stmt| self.uses(stmt, number)),
            _ => has(&self.bits(stmt), number),
        }
    }

    fn bits(&mut self, stmt: &Stmt) -> Bits {
        if let Some((_, known)) = self.known.get(&stmt.address()) {
            return known.clone();
        }
        let mut bits = vec![0; self.numbers.len().div_ceil(64)];
        let mut parts = Parts { uses: self, bits: &mut bits };
        with_stack(|| stmt.visit_inside(&mut parts));
        let bits: Bits = bits.into();
        self.known.insert(stmt.address(), (stmt.clone(), bits.clone()));
        bits
    }
}

fn has(bits: &[u64], number: usize) -> bool {
    bits.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

/// Collects the temporaries that a statement uses: in its own expressions and buffers, and in the statements inside.
struct Parts<'a> {
    uses: &'a mut Uses,
    bits: &'a mut [u64],
}

impl Parts<'_> {
    fn buffer(&mut self, buffer: &Buffer) {
        if let Some(&number) = self.uses.numbers.get(&buffer.data.id())
            && let Some(word) = self.bits.get_mut(number / 64)
        {
            *word |= 1 << (number % 64);
        }
    }
}

impl Visitor for Parts<'_> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        if let Some(stmt) = node.downcast::<Stmt>() {
            let inner = self.uses.bits(stmt);
            self.bits.iter_mut().zip(inner.iter()).for_each(|(all, inner)| *all |= inner);
        } else if let Some(buffer) = node.downcast::<Buffer>() {
            self.buffer(buffer);
        } else if let Some(expr) = node.downcast::<tilewright_ir::tir::Expr>() {
            walk(expr, |buffer: &Buffer| self.buffer(buffer));
        }
    }
}
