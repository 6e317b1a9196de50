//! `wgmma.mma_async`: products of a warpgroup, whose operands are read and whose sums are written late.
//!
//! A product reads shared memory when its warpgroup waits for it, or earlier by chance. PTX leaves open whether the
//! wait of one warp covers the products of its warpgroup; programs rely on it (one thread tells that a stage is free),
//! so a wait goes on when all four warps have committed the group, and ends the reads of all four.
//! Registers are written when their own warp waits.

use super::context::Context;
use super::tensor::{element, rounded};
use super::warp::Warp;
use super::{Block, Env, Flow};
use crate::decode::{Guard, SHARED_BASE, Slot};
use crate::fault::FaultKind;
use crate::lanes::{Lanes, WARP};
use crate::memory::clocks::View;
use crate::memory::shared::Who;
use crate::memory::{Checked, Touch, trouble, trouble_at};
use crate::scalar::bits::sign_extend;
use crate::scalar::format;
use crate::tensor_map::Swizzle;
use crate::types::Type;

/// Warps of a warpgroup.
const WARPS: usize = 4;
/// Bytes of shared memory that are read at a time.
const CHUNK: u32 = 16;
/// Rows of A that one warp multiplies.
const ROWS: usize = 16;

#[derive(Debug)]
pub(crate) struct WgmmaOp {
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a_type: Type,
    pub(crate) b_type: Type,
    pub(crate) sum_type: Type,
    pub(crate) d: Vec<Slot>,
    pub(crate) a: Source,
    /// The register with the descriptor of B.
    pub(crate) b: Slot,
    /// Whether D is added.
    pub(crate) accumulate: Guard,
    /// Whether A and B are negated.
    pub(crate) negate: [bool; 2],
    /// Whether A and B lie with M and N adjacent.
    pub(crate) transposed: [bool; 2],
    pub(crate) saturate: bool,
}

#[derive(Debug)]
pub(crate) enum Source {
    Descriptor(Slot),
    Registers(Vec<Slot>),
}

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Descriptor {
    start: u64,
    /// The "leading dimension byte offset".
    leading: u64,
    /// The "stride dimension byte offset".
    stride: u64,
    swizzle: Swizzle,
}

impl Descriptor {
    fn parse(bits: u64) -> Checked<Descriptor> {
        let field = |at: u32| (bits >> at & 0x3fff) << 4;
        if bits >> 49 & 7 != 0 {
            return trouble(FaultKind::Unsupported, "a matrix descriptor with a base offset");
        }
        let swizzle = [Swizzle::None, Swizzle::B128, Swizzle::B64, Swizzle::B32][(bits >> 62) as usize];
        Ok(Descriptor { start: field(0), leading: field(16), stride: field(32), swizzle })
    }

    /// The address of an element: `outer` is its row of A (or column of B), `inner` its k, in elements of `bytes`.
    fn address(&self, outer: u64, inner: u64, bytes: u64, transposed: bool) -> u64 {
        let span = self.swizzle.span();
        let offset = if transposed {
            // Rows of k with M or N adjacent: `span` bytes of them, 8 rows to a block.
            let per = span / bytes;
            let (across, along) =
                if self.swizzle == Swizzle::None { (self.stride, self.leading) } else { (self.leading, self.stride) };
            outer % per * bytes + outer / per * across + inner % 8 * span + inner / 8 * along
        } else {
            let at = inner * bytes;
            let within = if self.swizzle == Swizzle::None { at / 16 * self.leading + at % 16 } else { at };
            outer / 8 * self.stride + outer % 8 * span + within
        };
        self.swizzle.apply(self.start + offset)
    }
}

/// A product that is under way.
#[derive(Debug)]
struct Product {
    group: u32,
    a: Option<Descriptor>,
    /// A where it came from registers.
    rows: Vec<[f64; ROWS]>,
    b: Descriptor,
    line: u32,
    /// 16 rows of N sums, once the operands were read.
    sums: Option<Vec<f64>>,
}

/// The products of a warpgroup, and what reads them.
#[derive(Debug, Default)]
pub(crate) struct Group {
    queues: [Vec<(Product, Shape)>; WARPS],
    committed: [u32; WARPS],
    /// What the unit has done, for those who wait.
    done: View,
}

/// What reading operands needs of an instruction.
#[derive(Clone, Debug)]
struct Shape {
    n: usize,
    k: usize,
    types: [Type; 2],
    negate: [bool; 2],
    transposed: [bool; 2],
    warp: usize,
}

/// The registers that wait for sums, in the order of the products.
#[derive(Debug, Default)]
pub(crate) struct Products {
    waiting: Vec<Waiting>,
    fenced: bool,
}

#[derive(Debug)]
struct Waiting {
    group: u32,
    d: Vec<Slot>,
    sum_type: Type,
    accumulate: bool,
    saturate: bool,
    n: usize,
}

fn bytes_of(ty: Type) -> u64 {
    match ty {
        Type::F16 | Type::BF16 => 2,
        Type::TF32 => 4,
        _ => 1,
    }
}

fn value(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::S8 => sign_extend(bits, 8, 64) as i64 as f64,
        Type::U8 => bits as f64,
        ty => element(ty, bits),
    }
}

pub(super) fn fence(warp: &mut Warp) {
    warp.products.fenced = true;
}

pub(super) fn issue(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    op: &WgmmaOp,
) -> Checked<Flow> {
    if !warp.products.fenced {
        return trouble(FaultKind::Undefined, "`wgmma.mma_async` without `wgmma.fence` before the first one");
    }
    if !cx.threads.is_multiple_of(WARP * WARPS) {
        return trouble(FaultKind::Undefined, "a warpgroup has four whole warps");
    }
    let (wg, w) = (warp.index / WARPS, warp.index % WARPS);
    let shape = Shape {
        n: op.n,
        k: op.k,
        types: [op.a_type, op.b_type],
        negate: op.negate,
        transposed: op.transposed,
        warp: w,
    };
    let (a, rows) = match &op.a {
        Source::Descriptor(slot) => (Some(Descriptor::parse(warp.uniform(*slot, u32::MAX))?), Vec::new()),
        Source::Registers(slots) => (None, fragment(warp, slots, op)),
    };
    let b = Descriptor::parse(warp.uniform(op.b, u32::MAX))?;
    let unit = unit(cx, wg);
    let view = block.clocks.view(warp.index).clone();
    block.clocks.acquire(unit, &view);
    let group = block.units.groups[wg].committed[w];
    let mut product = Product { group, a, rows, b, line: warp.line, sums: None };
    for at in ranges(block, &product, &shape)? {
        block.shared.check_proxy(&block.clocks, warp.index, cx.warps, at, CHUNK)?;
        block.shared.touch(&block.clocks, Who { agent: unit, lane: 0 }, at, CHUNK, Touch::Read)?;
    }
    if env.rng.one_in(4) {
        read(block, &mut product, &shape);
    }
    block.units.groups[wg].queues[w].push((product, shape));
    warp.products.waiting.push(Waiting {
        group,
        d: op.d.clone(),
        sum_type: op.sum_type,
        accumulate: warp.predicate(op.accumulate) & 1 == 1,
        saturate: op.saturate,
        n: op.n,
    });
    Ok(Flow::Next)
}

/// The agent of a warpgroup's products.
fn unit(cx: &Context<'_>, wg: usize) -> usize {
    cx.warps + 1 + wg
}

/// A from registers: 16 rows of the warp.
fn fragment(warp: &Warp, slots: &[Slot], op: &WgmmaOp) -> Vec<[f64; ROWS]> {
    let bits = bytes_of(op.a_type) as u32 * 8;
    let per = 32 / bits as usize;
    let mut out = vec![[0.0; ROWS]; op.k];
    for (q, &slot) in slots.iter().enumerate() {
        for (lane, &word) in warp.get(slot).iter().enumerate() {
            for i in 0..per {
                let k = q / 2 * 4 * per + lane % 4 * per + i;
                let element = value(op.a_type, word >> (i as u32 * bits) & crate::types::mask(bits));
                out[k][lane / 4 + 8 * (q % 2)] = if op.negate[0] { -element } else { element };
            }
        }
    }
    out
}

/// One side of a product: rows of A, or columns of B.
#[derive(Clone, Copy)]
struct Side {
    descriptor: Descriptor,
    ty: Type,
    negate: bool,
    transposed: bool,
    first: usize,
    count: usize,
}

/// The sides that are in shared memory, B first.
fn sides(product: &Product, shape: &Shape) -> Vec<Side> {
    let side = |descriptor: Descriptor, index: usize, first: usize, count: usize| Side {
        descriptor,
        ty: shape.types[index],
        negate: shape.negate[index],
        transposed: shape.transposed[index],
        first,
        count,
    };
    let b = side(product.b, 1, 0, shape.n);
    let a = product.a.map(|a| side(a, 0, ROWS * shape.warp, ROWS));
    std::iter::once(b).chain(a).collect()
}

impl Side {
    /// The 16-byte chunks: address, first row or column, first k.
    fn chunks(self, k: usize) -> impl Iterator<Item = (u64, usize, usize)> {
        let bytes = bytes_of(self.ty);
        let per = (16 / bytes) as usize;
        let (outer_step, inner_step) = if self.transposed { (per, 1) } else { (1, per) };
        (0..self.count).step_by(outer_step).flat_map(move |outer| {
            (0..k).step_by(inner_step).map(move |inner| {
                let row = (self.first + outer) as u64;
                (self.descriptor.address(row, inner as u64, bytes, self.transposed), outer, inner)
            })
        })
    }

    /// The values, one k after the other.
    fn values(self, block: &Block, k: usize) -> Vec<f64> {
        let bytes = bytes_of(self.ty) as usize;
        let mut out = vec![0.0; k * self.count];
        for (address, outer, inner) in self.chunks(k) {
            let chunk = block.shared.slice((address - SHARED_BASE) as usize, 16);
            for (index, bits) in chunk.chunks(bytes).enumerate() {
                let element = value(self.ty, crate::memory::load(bits, 0, bytes as u32));
                let (outer, inner) = if self.transposed { (outer + index, inner) } else { (outer, inner + index) };
                out[inner * self.count + outer] = if self.negate { -element } else { element };
            }
        }
        out
    }
}

/// The places of the 16-byte chunks that a product reads.
fn ranges(block: &Block, product: &Product, shape: &Shape) -> Checked<Vec<usize>> {
    let mut out = Vec::new();
    for side in sides(product, shape) {
        for (address, ..) in side.chunks(shape.k) {
            out.push(block.shared.locate(address, CHUNK, CHUNK)?);
        }
    }
    Ok(out)
}

/// Reads the operands and multiplies them.
fn read(block: &Block, product: &mut Product, shape: &Shape) {
    if product.sums.is_some() {
        return;
    }
    let mut values = sides(product, shape).into_iter().map(|side| side.values(block, shape.k));
    let (Some(b), a) = (values.next(), values.next()) else { return };
    let a = a.unwrap_or_else(|| product.rows.concat());
    let mut sums = vec![0.0; ROWS * shape.n];
    for (a, b) in a.chunks(ROWS).zip(b.chunks(shape.n)) {
        for (a, sums) in a.iter().zip(sums.chunks_mut(shape.n)) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    product.sums = Some(sums);
}

pub(super) fn commit(block: &mut Block, warp: &Warp) {
    block.units.groups[warp.index / WARPS].committed[warp.index % WARPS] += 1;
}

/// Waits until at most `pending` groups of the warpgroup are under way.
pub(super) fn wait(cx: &Context<'_>, block: &mut Block, warp: &mut Warp, pending: u32) -> Checked<Flow> {
    let (wg, w) = (warp.index / WARPS, warp.index % WARPS);
    let group = &mut block.units.groups[wg];
    let needed = group.committed[w].saturating_sub(pending);
    if group.committed.iter().any(|committed| *committed < needed) {
        return Ok(Flow::Again);
    }
    let unit = unit(cx, wg);
    let mut queues = std::mem::take(&mut group.queues);
    let mut any = false;
    for (product, shape) in queues.iter_mut().flatten().filter(|(product, _)| product.group < needed) {
        if product.sums.is_some() {
            continue;
        }
        any = true;
        for at in ranges(block, product, shape)? {
            let who = Who { agent: unit, lane: 0 };
            let line = product.line;
            block.shared.touch(&block.clocks, who, at, CHUNK, Touch::Read).map_err(|mut trouble| {
                trouble.message = format!("{}, by the product of line {line}", trouble.message);
                trouble
            })?;
        }
        read(block, product, shape);
    }
    let group = &mut block.units.groups[wg];
    if any {
        group.done = block.clocks.release(unit);
    }
    block.clocks.acquire(warp.index, &group.done);
    let (done, left): (Vec<_>, Vec<_>) =
        std::mem::take(&mut queues[w]).into_iter().partition(|(product, _)| product.group < needed);
    queues[w] = left;
    group.queues = queues;
    let (ready, waiting): (Vec<_>, Vec<_>) =
        std::mem::take(&mut warp.products.waiting).into_iter().partition(|waiting| waiting.group < needed);
    warp.products.waiting = waiting;
    for (waiting, (product, _)) in ready.iter().zip(&done) {
        let Some(sums) = &product.sums else {
            return trouble_at(FaultKind::Unsupported, 0, "a product whose operands were not read");
        };
        write(warp, waiting, sums);
    }
    Ok(Flow::Next)
}

/// Adds the sums to D.
fn write(warp: &mut Warp, waiting: &Waiting, sums: &[f64]) {
    let place = |q: usize, lane: usize| {
        let (row, column) = (lane / 4 + 8 * (q % 4 / 2), 8 * (q / 4) + 2 * (lane % 4) + q % 2);
        sums[row * waiting.n + column]
    };
    for (q, &slot) in waiting.d.iter().enumerate() {
        let old = *warp.get(slot);
        let out: Lanes = std::array::from_fn(|lane| {
            let old = if waiting.accumulate { old[lane] } else { 0 };
            match waiting.sum_type {
                Type::F32 => rounded(format::F32, old, place(q, lane)),
                Type::F16 => {
                    let half =
                        |shift: u32, q: usize| rounded(format::F16, old >> shift & 0xffff, place(q, lane)) << shift;
                    half(0, 2 * q) | half(16, 2 * q + 1)
                }
                _ => {
                    let sum = i64::from(old as u32 as i32) + place(q, lane) as i64;
                    let sum = if waiting.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                    u64::from(sum as i32 as u32)
                }
            }
        });
        warp.set(slot, u32::MAX, &out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The permutation of a swizzle must be one: no two elements of a tile have one address.
    #[test]
    fn every_layout_gives_each_element_its_own_bytes() {
        for swizzle in [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128] {
            for transposed in [false, true] {
                let span = swizzle.span();
                let (leading, stride) = match (swizzle, transposed) {
                    (Swizzle::None, _) => (128, 256),
                    (_, false) => (16, 8 * span),
                    // 64 columns (or as many as a row has) of 16 k, then the next ones.
                    (_, true) => (16 * span, 8 * span),
                };
                let descriptor = Descriptor { start: 1024, leading, stride, swizzle };
                let outer = if swizzle == Swizzle::None { 16 } else { 64 };
                let mut seen = std::collections::HashSet::new();
                for row in 0..outer {
                    for k in 0..16 {
                        assert!(seen.insert(descriptor.address(row, k, 2, transposed)), "{swizzle:?} {transposed}");
                    }
                }
            }
        }
    }

    #[test]
    fn fields_of_a_descriptor() {
        let bits = 1 << 62 | 64 << 32 | 1 << 16 | 0x40;
        let right = Descriptor { start: 1024, leading: 16, stride: 1024, swizzle: Swizzle::B128 };
        assert_eq!(Descriptor::parse(bits).expect("descriptor"), right);
        assert_eq!(right.address(9, 8, 2, false), 1024 + 1024 + 128);
    }
}
