//! Choices.

use tilewright_expr::Intrinsic;
use tilewright_support::with_stack;

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
            Some(id) => id,
            None => self.make(dtype, tag, ids.to_vec()),
        }
    }
}
