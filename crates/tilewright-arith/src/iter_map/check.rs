//! Whether the splits of each mark are disjoint digits of it, and all of them.

use tilewright_expr::{BinOp, CmpOp};
use tilewright_support::Set;

use super::IterMapLevel;
use super::detect::{Detector, MarkId, Source, Split, Sum};

impl Detector<'_> {
    pub(super) fn check(&mut self, sums: &[Sum], level: IterMapLevel) -> bool {
        if level == IterMapLevel::NoCheck {
            return true;
        }
        // Every split that is used, from the indices inwards; what is inside a mark counts once.
        let mut splits: Vec<Vec<Split>> = vec![Vec::new(); self.marks.len()];
        let mut entered: Set<MarkId> = Set::default();
        let mut pending: Vec<Split> = sums.iter().flat_map(|sum| sum.args.iter().copied()).collect();
        while let Some(split) = pending.pop() {
            splits[split.mark].push(split);
            if let Source::Sum(sum) = &self.marks[split.mark].source
                && entered.insert(split.mark)
            {
                pending.extend(sum.args.iter().copied());
            }
        }
        for (mark, splits) in splits.into_iter().enumerate() {
            let var = matches!(self.marks[mark].source, Source::Var(..));
            let complete = if splits.is_empty() {
                let (extent, one) = (self.marks[mark].extent, self.int(1, self.marks[mark].extent));
                !var || level == IterMapLevel::Surjective || self.proves(CmpOp::Le, extent, one)
            } else {
                self.are_digits(mark, splits, level)
            };
            if !complete {
                let extent = self.marks[mark].extent;
                let reason = "expected disjoint pieces that make up the whole iterator, found others of one of extent";
                return self.fail::<()>(reason, extent).is_some();
            }
        }
        true
    }

    /// Whether the splits are digits of the mark, each above the other; for a bijection without gaps and complete.
    fn are_digits(&mut self, mark: MarkId, mut left: Vec<Split>, level: IterMapLevel) -> bool {
        let whole = self.marks[mark].extent;
        let mut expected = self.int(1, whole);
        let alone = left.len() == 1;
        while !left.is_empty() {
            let exact = (0..left.len()).find(|&at| self.are_equal(left[at].lower, expected));
            let next = match exact {
                None if level == IterMapLevel::Surjective => self.lowest_above(&left, expected),
                exact => exact,
            };
            let Some(next) = next else { return false };
            let split = left.remove(next);
            expected = self.op(BinOp::Mul, split.lower, split.extent);
        }
        if level == IterMapLevel::Bijective {
            return self.are_equal(expected, whole);
        }
        // A single piece meets all of its values where the mark has as many; several must divide the mark.
        self.exact_quotient(whole, expected).is_some() || alone
    }

    /// The split with the least lower factor among those that are a multiple of `expected`.
    fn lowest_above(&mut self, left: &[Split], expected: crate::session::Id) -> Option<usize> {
        let mut lowest: Option<usize> = None;
        for at in 0..left.len() {
            self.exact_quotient(left[at].lower, expected)?;
            let lower = lowest.is_none_or(|lowest| self.proves(CmpOp::Lt, left[at].lower, left[lowest].lower));
            lowest = if lower { Some(at) } else { lowest };
        }
        lowest
    }
}
