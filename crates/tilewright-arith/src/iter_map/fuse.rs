//! Splits that fit together like digits become one mark; marks are taken apart again by division. Where every value has
//! to be met but not once, so do splits whose steps are no longer than what lies below them reaches, as in `i · 2 + j`
//! of a window of three: together they take every value up to the largest one.

use tilewright_expr::{BinOp, CmpOp};

use super::detect::{Detector, Mark, MarkId, Source, Split, Sum};
use crate::session::Id;

impl Detector<'_> {
    /// The splits by their scales, the largest first, where each scale is the one below times that one's extent.
    pub(super) fn ordered(&mut self, args: Vec<Split>) -> Option<Vec<Split>> {
        let mut left = args;
        // The smallest scale is the one that divides all others; of equals, the first.
        let mut smallest = 0;
        for at in 1..left.len() {
            if self.exact_quotient(left[at].scale, left[smallest].scale).is_none()
                || self.proves(CmpOp::Lt, left[at].scale, left[smallest].scale)
            {
                smallest = at;
            }
        }
        let mut ordered = Vec::with_capacity(left.len());
        let mut next = smallest;
        while !left.is_empty() {
            let split = left.remove(next);
            ordered.push(split);
            let expected = self.op(BinOp::Mul, split.scale, split.extent);
            if left.is_empty() {
                break;
            }
            next = (0..left.len()).find(|&at| self.are_equal(left[at].scale, expected))?;
        }
        ordered.reverse();
        Some(ordered)
    }

    /// The mark that the splits make together, and its scale; with a predicate's bound, where there is one.
    pub(super) fn fuse(&mut self, args: Vec<Split>) -> Option<(MarkId, Id)> {
        let Some(args) = self.ordered(args.clone()) else { return self.fuse_overlapping(args) };
        let (first, last) = (*args.first()?, *args.last()?);
        let mut unit = Vec::with_capacity(args.len());
        for split in args {
            unit.push(Split { scale: self.exact_quotient(split.scale, last.scale)?, ..split });
        }
        let whole = self.op(BinOp::Mul, first.scale, first.extent);
        let mut extent = self.exact_quotient(whole, last.scale)?;
        if let Some(at) = self.constraints.iter().position(|constraint| constraint.args == unit) {
            self.constraints[at].used = true;
            extent = self.op(BinOp::Min, extent, self.constraints[at].end);
        } else if let &[split] = unit.as_slice()
            && split.extent == self.marks[split.mark].extent
            && self.is(split.lower, 1)
        {
            return Some((split.mark, last.scale));
        }
        Some((self.mark_of_unit(unit, extent), last.scale))
    }

    /// The mark of splits of which the smallest scale is 1.
    fn mark_of_unit(&mut self, unit: Vec<Split>, extent: Id) -> MarkId {
        if let Some(&mark) = self.fused.get(&unit) {
            return mark;
        }
        let base = self.int(0, extent);
        let mark = self.marks.len();
        self.marks.push(Mark { source: Source::Sum(Sum { args: unit.clone(), base }), extent });
        self.fused.insert(unit, mark);
        mark
    }

    /// The mark of splits that together take every value up to the largest one, some of them several times.
    fn fuse_overlapping(&mut self, args: Vec<Split>) -> Option<(MarkId, Id)> {
        if !self.overlapping {
            return None;
        }
        let scale_of = |detector: &Self, split: &Split| detector.cx.node(split.scale).expr.as_int().filter(|&n| n > 0);
        let mut sorted = Vec::with_capacity(args.len());
        for split in args {
            sorted.push((scale_of(self, &split)?, split));
        }
        sorted.sort_by_key(|(scale, _)| *scale);
        let scale = sorted.first()?.1.scale;
        let one = self.int(1, scale);
        let (mut reach, mut unit) = (one, Vec::with_capacity(sorted.len()));
        for (_, split) in sorted {
            let step = self.exact_quotient(split.scale, scale)?;
            if !self.proves(CmpOp::Le, step, reach) || !self.proves(CmpOp::Ge, split.extent, one) {
                return None;
            }
            let steps = self.op(BinOp::Sub, split.extent, one);
            let further = self.op(BinOp::Mul, step, steps);
            reach = self.op(BinOp::Add, reach, further);
            unit.push(Split { scale: step, ..split });
        }
        unit.reverse();
        Some((self.mark_of_unit(unit, reach), scale))
    }

    fn whole(&mut self, mark: MarkId, scale: Id) -> Split {
        let extent = self.marks[mark].extent;
        Split { mark, lower: self.int(1, extent), extent, scale }
    }

    /// The sum with its splits fused into one.
    pub(super) fn fused_sum(&mut self, sum: Sum, trivial: bool, id: Id) -> Option<Sum> {
        let constrained = self.constraints.iter().any(|constraint| constraint.args.len() == 1);
        if sum.args.is_empty() || (trivial && sum.args.len() == 1 && !constrained) {
            return Some(sum);
        }
        let args = sum.args.clone();
        match self.fuse(sum.args) {
            // A single piece that fuses with nothing is its own mark.
            Some((mark, _))
                if args.len() == 1 && trivial && self.marks.get(mark).is_some_and(|m| m.extent == args[0].extent) =>
            {
                Some(Sum { args, base: sum.base })
            }
            Some((mark, scale)) => Some(Sum { args: vec![self.whole(mark, scale)], base: sum.base }),
            None => self.fail("expected scales that fit together like digits, found", id),
        }
    }

    /// The sum as one split with its scale and base, ready to be divided.
    fn single(&mut self, sum: Sum) -> Option<(Split, Id)> {
        if let &[split] = sum.args.as_slice() {
            return Some((split, sum.base));
        }
        let (mark, scale) = self.fuse(sum.args)?;
        Some((self.whole(mark, scale), sum.base))
    }

    /// Whether nothing of the mark lies above the split.
    fn is_last(&mut self, split: Split) -> bool {
        let reach = self.op(BinOp::Mul, split.lower, split.extent);
        let extent = self.marks[split.mark].extent;
        self.are_equal(reach, extent) || self.proves(CmpOp::Ge, reach, extent)
    }

    fn is_positive(&mut self, c: Id) -> bool {
        let zero = self.int(0, c);
        self.proves(CmpOp::Gt, c, zero)
    }

    /// `sum // c`.
    pub(super) fn divide(&mut self, sum: Sum, c: Id) -> Option<Sum> {
        let origin = sum.base;
        if !self.is_positive(c) {
            return self.fail("expected a positive divisor, found", c);
        }
        if let Some(quotient) = self.divide_terms(&sum, c) {
            return Some(quotient);
        }
        if let Some((quotient, _)) = self.digits(&sum, c) {
            return Some(quotient);
        }
        let Some((split, base)) = self.single(sum) else {
            return self.fail("expected a quotient of iterators that fit together like digits, found another", origin);
        };
        // (scale · x + base) // (scale · d) = x // d + base // (scale · d), where 0 <= base % c < scale
        let rest = self.op(BinOp::FloorMod, base, c);
        let (zero, fits) = (self.int(0, c), self.exact_quotient(c, split.scale));
        let small = self.proves(CmpOp::Ge, rest, zero) && self.proves(CmpOp::Lt, rest, split.scale);
        let (Some(d), true) = (fits, small) else {
            return self.fail("expected a quotient of aligned iterators, found one with base", base);
        };
        let base = self.op(BinOp::FloorDiv, base, c);
        let one = self.int(1, c);
        if self.proves(CmpOp::Le, split.extent, d) {
            return Some(Sum { args: Vec::new(), base });
        }
        let extent = match self.exact_quotient(split.extent, d) {
            Some(extent) => extent,
            None if self.is_last(split) => {
                let above = self.op(BinOp::Sub, d, one);
                let above = self.op(BinOp::Add, split.extent, above);
                self.op(BinOp::FloorDiv, above, d)
            }
            None => return self.fail("expected an extent that the divisor divides, found", split.extent),
        };
        let lower = self.op(BinOp::Mul, split.lower, d);
        Some(Sum { args: vec![Split { lower, extent, scale: one, ..split }], base })
    }

    /// `sum // c` term by term, where `c` divides each of them.
    fn divide_terms(&mut self, sum: &Sum, c: Id) -> Option<Sum> {
        let mut args = Vec::with_capacity(sum.args.len());
        for split in &sum.args {
            args.push(Split { scale: self.exact_quotient(split.scale, c)?, ..*split });
        }
        // The rest of the base is below one step of every term.
        let base = self.op(BinOp::FloorDiv, sum.base, c);
        Some(Sum { args, base })
    }

    /// `sum // c` and `sum % c`, where the terms are the digits of a number, and `c` is where one of them ends, or cuts
    /// one into whole parts.
    fn digits(&mut self, sum: &Sum, c: Id) -> Option<(Sum, Sum)> {
        if !self.by_digits || !self.is(sum.base, 0) || sum.args.is_empty() {
            return None;
        }
        let ordered = self.ordered(sum.args.clone())?;
        if !self.is(ordered.last()?.scale, 1) {
            return None;
        }
        let (one, mut quotient, mut rest) = (self.int(1, c), Vec::new(), Vec::new());
        for split in ordered {
            if let Some(scale) = self.exact_quotient(split.scale, c) {
                quotient.push(Split { scale, ..split });
                continue;
            }
            let end = self.op(BinOp::Mul, split.scale, split.extent);
            if self.proves(CmpOp::Le, end, c) {
                rest.push(split);
                continue;
            }
            let parts = self.exact_quotient(c, split.scale)?;
            let extent = self.exact_quotient(split.extent, parts)?;
            let lower = self.op(BinOp::Mul, split.lower, parts);
            quotient.push(Split { lower, extent, scale: one, ..split });
            rest.push(Split { extent: parts, ..split });
        }
        Some((Sum { args: quotient, base: sum.base }, Sum { args: rest, base: sum.base }))
    }

    /// `sum % c`.
    pub(super) fn remainder(&mut self, sum: Sum, c: Id) -> Option<Sum> {
        if !self.is_positive(c) {
            return self.fail("expected a positive divisor, found", c);
        }
        if let Some((_, rest)) = self.digits(&sum, c) {
            return Some(rest);
        }
        let mut args = Vec::with_capacity(sum.args.len());
        for split in sum.args {
            if self.exact_quotient(split.scale, c).is_none() {
                args.push(split);
            }
        }
        let base = self.op(BinOp::FloorMod, sum.base, c);
        if args.is_empty() {
            return Some(Sum { args, base });
        }
        let Some((split, base)) = self.single(Sum { args, base }) else {
            return self.fail("expected a remainder of iterators that fit together like digits, found another", base);
        };
        // (scale · x + base) % (scale · d) = scale · (x % d) + base, where 0 <= base < scale
        let (zero, fits) = (self.int(0, c), self.exact_quotient(c, split.scale));
        let small = self.proves(CmpOp::Ge, base, zero) && self.proves(CmpOp::Lt, base, split.scale);
        let (Some(d), true) = (fits, small) else {
            return self.fail("expected a remainder of aligned iterators, found one with base", base);
        };
        if self.proves(CmpOp::Le, split.extent, d) {
            return Some(Sum { args: vec![split], base });
        }
        if self.exact_quotient(split.extent, d).is_none() && !self.is_last(split) {
            return self.fail("expected an extent that the divisor divides, found", split.extent);
        }
        Some(Sum { args: vec![Split { extent: d, ..split }], base })
    }
}
