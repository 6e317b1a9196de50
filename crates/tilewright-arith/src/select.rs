//! Choices.

use crate::session::{Id, Session, Tag};

impl Session<'_> {
    /// `Select` and `IfThenElse`: condition, then, otherwise.
    pub(crate) fn select(&mut self, tag: Tag, [condition, then, otherwise]: [Id; 3]) -> Id {
        match self.lane_value(condition) {
            // select(true, a, b) = a
            Some(1) => return then,
            // select(false, a, b) = b
            Some(_) => return otherwise,
            None => {}
        }
        // select(c, a, a) = a
        if then == otherwise {
            return then;
        }
        // select(not c, a, b) = select(c, b, a)
        if let (Tag::Not, &[inner]) = (&self.node(condition).tag, self.node(condition).ids.as_slice()) {
            return self.select(tag, [inner, otherwise, then]);
        }
        let dtype = self.dtype(then);
        self.make(dtype, tag, vec![condition, then, otherwise])
    }
}
