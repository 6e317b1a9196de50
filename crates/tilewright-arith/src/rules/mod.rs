//! The table of rewrite rules, and how a rule is applied.
//!
//! A rule is its equation, as text: it is read once, applied to interned nodes, proved on random values by the tests,
//! and handed out by [`rewrite_rules`] for the documentation. An equation over `Domain::Index` holds for the
//! mathematical integers and is applied where nothing can have wrapped around; one over `Domain::Integer` holds for
//! every integer type with its wrap-around; one over `Domain::Any` for values of any type.
//!
//! Most rules are applied by their pattern. Those of sums are found in the normal form `Σ coefficient · term`, whose
//! order says nothing: those of a sum's own terms by a first term that fixes all operands, those of operations on sums
//! by the code that takes the sum apart (`divide`, `compare`, `extremes`).

mod apply;
mod pattern;
mod table;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use tilewright_expr::{BinOp, CmpOp};
use tilewright_support::Map;

pub(crate) use apply::Bindings;
pub(crate) use pattern::Pattern;
use pattern::{Equation, equation};

/// The sort of values of an equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Domain {
    Any,
    Integer,
    Index,
}

/// The code that applies a group's rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Applied {
    ByPattern,
    /// To a sum that has the left side's terms among its own.
    InSums,
    /// By code that works on normal forms of sums.
    BySums,
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) domain: Domain,
    pub(crate) applied: Applied,
    pub(crate) equations: &'static [&'static str],
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) domain: Domain,
    pub(crate) left: Pattern,
    pub(crate) right: Pattern,
    pub(crate) conditions: Vec<Pattern>,
    /// The right side adds no sum or product: where the left side did not wrap around, neither does it.
    pub(crate) closed: bool,
}

/// A rule of a sum: `pivot · scale + others = right`.
#[derive(Debug)]
pub(crate) struct TermRule {
    pub(crate) pivot: Pattern,
    pub(crate) scale: Option<Pattern>,
    pub(crate) others: Option<Pattern>,
    pub(crate) right: Pattern,
    pub(crate) conditions: Vec<Pattern>,
}

/// The operation at the root of a left side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    Binary(BinOp),
    Compare(CmpOp),
    Not,
    Select,
    Ramp,
}

#[derive(Debug, Default)]
pub(crate) struct Rules {
    by_root: Map<Root, Vec<Rule>>,
    pub(crate) of_terms: Vec<TermRule>,
}

impl Rules {
    /// The rules for nodes with this operation, in the table's order.
    pub(crate) fn at(&self, root: Root) -> &[Rule] {
        self.by_root.get(&root).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, group: &Group, Equation { left, right, conditions }: Equation) {
        match group.applied {
            Applied::ByPattern => {
                let Some(root) = root(&left) else { return };
                let closed = right.is_closed();
                let rule = Rule { domain: group.domain, left, right, conditions, closed };
                self.by_root.entry(root).or_default().push(rule);
            }
            Applied::InSums => {
                let (pivot, others) = match left {
                    Pattern::Binary(BinOp::Add, pivot, others) => (*pivot, Some(*others)),
                    pivot => (pivot, None),
                };
                let (pivot, scale) = match pivot {
                    Pattern::Binary(BinOp::Mul, pivot, scale) => (*pivot, Some(*scale)),
                    pivot => (pivot, None),
                };
                self.of_terms.push(TermRule { pivot, scale, others, right, conditions });
            }
            Applied::BySums => {}
        }
    }
}

fn root(pattern: &Pattern) -> Option<Root> {
    Some(match pattern {
        Pattern::Binary(op, ..) => Root::Binary(*op),
        Pattern::Compare(op, ..) => Root::Compare(*op),
        Pattern::Not(_) => Root::Not,
        Pattern::Select(_) => Root::Select,
        Pattern::Ramp(..) => Root::Ramp,
        _ => return None,
    })
}

/// The table as it is applied.
pub(crate) fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules = Rules::default();
        for group in table::GROUPS {
            group.equations.iter().filter_map(|text| equation(text)).for_each(|equation| rules.add(group, equation));
        }
        rules
    })
}

/// A line of the table of rewrite rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RewriteRule {
    /// The operations that it is about.
    pub group: &'static str,
    /// `left = right`; letters from `a` to `d` are integer constants, `p`, `q` and `r` bools, all others integers.
    pub equation: &'static str,
    /// The conditions of the equation, separated by commas; empty if it always holds.
    pub condition: &'static str,
    /// Whether it is about mathematical integers only, and not about integers that wrap around.
    pub of_indices: bool,
}

/// Every rule of the simplifier, in the order of the table.
pub fn rewrite_rules() -> Vec<RewriteRule> {
    let lines = table::GROUPS.iter().flat_map(|group| group.equations.iter().map(move |&line| (group, line)));
    lines
        .map(|(group, line)| {
            let (equation, condition) = line.split_once(" where ").unwrap_or((line, ""));
            RewriteRule { group: group.name, equation, condition, of_indices: group.domain == Domain::Index }
        })
        .collect()
}
