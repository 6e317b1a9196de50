//! Instructions of AVX-512 that formulas in tables are made of, for any number of lanes.
//!
//! An operand of fewer lanes than an instruction has gets more, which costs nothing; one of more is taken in pieces.

use tilewright_target::{Arch, Target};
use tilewright_tensor::DataType;

use super::terms::{Steps, Term};

/// Lanes of a table.
const TABLE: u16 = 16;
/// Operands of the intrinsics: all lanes active, and the current rounding mode.
const ALL_LANES: i64 = -1;
const AS_USUAL: i64 = 4;
/// Of mantissas: the interval, and that the sign of a zero is lost and other negative numbers have none.
const FROM_THREE_QUARTERS: i64 = 3;
const NO_NEGATIVES: i64 = 3 << 2;

/// Whether the machine has these instructions.
pub(super) fn available(target: &Target) -> bool {
    target.arch == Arch::X86_64 && ["avx512f", "avx512vl", "fma"].iter().all(|name| target.has(name))
}

impl Steps {
    /// Looks up a table of 16 or 32 numbers by the lowest bits of each lane.
    pub(super) fn looked_up<const N: usize>(&mut self, index: &Term, table: &[f64; N]) -> Term {
        let halves: Vec<Term> =
            table.chunks(usize::from(TABLE)).map(|half| Term::numbers(half, DataType::F32)).collect();
        let indices = self.keep("indices", index.bits());
        self.in_pieces(&[&indices], TABLE, |pieces| {
            let dtype = DataType::F32.with_lanes(TABLE);
            match (halves.as_slice(), pieces) {
                ([first, second], [index]) => {
                    let args = &[first, index, second];
                    Term::by_llvm("llvm.x86.avx512.vpermi2var.ps.512".into(), dtype, args)
                }
                (halves, pieces) => {
                    let args: Vec<&Term> = halves.iter().chain(pieces).collect();
                    Term::by_llvm("llvm.x86.avx512.permvar.sf.512".into(), dtype, &args)
                }
            }
        })
    }

    /// `p` times 2 to the power of `floor(n)`, rounded once.
    pub(super) fn scaled(&mut self, p: Term, n: &Term) -> Term {
        let p = self.keep("p", p);
        let width = p.dtype().lanes.next_power_of_two().clamp(4, 16);
        self.in_pieces(&[&p, n], width, |pieces| {
            let [p, n] = pieces else { return p.clone() };
            let (dtype, name) = (p.dtype(), format!("llvm.x86.avx512.mask.scalef.ps.{}", 32 * width));
            let bits = if width == 16 { DataType::I16 } else { DataType::I8 };
            let (none, all) = (p.constant(0.0), Term::integer(ALL_LANES, bits));
            match width {
                16 => Term::by_llvm(name, dtype, &[p, n, &none, &all, &Term::integer(AS_USUAL, DataType::I32)]),
                _ => Term::by_llvm(name, dtype, &[p, n, &none, &all]),
            }
        })
    }

    /// The exponent of a number's leading bit, also of subnormal ones; infinite of 0 (below) and of infinity.
    pub(super) fn exponent(&mut self, x: &Term) -> Term {
        self.decomposed("getexp", x, &[])
    }

    /// The number over the power of two that brings it between 3/4 and 3/2, of 0 and infinity 1, of negative numbers
    /// NaN.
    pub(super) fn mantissa(&mut self, x: &Term) -> Term {
        self.decomposed("getmant", x, &[Term::integer(FROM_THREE_QUARTERS | NO_NEGATIVES, DataType::I32)])
    }

    fn decomposed(&mut self, name: &str, x: &Term, how: &[Term]) -> Term {
        let width = x.dtype().lanes.next_power_of_two().clamp(4, 16);
        self.in_pieces(&[x], width, |pieces| {
            let [x] = pieces else { return x.clone() };
            let (dtype, name) = (x.dtype(), format!("llvm.x86.avx512.mask.{name}.ps.{}", 32 * width));
            let bits = if width == 16 { DataType::I16 } else { DataType::I8 };
            let (none, all) = (x.constant(0.0), Term::integer(ALL_LANES, bits));
            let rounding = (width == 16).then(|| Term::integer(AS_USUAL, DataType::I32));
            let args = [x].into_iter().chain(how).chain([&none, &all]).chain(&rounding);
            Term::by_llvm(name, dtype, &args.collect::<Vec<_>>())
        })
    }

    /// Applies an instruction of `width` lanes of float32 to all lanes.
    fn in_pieces(&mut self, operands: &[&Term], width: u16, instruction: impl Fn(&[Term]) -> Term) -> Term {
        let lanes = operands.first().map_or(1, |operand| operand.dtype().lanes);
        let mut pieces: Vec<Term> = Vec::new();
        for first in (0..lanes).step_by(usize::from(width)) {
            let taken: Vec<Term> = operands.iter().map(|operand| operand.lanes_from(first, width)).collect();
            pieces.push(self.keep("piece", instruction(&taken)));
        }
        // Neighbours join, until one vector is left.
        let mut held = width;
        while pieces.len() > 1 {
            held *= 2;
            let pairs = pieces.chunks(2).map(|pair| pair[0].before(pair.last().unwrap_or(&pair[0]), held));
            pieces = pairs.collect::<Vec<_>>().into_iter().map(|pair| self.keep("pieces", pair)).collect();
        }
        let whole = pieces.remove(0);
        self.keep("lanes", whole.first_lanes(lanes))
    }
}
