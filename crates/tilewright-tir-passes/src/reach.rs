//! The conditions under which parts of an expression are evaluated.
//!
//! A *reach* says when a node is evaluated: always, where another reach and a condition hold, or where any of several
//! reaches holds, because a shared node has several users. Reaches are numbered and interned: the same condition node
//! under the same reach is one reach. A node reached on both sides of a choice is reached wherever the choice is.

use tilewright_expr::node::AnyHandle;
use tilewright_ir::tir::Expr;
use tilewright_support::{Map, Set};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reach(u32);

impl Reach {
    pub(crate) const ALWAYS: Self = Self(0);
}

#[derive(Debug)]
pub(crate) enum Kind {
    Always,
    /// Where `outer` is reached and the condition holds, or does not.
    Where {
        outer: Reach,
        condition: Expr,
        holds: bool,
    },
    /// Where one of the sides is reached; all of them lie within `outer`.
    Any {
        outer: Reach,
        sides: Vec<Reach>,
    },
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    depth: u32,
}

/// All reaches of a statement.
#[derive(Debug)]
pub(crate) struct Reaches {
    nodes: Vec<Node>,
    /// By the outer reach and the address of the condition, which the node keeps alive.
    known: Map<(Reach, usize, bool), Reach>,
}

impl Default for Reaches {
    fn default() -> Self {
        Self { nodes: vec![Node { kind: Kind::Always, depth: 0 }], known: Map::default() }
    }
}

impl Reaches {
    pub(crate) fn kind(&self, reach: Reach) -> &Kind {
        &self.nodes[reach.0 as usize].kind
    }

    fn depth(&self, reach: Reach) -> u32 {
        self.nodes[reach.0 as usize].depth
    }

    fn push(&mut self, kind: Kind, outer: Reach) -> Reach {
        let depth = self.depth(outer) + 1;
        self.nodes.push(Node { kind, depth });
        Reach(self.nodes.len() as u32 - 1)
    }

    /// The enclosing reach.
    fn outer(&self, reach: Reach) -> Option<Reach> {
        match self.kind(reach) {
            Kind::Always => None,
            Kind::Where { outer, .. } | Kind::Any { outer, .. } => Some(*outer),
        }
    }

    /// The reach and all enclosing ones.
    fn chain(&self, reach: Reach) -> impl Iterator<Item = Reach> {
        std::iter::successors(Some(reach), |&at| self.outer(at))
    }

    /// The conditions that certainly hold there, the outermost first.
    pub(crate) fn conditions(&self, reach: Reach) -> Vec<Reach> {
        let mut all: Vec<Reach> = self.chain(reach).filter(|&at| matches!(self.kind(at), Kind::Where { .. })).collect();
        all.reverse();
        all
    }

    /// Whether it is a conjunction of conditions, without alternatives.
    pub(crate) fn is_plain(&self, reach: Reach) -> bool {
        !self.chain(reach).any(|at| matches!(self.kind(at), Kind::Any { .. }))
    }

    /// Where `outer` is reached and the condition holds, or does not.
    pub(crate) fn within(&mut self, outer: Reach, condition: &Expr, holds: bool) -> Reach {
        let key = (outer, condition.address(), holds);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let reach = self.push(Kind::Where { outer, condition: condition.clone(), holds }, outer);
        self.known.insert(key, reach);
        reach
    }

    /// Whether the one is reached only where the other is, as far as the conditions around it say.
    pub(crate) fn implies(&self, reach: Reach, other: Reach) -> bool {
        self.chain(reach).any(|at| at == other)
    }

    /// The reaches and the condition that define it.
    pub(crate) fn needs(&self, reach: Reach) -> (Vec<Reach>, Option<Expr>) {
        match self.kind(reach) {
            Kind::Always => (Vec::new(), None),
            Kind::Where { outer, condition, .. } => (vec![*outer], Some(condition.clone())),
            Kind::Any { sides, .. } => (sides.clone(), None),
        }
    }

    /// The union of reaches.
    pub(crate) fn any(&mut self, mut sides: Vec<Reach>) -> Reach {
        loop {
            let all: Set<Reach> = sides.iter().copied().collect();
            let mut kept = Set::default();
            sides.retain(|&side| kept.insert(side) && !self.chain(side).skip(1).any(|outer| all.contains(&outer)));
            let opposite = |side: Reach| match self.kind(side) {
                Kind::Where { outer, condition, holds } => {
                    let other = self.known.get(&(*outer, condition.address(), !holds))?;
                    Some((*outer, *other)).filter(|_| all.contains(other))
                }
                _ => None,
            };
            let mut widened = false;
            let mut next = Vec::with_capacity(sides.len());
            for &side in &sides {
                match opposite(side) {
                    Some((outer, _)) => {
                        widened = true;
                        next.push(outer);
                    }
                    None => next.push(side),
                }
            }
            sides = next;
            if !widened {
                break;
            }
        }
        match sides.as_slice() {
            [] => Reach::ALWAYS,
            &[single] => single,
            &[first, ..] => {
                let outer = sides.iter().fold(first, |a, &b| self.common(a, b));
                self.push(Kind::Any { outer, sides }, outer)
            }
        }
    }

    /// The narrowest reach that encloses both.
    fn common(&self, mut a: Reach, mut b: Reach) -> Reach {
        while a != b {
            let deeper = if self.depth(a) >= self.depth(b) { &mut a } else { &mut b };
            *deeper = self.outer(*deeper).unwrap_or(Reach::ALWAYS);
        }
        a
    }
}
