//! `TopologicalSort`: orders the bindings of dataflow blocks by another topological order.
//!
//! ```text
//! a = abs(x)                             a = abs(x)
//! b = negative(x)      depth-first,      c = exp(a)
//! c = exp(a)           from-inputs  ⇒    b = negative(x)
//! d = add(b, c)                          d = add(b, c)
//! ```
//!
//! From any form to any form. `from-inputs` schedules ready bindings: `depth-first` continues with the users of the
//! last scheduled binding, `breadth-first` with the other ready bindings. `from-outputs` is the same backwards: what is
//! needed last is written last, depth-first right before its user. Program order decides ties, so that sorting
//! twice is sorting once.

use std::collections::VecDeque;
use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, Function};
use tilewright_ir::verify::Form;

use crate::needs::{needs, users};
use crate::sequence::{map_dataflow, map_functions};

/// The direction of a sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortOrder {
    DepthFirst,
    BreadthFirst,
}

/// The start of a sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortDirection {
    FromInputs,
    FromOutputs,
}

/// Sorts the bindings of dataflow blocks.
#[derive(Clone, Copy, Debug)]
pub struct TopologicalSort {
    pub order: SortOrder,
    pub direction: SortDirection,
}

const NAME: &str = "TopologicalSort";

impl TopologicalSort {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "The bindings of dataflow blocks in another order that respects what they need.",
        params: &[
            ParamDef {
                name: "order",
                kind: ParamKind::Str,
                default: AttrDefault::Str("depth-first"),
                doc: "`depth-first` or `breadth-first`.",
            },
            ParamDef {
                name: "direction",
                kind: ParamKind::Str,
                default: AttrDefault::Str("from-inputs"),
                doc: "`from-inputs` or `from-outputs`.",
            },
        ],
        make: |args| {
            let wrong = |name: &str, expected: &str| {
                let found = args.text(name).unwrap_or_default();
                format!("argument `{name}` of `{NAME}` must be {expected}, found \"{found}\"")
            };
            let order = match args.text("order") {
                Some("depth-first") => SortOrder::DepthFirst,
                Some("breadth-first") => SortOrder::BreadthFirst,
                _ => return Err(wrong("order", "\"depth-first\" or \"breadth-first\"")),
            };
            let direction = match args.text("direction") {
                Some("from-inputs") => SortDirection::FromInputs,
                Some("from-outputs") => SortDirection::FromOutputs,
                _ => return Err(wrong("direction", "\"from-inputs\" or \"from-outputs\"")),
            };
            Ok(Arc::new(Self { order, direction }))
        },
    };
}

impl Pass for TopologicalSort {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| Function {
            body: map_dataflow(&function.body, &mut |bindings| self.sorted(&bindings)),
            ..function.clone()
        })
    }
}

impl TopologicalSort {
    fn sorted(&self, bindings: &[Binding]) -> Vec<Binding> {
        let needs = needs(bindings);
        let users = users(&needs);
        let order = match self.direction {
            SortDirection::FromInputs => self.walk(&needs, &users, (0..bindings.len()).collect()),
            SortDirection::FromOutputs => {
                let back = |lists: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
                    lists.into_iter().map(|list| list.into_iter().rev().collect()).collect()
                };
                let mut order = self.walk(&back(users), &back(needs), (0..bindings.len()).rev().collect());
                order.reverse();
                order
            }
        };
        order.into_iter().map(|at| bindings[at].clone()).collect()
    }

    /// All of `all`, each after its dependences.
    fn walk(&self, waits_for: &[Vec<usize>], followers: &[Vec<usize>], all: Vec<usize>) -> Vec<usize> {
        let mut waits: Vec<usize> = waits_for.iter().map(Vec::len).collect();
        let mut ready: VecDeque<usize> = all.into_iter().filter(|&at| waits[at] == 0).collect();
        let mut order = Vec::with_capacity(waits.len());
        while let Some(at) = ready.pop_front() {
            order.push(at);
            let mut next: Vec<usize> = Vec::new();
            for &follower in &followers[at] {
                waits[follower] -= 1;
                if waits[follower] == 0 {
                    next.push(follower);
                }
            }
            match self.order {
                SortOrder::BreadthFirst => ready.extend(next),
                SortOrder::DepthFirst => next.into_iter().rev().for_each(|follower| ready.push_front(follower)),
            }
        }
        order
    }
}
