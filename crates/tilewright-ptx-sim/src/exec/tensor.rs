//! `ldmatrix`, `stmatrix` and `mma.sync`.
//!
//! Products and sums of `mma` are exact in float64 and rounded towards zero at the end; the hardware cuts off bits too,
//! and PTX says of the sum only that it has at least single precision.

use super::context::Context;
use super::traffic;
use super::warp::Warp;
use super::{Block, Env, Flow};
use crate::decode::{Address, Slot};
use crate::fault::FaultKind;
use crate::lanes::{Lanes, WARP};
use crate::memory::shared::Who;
use crate::memory::{Checked, Touch, in_lane, trouble};
use crate::scalar::bits::sign_extend;
use crate::scalar::format::{self, Format, Round};
use crate::types::Type;

#[derive(Debug)]
pub(crate) enum TensorOp {
    LoadMatrix { d: Vec<Slot>, address: Address, generic: bool, transposed: bool },
    StoreMatrix { a: Vec<Slot>, address: Address, generic: bool, transposed: bool },
    Mma(Mma),
}

/// `D = A · B + C` of 16 × 8 elements.
#[derive(Debug)]
pub(crate) struct Mma {
    pub(crate) k: usize,
    pub(crate) a_type: Type,
    pub(crate) b_type: Type,
    /// Of C and D.
    pub(crate) sum_type: Type,
    pub(crate) saturate: bool,
    pub(crate) d: Vec<Slot>,
    pub(crate) a: Vec<Slot>,
    pub(crate) b: Vec<Slot>,
    pub(crate) c: Vec<Slot>,
}

/// Bytes of a row of a matrix of `ldmatrix`.
const ROW: u32 = 16;

pub(super) fn run(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    op: &TensorOp,
) -> Checked<Flow> {
    if mask != u32::MAX {
        if warp.can_park() {
            return Ok(Flow::Again);
        }
        return trouble(FaultKind::Undefined, format!("an instruction of a whole warp, executed by lanes {mask:#x}"));
    }
    match op {
        TensorOp::LoadMatrix { d, address, generic, transposed } => {
            let rows = rows(block, warp, *address, *generic, d.len(), Touch::Read)?;
            count(cx, env, &rows);
            for (matrix, slot) in d.iter().enumerate() {
                let value = std::array::from_fn(|lane| {
                    let (row, column) = (lane / 4, 2 * (lane % 4));
                    let element = |row: usize, column: usize| block.shared.load(rows[8 * matrix + row] + 2 * column, 2);
                    if *transposed {
                        element(column, row) | element(column + 1, row) << 16
                    } else {
                        element(row, column) | element(row, column + 1) << 16
                    }
                });
                warp.set(*slot, mask, &value);
            }
        }
        TensorOp::StoreMatrix { a, address, generic, transposed } => {
            let rows = rows(block, warp, *address, *generic, a.len(), Touch::Write)?;
            count(cx, env, &rows);
            for (matrix, slot) in a.iter().enumerate() {
                for (lane, &value) in warp.get(*slot).iter().enumerate() {
                    let (row, column) = (lane / 4, 2 * (lane % 4));
                    for half in 0..2 {
                        let (row, column) = if *transposed { (column + half, row) } else { (row, column + half) };
                        block.shared.store(rows[8 * matrix + row] + 2 * column, 2, value >> (16 * half));
                    }
                }
            }
        }
        TensorOp::Mma(op) => multiply(warp, op),
    }
    Ok(Flow::Next)
}

/// Counts the traffic of rows: 8 of them in a phase.
fn count(cx: &Context<'_>, env: &mut Env<'_>, rows: &[usize]) {
    if cx.options.count_traffic {
        let addresses: Vec<u64> = rows.iter().map(|row| *row as u64).collect();
        env.passes += traffic::passes(&addresses, ROW);
    }
}

/// The rows whose addresses the first lanes give.
fn rows(
    block: &mut Block,
    warp: &Warp,
    address: Address,
    generic: bool,
    matrices: usize,
    touch: Touch,
) -> Checked<Vec<usize>> {
    (0..8 * matrices)
        .map(|lane| {
            let address = warp.get(address.base)[lane].wrapping_add(address.offset);
            let address = if generic { super::scalar::resolve(address).1 } else { address };
            let at = in_lane(block.shared.locate(address, ROW, ROW), lane)?;
            let who = Who { agent: warp.index, lane };
            in_lane(block.shared.touch(&block.clocks, who, at, ROW, touch), lane)?;
            Ok(at)
        })
        .collect()
}

/// The elements of packed registers: element `i` of register `q` of a lane has row and k by the layout of fragments.
fn unpack<T: Copy + Default, const ROWS: usize>(
    warp: &Warp,
    slots: &[Slot],
    bits: u32,
    k: usize,
    row_of: impl Fn(usize, usize) -> usize,
    block_of: impl Fn(usize) -> usize,
    read: impl Fn(u64) -> T,
) -> Vec<[T; ROWS]> {
    let per = (32 / bits) as usize;
    let mut out = vec![[T::default(); ROWS]; k];
    for (q, &slot) in slots.iter().enumerate() {
        for (lane, &value) in warp.get(slot).iter().enumerate() {
            for i in 0..per {
                let at = block_of(q) * 4 * per + lane % 4 * per + i;
                out[at][row_of(q, lane)] = read(value >> (i as u32 * bits) & crate::types::mask(bits));
            }
        }
    }
    out
}

/// The value of an element of A or B.
pub(crate) fn element(ty: Type, bits: u64) -> f64 {
    match ty {
        // The lowest 13 bits of a tf32 are not read.
        Type::TF32 => format::F32.widen(bits & !0x1fff),
        Type::E4M3x2 => format::E4M3.widen(bits),
        Type::E5M2x2 => format::E5M2.widen(bits),
        ty => format::of(ty).unwrap_or(format::F16).widen(bits),
    }
}

fn multiply(warp: &mut Warp, op: &Mma) {
    let bits = |ty: Type| match ty {
        Type::F16 | Type::BF16 => 16,
        Type::TF32 => 32,
        _ => 8,
    };
    let a_row = |q: usize, lane: usize| lane / 4 + 8 * (q % 2);
    let b_row = |_: usize, lane: usize| lane / 4;
    if op.sum_type == Type::S32 {
        let read = |ty: Type| move |x: u64| if ty.is_signed() { sign_extend(x, 8, 64) as i64 } else { x as i64 };
        let a = unpack::<i64, 16>(warp, &op.a, 8, op.k, a_row, |q| q / 2, read(op.a_type));
        let b = unpack::<i64, 8>(warp, &op.b, 8, op.k, b_row, |q| q, read(op.b_type));
        let sums = products(&a, &b);
        let out: Vec<Lanes> = (0..4)
            .map(|q| {
                let c = warp.get(op.c[q]);
                std::array::from_fn(|lane| {
                    let (row, column) = place(q, lane);
                    let sum = i64::from(c[lane] as i32) + sums[row][column];
                    let sum = if op.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                    u64::from(sum as i32 as u32)
                })
            })
            .collect();
        for (slot, value) in op.d.iter().zip(&out) {
            warp.set(*slot, u32::MAX, value);
        }
        return;
    }
    let read = |ty: Type| move |x: u64| element(ty, x);
    let a = unpack::<f64, 16>(warp, &op.a, bits(op.a_type), op.k, a_row, |q| q / 2, read(op.a_type));
    let b = unpack::<f64, 8>(warp, &op.b, bits(op.b_type), op.k, b_row, |q| q, read(op.b_type));
    accumulate(warp, op, &products(&a, &b));
}

/// Adds C to the sums, and writes D.
fn accumulate(warp: &mut Warp, op: &Mma, sums: &[[f64; 8]; 16]) {
    let out: Vec<Lanes> = (0..op.c.len())
        .map(|q| {
            let c = warp.get(op.c[q]);
            std::array::from_fn(|lane| {
                if op.sum_type == Type::F32 {
                    let (row, column) = place(q, lane);
                    return rounded(format::F32, c[lane], sums[row][column]);
                }
                let (row, column) = place(2 * q, lane);
                let half = |shift: u32, column: usize| {
                    rounded(format::F16, c[lane] >> shift & 0xffff, sums[row][column]) << shift
                };
                half(0, column) | half(16, column + 1)
            })
        })
        .collect();
    for (slot, value) in op.d.iter().zip(&out) {
        warp.set(*slot, u32::MAX, value);
    }
}

/// `c + sum`: towards zero in float32, to the nearest in float16.
pub(crate) fn rounded(format: Format, c: u64, sum: f64) -> u64 {
    let round = if format == format::F32 { Round::Zero } else { Round::NearestEven };
    format.narrow(format::Rounded::sum(format.widen(c), sum).odd(), round)
}

/// Row and column of element `q` of the accumulator in a lane.
fn place(q: usize, lane: usize) -> (usize, usize) {
    (lane / 4 + 8 * (q / 2), 2 * (lane % 4) + q % 2)
}

fn products<T: Copy + Default + std::ops::Mul<Output = T> + std::ops::AddAssign>(
    a: &[[T; 16]],
    b: &[[T; 8]],
) -> [[T; 8]; 16] {
    let mut sums = [[T::default(); 8]; 16];
    for (a, b) in a.iter().zip(b) {
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += *a * *b;
            }
        }
    }
    sums
}

const _: () = assert!(WARP == 32);
