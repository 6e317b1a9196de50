//! Choices.

use tilewright_expr::{BinOp, Intrinsic};
use tilewright_support::{Set, with_stack};

use crate::rules::Root;
use crate::session::{Id, Session, Tag};

impl Session<'_> {
    /// `Select` and `IfThenElse`: condition, then, otherwise.
    pub(crate) fn select(&mut self, tag: Tag, [condition, then, otherwise]: [Id; 3]) -> Id {
        let dtype = self.dtype(then);
        match self.lane_value(condition) {
            // select(true, a, b) = a
            Some(1) => return then,
            // select(false, a, b) = b
            Some(_) => return otherwise,
            None => {}
        }
        let lazy = tag == Tag::Call(Intrinsic::IfThenElse);
        let ids = [condition, then, otherwise];
        match with_stack(|| self.rewritten(Root::Select, &ids, lazy, dtype)) {
            Some(id) if !lazy || self.keeps_lazy(id, condition) => id,
            _ => self.make(dtype, tag, ids.to_vec()),
        }
    }

    /// Whether what a lazy choice has become evaluates nothing that the choice did not: `and` and `or` evaluate both
    /// sides, where a choice evaluates its branch only where the condition says so.
    fn keeps_lazy(&self, id: Id, condition: Id) -> bool {
        let joined = match &self.node(id).tag {
            Tag::Call(Intrinsic::IfThenElse) => self.node(id).ids[0],
            _ => id,
        };
        let joins = matches!(self.node(joined).tag, Tag::Binary(BinOp::And | BinOp::Or));
        joined == condition || !joins || !self.may_fault(joined)
    }

    /// Whether there is a load, a call or a division inside.
    fn may_fault(&self, id: Id) -> bool {
        let mut open = vec![id];
        let mut seen = Set::default();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.node(id);
            match &node.tag {
                Tag::Load(..) | Tag::Foreign(..) | Tag::AddressOf(_) => return true,
                Tag::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod) => return true,
                _ => open.extend(&node.ids),
            }
        }
        false
    }
}
