//! Calls whose rule was found to give what they say.
//!
//! The result of a rule follows from the call itself, and whether a PrimFunc takes the arguments from the call and the
//! PrimFunc, none of which ever changes. A pass keeps the objects of nearly all calls of a graph, so that the check
//! after it runs few rules.

use std::mem::take;
use std::sync::Arc;

use tilewright_expr::node::AnyHandle;
use tilewright_support::Map;

use crate::relax::Expr;
use crate::tir::PrimFunc;

/// Calls that were checked, of the last module that was found well-formed and of the one that is looked at. They are
/// kept, so that an address identifies a call; those of earlier modules are dropped.
#[derive(Clone, Default, Debug)]
pub(super) struct Settled {
    before: Map<usize, Checked>,
    now: Map<usize, Checked>,
}

#[derive(Clone, Debug)]
struct Checked {
    _call: Expr,
    /// The PrimFunc that it names, where it is one of such.
    function: Option<Arc<PrimFunc>>,
}

impl Settled {
    /// Whether the call was checked, with this PrimFunc; from now on it was.
    pub(super) fn settle(&mut self, call: &Expr, function: Option<&Arc<PrimFunc>>) -> bool {
        let address = call.address();
        let same = |known: &Checked| known.function.as_ref().map(Arc::as_ptr) == function.map(Arc::as_ptr);
        if self.now.get(&address).is_some_and(same) {
            return true;
        }
        let known = self.before.get(&address).is_some_and(same);
        self.now.insert(address, Checked { _call: call.clone(), function: function.cloned() });
        known
    }

    /// Ends a module: it is compared with the next one, if it was well-formed.
    pub(super) fn finish(&mut self, sound: bool) {
        let now = take(&mut self.now);
        if sound {
            self.before = now;
        }
    }
}
