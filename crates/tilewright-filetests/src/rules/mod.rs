//! Random programs for the rules of default schedules: small functions of operators and loops aimed at each rule, with
//! sizes around those of vectors and tiles, one, nothing and symbolic ones, and numbers among which are NaN,
//! infinities, zeros of both signs, the least and the greatest.
//!
//! A [`Case`] is a program, a target and numbers, all by the decisions of a seed. [`Case::check`] holds what the
//! default build makes of it against the interpreter ([`Step`] lists how); [`Case::shrunk`] makes the decisions plainer
//! while the same thing fails. The tests run a few cases, the bench `rules` any number.
//!
//! Where a program's results are exact (whole numbers whose sums are, what only moves, the greater and the lesser) they
//! are compared to the bit; else the tolerance is the number of roundings times what one changes (`judge`).
//!
//! | to add | place |
//! |---|---|
//! | a family of programs | a function in a file of `families`, a line in [`FAMILIES`] |
//!
//! Reading order: `dice`, `values`, `script`, `families`, `judge`.

mod dice;
mod families;
mod judge;
mod script;
mod values;

use tilewright::Target;
use tilewright::ir::tir::PrimFunc;

use self::dice::Dice;
use crate::faults::Fault as Planted;

pub use families::{FAMILIES, Family};
pub use judge::{Checked, Fault, Step};
pub use script::Program;

/// Machines, the plainest first. Code for the last ones is compiled alone.
const TARGETS: [&str; 9] = [
    "llvm",
    "llvm -mcpu=haswell",
    "llvm -mcpu=x86-64",
    "x86-64-v4",
    "llvm",
    "x86-64-v2",
    "cascadelake",
    "llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=neoverse-n1",
    "llvm -mtriple=aarch64-unknown-linux-gnu",
];

/// The maximum number of elements or iterations of small cases.
const SMALL: i64 = 1000;
/// The number of attempts to shrink a failing case.
const TRIALS: usize = 400;

/// A program, a target and numbers.
#[derive(Clone, Debug)]
pub struct Case {
    pub family: &'static Family,
    /// The target as users write it.
    pub target: &'static str,
    pub program: Program,
    dice: Dice,
    seed: u64,
}

impl Case {
    /// The case of a seed; neighbouring seeds have programs of different families.
    pub fn of_seed(seed: u64) -> Self {
        let family = &FAMILIES[(seed % FAMILIES.len() as u64) as usize];
        Self::made(family, Dice::of_seed(seed, i64::MAX), seed)
    }

    /// The case of a seed with few elements.
    pub fn small(seed: u64) -> Self {
        let family = &FAMILIES[(seed % FAMILIES.len() as u64) as usize];
        Self::made(family, Dice::of_seed(seed, SMALL), seed)
    }

    fn made(family: &'static Family, mut dice: Dice, seed: u64) -> Self {
        let target = dice.word(&TARGETS);
        let program = (family.make)(&mut dice);
        Self { family, target, program, dice, seed }
    }

    /// Looks at everything that has to hold.
    pub fn check(&self) -> Result<Checked, Fault> {
        judge::check(&self.program, &self.target()?, self.seed)
    }

    /// Whether the scheduled functions still mean the same with a fault planted after their schedules.
    pub fn check_planted(&self, planted: &Planted) -> Result<(), Fault> {
        judge::check_planted(&self.program, &self.target()?, self.seed, planted)
    }

    /// Checks the schedules alone, for another target: their traces, and what `lower` makes of each scheduled function,
    /// to the interpreter. Gives the rules that were taken.
    pub fn check_schedules(
        &self,
        target: &Target,
        lower: impl Fn(&PrimFunc) -> Result<PrimFunc, String>,
    ) -> Result<Vec<&'static str>, Fault> {
        judge::check_lowered(&self.program, target, self.seed, &lower)
    }

    fn target(&self) -> Result<Target, Fault> {
        Target::parse(self.target).map_err(|error| Fault { step: Step::Interpreted, message: error.to_string() })
    }

    /// How plain the case is: by its lines, then by its decisions.
    fn size(&self) -> (usize, usize) {
        (self.program.text.lines().count(), self.dice.made().iter().sum())
    }

    /// A case that fails at the same step of what looks at it, with as plain decisions as were found.
    pub fn shrunk(self, fault: Fault, check: impl Fn(&Self) -> Option<Fault>) -> (Self, Fault) {
        let (mut best, mut found, mut left) = (self, fault, TRIALS);
        loop {
            let before = best.dice.made().to_vec();
            for plainer in plainer(&before) {
                if left == 0 {
                    return (best, found);
                }
                let case = Self::made(best.family, best.dice.again(plainer), best.seed);
                if case.size() >= best.size() {
                    continue;
                }
                left -= 1;
                if let Some(fault) = check(&case)
                    && fault.step == found.step
                {
                    (best, found) = (case, fault);
                    break;
                }
            }
            if best.dice.made() == before {
                return (best, found);
            }
        }
    }
}

/// Decisions one step plainer: without a few of them, and with one smaller.
fn plainer(decisions: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let without = [16, 8, 4, 2, 1].into_iter().flat_map(move |count| {
        (0..decisions.len().saturating_sub(count - 1)).map(move |at| {
            let mut fewer = decisions.to_vec();
            fewer.drain(at..at + count);
            fewer
        })
    });
    let smaller = decisions.iter().enumerate().filter(|(_, decided)| **decided > 0).flat_map(move |(at, &decided)| {
        let mut values = vec![0, decided / 2, decided - 1];
        values.dedup();
        values.into_iter().map(move |value| {
            let mut other = decisions.to_vec();
            other[at] = value;
            other
        })
    });
    smaller.chain(without)
}
