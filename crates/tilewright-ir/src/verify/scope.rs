//! Scopes: the definitions in force.

use std::collections::hash_map::Entry;

use tilewright_expr::node::VarId;
use tilewright_support::{Map, NearMap};

/// The scopes that are open, from outside inwards, and what each defines.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// A number for each open scope that no other scope has.
    open: Vec<u64>,
    last: u64,
    defined: Vec<Vec<VarId>>,
    level: NearMap<VarId, Level>,
    /// Nodes that were checked, with the innermost scope that they depend on: while that scope is open, they need no
    /// second look.
    checked: Map<(usize, u8), (Level, u64)>,
}

/// The number of a scope from outside; 0 is "no scope at all".
pub(super) type Level = usize;

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.last += 1;
        self.open.push(self.last);
        self.defined.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
        let ids = self.defined.pop().unwrap_or_default();
        let level = &mut self.level;
        // Where they are a good part of the table it costs less to clear it than to take them out one by one.
        if ids.len() > level.capacity() / 8 {
            let kept: Vec<_> = self.defined.iter().flatten().filter_map(|id| level.remove_entry(id)).collect();
            level.clear();
            level.extend(kept);
        } else {
            ids.iter().for_each(|id| _ = level.remove(id));
        }
    }

    /// The innermost scope.
    pub(super) fn here(&self) -> Level {
        self.open.len()
    }

    /// Defines something in the innermost scope; false if it was defined already.
    pub(super) fn define(&mut self, id: VarId) -> bool {
        self.define_at(id, self.here())
    }

    /// Defines something in an open scope; false if it was defined already.
    pub(super) fn define_at(&mut self, id: VarId, level: Level) -> bool {
        match self.level.entry(id) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(free) => free.insert(level),
        };
        if let Some(defined) = self.defined.get_mut(level.wrapping_sub(1)) {
            defined.push(id);
        }
        true
    }

    /// The scope in which it is defined, if it is.
    pub(super) fn level(&self, id: VarId) -> Option<Level> {
        self.level.get(&id).copied()
    }

    /// The dependences of the node at this address, if it was checked in the same context and that scope is still open.
    pub(super) fn checked(&self, address: usize, context: u8) -> Option<Level> {
        let &(level, number) = self.checked.get(&(address, context))?;
        (level == 0 || self.open.get(level - 1) == Some(&number)).then_some(level)
    }

    /// Remembers that the node was checked and what it depends on.
    pub(super) fn remember(&mut self, address: usize, context: u8, level: Level) {
        let number = level.checked_sub(1).and_then(|at| self.open.get(at)).copied().unwrap_or_default();
        self.checked.insert((address, context), (level, number));
    }
}
