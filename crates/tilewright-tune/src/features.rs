//! Features of candidates for the cost model: the sizes and choices in the trace, and the loops that came of them.
//!
//! A feature is a number under a key. Keys of sizes name the call of the trace and the argument, so that traces of one
//! design share theirs; a feature that a candidate does not have is 0.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use tilewright_expr::node::walk;
use tilewright_ir::Attr;
use tilewright_ir::tir::{ForKind, Stmt, StmtKind};
use tilewright_schedule::Arg;

use crate::candidate::Candidate;

/// Numbers by key.
pub(crate) type Features = BTreeMap<u64, f64>;

/// Hashes keys the same way in every process.
#[derive(Default)]
struct Key(u64);

impl Hasher for Key {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

fn key(parts: impl Hash) -> u64 {
    let mut hasher = Key(0xcbf2_9ce4_8422_2325);
    parts.hash(&mut hasher);
    hasher.finish()
}

/// The logarithm of a size.
fn scaled(size: i64) -> f64 {
    (size.unsigned_abs() as f64 + 1.0).log2()
}

pub(crate) fn features(candidate: &Candidate) -> Features {
    let mut found = Features::new();
    for (at, instruction) in candidate.trace.instructions.iter().enumerate() {
        for (arg, value) in instruction.args.iter().enumerate() {
            of_argument(&mut found, (at, instruction.primitive.name, arg), value);
        }
    }
    of_loops(&mut found, candidate);
    found
}

fn of_argument(found: &mut Features, place: (usize, &str, usize), value: &Arg) {
    match value {
        Arg::Attr(attr) => of_attr(found, place, 0, attr),
        Arg::List(items) => {
            for (at, item) in items.iter().enumerate() {
                if let Arg::Attr(attr) = item {
                    of_attr(found, place, at, attr);
                }
            }
        }
        Arg::Rv(_) | Arg::Expr(_) | Arg::Buffer(_) | Arg::Slot { .. } => {}
    }
}

fn of_attr(found: &mut Features, place: (usize, &str, usize), item: usize, attr: &Attr) {
    match attr {
        Attr::Int(size) => drop(found.insert(key((place, item)), scaled(*size))),
        Attr::Bool(value) => drop(found.insert(key((place, item)), f64::from(u8::from(*value)))),
        Attr::Str(text) => drop(found.insert(key((place, item, &**text)), 1.0)),
        Attr::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                if let Attr::Int(size) = item {
                    found.insert(key((place, at)), scaled(*size));
                }
            }
        }
        _ => {}
    }
}

/// How many loops there are of each kind, and the logarithms of their iterations.
fn of_loops(found: &mut Features, candidate: &Candidate) {
    walk(&candidate.function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::For { kind, extent, .. } => {
            let kind = match kind {
                ForKind::Serial => "serial",
                ForKind::Parallel => "parallel",
                ForKind::Vectorized => "vectorised",
                ForKind::Unrolled => "unrolled",
                ForKind::ThreadBinding(_) => "threads",
            };
            *found.entry(key((kind, "loops"))).or_insert(0.0) += 1.0;
            *found.entry(key((kind, "iterations"))).or_insert(0.0) += scaled(extent.as_int().unwrap_or(16));
        }
        StmtKind::Store { .. } => *found.entry(key("stores")).or_insert(0.0) += 1.0,
        _ => {}
    });
}
