//! Structural equality: bound variables correspond to each other, origins are ignored, a difference has a path.

use std::fmt;
use std::mem::take;
use std::sync::Arc;

use tilewright_support::{Map, NearMap};

use super::path::{Path, Step};
use super::{IrNode, VarId};

/// The first difference of two nodes, as seen from each side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    pub left: Path,
    pub right: Path,
}

/// The left path; the right one, too, where it differs.
impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.left.fmt(f)?;
        if self.left == self.right { Ok(()) } else { write!(f, " (on the other side {})", self.right) }
    }
}

impl std::error::Error for Mismatch {}

/// The treatment of free variables in a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FreeVariables {
    /// Each is only itself.
    AreThemselves,
    /// One may correspond to another, everywhere.
    MayStandForOthers,
}

/// State of a structural comparison: the correspondence of variables, and the first difference.
#[derive(Default, Debug)]
pub struct EqCx {
    forth: NearMap<VarId, VarId>,
    back: NearMap<VarId, VarId>,
    /// Pairs of shared nodes that were found to be equal, and after how many rebindings.
    equal: Map<(usize, usize), usize>,
    /// The number of rebindings of variables: earlier equalities may have depended on the old pairs.
    rebound: usize,
    /// Whether an unbound variable is bound at first sight.
    defining: bool,
    /// Whether a variable that is bound already is bound anew: at a binder, which one side may reach once, as a shared
    /// node, and the other twice, as two copies.
    rebinding: bool,
    /// Inside of what binds variables for itself alone: the pairs that were bound there.
    local: Option<Vec<(VarId, VarId)>>,
    /// Whether every free variable is only itself, and every bound one was bound to itself: then a node is equal to
    /// itself without a look.
    same_names: bool,
    /// The steps from the difference outwards.
    path: Vec<Step>,
    /// The innermost steps that differ: the left and the right one.
    ends: Option<(Step, Step)>,
}

impl EqCx {
    /// Compares from scratch; on a difference the path of the first one.
    pub fn compare<N: IrNode>(a: &N, b: &N) -> Result<(), Mismatch> {
        Self::compare_with(a, b, FreeVariables::AreThemselves)
    }

    /// As [`EqCx::compare`], with a say on free variables.
    pub fn compare_with<N: IrNode>(a: &N, b: &N, free: FreeVariables) -> Result<(), Mismatch> {
        let themselves = free == FreeVariables::AreThemselves;
        let mut cx = Self { defining: !themselves, same_names: themselves, ..Self::default() };
        if a.node_eq(b, &mut cx) { Ok(()) } else { Err(cx.mismatch()) }
    }

    fn mismatch(mut self) -> Mismatch {
        self.path.reverse();
        let outer = Path(self.path);
        match self.ends {
            None => Mismatch { left: outer.clone(), right: outer },
            Some((left, right)) => Mismatch { left: outer.then(left), right: outer.then(right) },
        }
    }

    /// Reports that the nodes differ right here.
    pub fn differ(&mut self) -> bool {
        false
    }

    /// Reports that only the left side has this part.
    pub fn only_left(&mut self, step: Step) -> bool {
        self.ends = Some((step.clone(), step.missing()));
        false
    }

    /// Reports that only the right side has this part.
    pub fn only_right(&mut self, step: Step) -> bool {
        self.ends = Some((step.clone().missing(), step));
        false
    }

    /// Compares a field and notes its name if it differs.
    pub fn field<N: IrNode>(&mut self, name: &'static str, a: &N, b: &N) -> bool {
        self.part(|| Step::field(name), a, b)
    }

    /// Compares a part and notes the step to it if it differs.
    pub fn part<N: IrNode>(&mut self, step: impl FnOnce() -> Step, a: &N, b: &N) -> bool {
        let equal = a.node_eq(b, self);
        if !equal {
            self.path.push(step());
        }
        equal
    }

    /// Compares what binds variables.
    pub fn binding(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = std::mem::replace(&mut self.rebinding, true);
        let equal = self.with_defining(compare);
        self.rebinding = before;
        equal
    }

    /// Compares that in which unbound variables are bound.
    pub fn defining(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        self.contents(|cx| cx.with_defining(compare))
    }

    /// Compares what binds variables for itself alone: outside of it they are free again.
    pub fn local(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        let outer = self.local.replace(Vec::new());
        let equal = compare(self);
        let bound = std::mem::replace(&mut self.local, outer).unwrap_or_default();
        // Equalities inside may have depended on these pairs.
        self.rebound += usize::from(!bound.is_empty());
        for (a, b) in bound {
            self.forth.remove(&a);
            self.back.remove(&b);
        }
        equal
    }

    /// Compares what shares no variables with the rest.
    pub fn scope(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        let outer = (take(&mut self.forth), take(&mut self.back), take(&mut self.equal));
        let equal = compare(self);
        (self.forth, self.back, self.equal) = outer;
        equal
    }

    fn with_defining(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = std::mem::replace(&mut self.defining, true);
        let equal = compare(self);
        self.defining = before;
        equal
    }

    /// Compares the fields of two variables: variables that these mention are not bound anew.
    pub fn contents(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = std::mem::replace(&mut self.rebinding, false);
        let equal = compare(self);
        self.rebinding = before;
        equal
    }

    /// Whether the variables correspond to each other. Their contents are compared by the caller when this says
    /// `Bound`.
    pub fn variables(&mut self, a: VarId, b: VarId) -> Variables {
        match (self.forth.get(&a), self.back.get(&b)) {
            (Some(&to), Some(&from)) if to == b && from == a => Variables::Same,
            (None, None) if self.defining => {
                self.same_names &= a == b;
                self.forth.insert(a, b);
                self.back.insert(b, a);
                if let Some(local) = &mut self.local {
                    local.push((a, b));
                }
                Variables::Bound
            }
            (None, None) if a == b => Variables::Same,
            _ if self.rebinding => {
                self.rebind(a, b);
                Variables::Bound
            }
            _ => Variables::Different,
        }
    }

    /// Lets the variables correspond to each other instead of their old counterparts.
    fn rebind(&mut self, a: VarId, b: VarId) {
        self.same_names &= a == b;
        if let Some(old) = self.forth.insert(a, b) {
            self.back.remove(&old);
        }
        if let Some(old) = self.back.insert(b, a)
            && old != a
        {
            self.forth.remove(&old);
        }
        self.rebound += 1;
    }

    /// Compares what two shared pointers point to, through the memory of shared pairs.
    pub fn shared<N: IrNode>(&mut self, a: &Arc<N>, b: &Arc<N>) -> bool {
        let pair = (Arc::as_ptr(a) as usize, Arc::as_ptr(b) as usize);
        if self.same_names && pair.0 == pair.1 {
            return true;
        }
        let shared = Arc::strong_count(a) > 1 || Arc::strong_count(b) > 1;
        if shared && self.equal.get(&pair) == Some(&self.rebound) {
            return true;
        }
        let equal = tilewright_support::with_stack(|| a.node_eq(b, self));
        if equal && shared {
            self.equal.insert(pair, self.rebound);
        }
        equal
    }
}

/// The answer of [`EqCx::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variables {
    Same,
    /// They correspond to each other from here on: compare their fields.
    Bound,
    Different,
}
