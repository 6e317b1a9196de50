//! A stage that reads along one loop what it writes along another: transposes.
//!
//! Square tiles of as many vectors as these have lanes are transposed in registers, in the order in which the operand
//! is read. If the caches hold both tensors, they are written at once; else they are staged next to each other, and a
//! few cache lines of each row are computed with and written together. What has conditions goes in squares of the two
//! loops, which are small enough for the first cache, so that each line that is read or written is used as a whole;
//! inside, vectors go along the result.

use tilewright_ir::Attr;
use tilewright_ir::tir::{Expr, StmtKind};
use tilewright_target::Target;

use super::Declined;
use super::nests::{PlainNest, extent_of, gone};
use super::primitive_calls::attempt;
use super::primitive_calls::{int, text};
use super::spatial::{self, is_small};
use crate::Schedule;
use crate::primitive::{CACHE_READ, COMPUTE_AT, PARALLEL, STAGE_TRANSPOSE, VECTORIZE, VECTORIZE_TRANSPOSE};
use crate::trace::{Arg, Rv};
use crate::units::{LINE, ceil_div, signed};

/// Iterations of a side of a square: four lines of a cache along what is read, and along what is written.
const SQUARE: i64 = 64;
/// Lines of a side of a square that goes through registers. Rows that begin within lines share some, and are longer.
const SQUARE_LINES: i64 = 2;
const LONG_SQUARE_LINES: i64 = 4;
/// Lines of a piece that goes through memory of its own, along what is read and along what is written: two neighbours
/// are the least that memory has to be asked for at a time, and with more the piece leaves the first cache.
const PIECE: (i64, i64) = (4, 2);
/// The same where rows of the result begin within lines: the lines that two of them share are read before they are
/// written.
const LONG_PIECE: (i64, i64) = (2, 16);
/// Loops of fewer iterations are not cut into squares.
const SHORT: i64 = 16;
/// Loops of fewer iterations are no side of a tile.
const LEAST: i64 = 3;

/// The loops along what is read and along what is written, where these are different ones.
pub(super) fn crossed(nest: &PlainNest, target: &Target) -> Option<(usize, usize)> {
    let written = nest.along_result()?;
    let read = nest.along_reads()?;
    let long = |at: usize| nest.extent(at).is_none_or(|extent| extent >= LEAST);
    // Lines of which a vector has many elements are read as a whole by that alone, if they stay near from loop to loop.
    let half = signed(target.limits.core_cache_bytes / 2);
    let stays = nest.iterations(&[read, written]).is_some_and(|count| count.saturating_mul(width(nest)) <= half);
    let least = if stays { SHORT } else { LEAST };
    let across = nest.reads.iter().any(|read| nest.step(read, written).is_none_or(|step| step.abs() >= least));
    (nest.is_spatial() && read != written && across && long(read) && long(written)).then_some((read, written))
}

/// Schedules such a stage; with each loop alone where loops that are one with it in memory cannot be joined.
pub(super) fn in_squares(
    schedule: &mut Schedule,
    target: &Target,
    nest: &PlainNest,
    (read, written): (usize, usize),
) -> Result<(), Declined> {
    let crossed = (read, written);
    let joined = [one_with(nest, read, written), one_with(nest, written, read)];
    let is_short = |loops: &[usize]| nest.iterations(loops).is_some_and(|extent| extent < SHORT);
    // A short loop that is one with its neighbours in memory is a side of a square with them, but of no tile.
    let in_tiles = [read, written].iter().zip(&joined).all(|(&at, side)| !is_short(&[at]) || is_short(side));
    let short_rows = nest.extent(written).is_some_and(|extent| extent.saturating_mul(width(nest)) < 2 * LINE);
    let ways =
        if stays(nest, target) || short_rows { [through_registers, staged] } else { [staged, through_registers] };
    if in_tiles && ways.iter().any(|way| attempt(schedule, |schedule| way(schedule, target, nest, crossed))) {
        return Ok(());
    }
    if joined.iter().any(|side| is_short(side)) {
        return spatial::spatial_order(schedule, target, nest);
    }
    if attempt(schedule, |schedule| squares_of(schedule, target, nest, &joined)) {
        return Ok(());
    }
    squares_of(schedule, target, nest, &[vec![read], vec![written]])
}

/// A copy in tiles of registers, in squares of which the first cache holds what is written.
fn through_registers(
    schedule: &mut Schedule,
    target: &Target,
    nest: &PlainNest,
    crossed: (usize, usize),
) -> Result<(), Declined> {
    let lanes = int(lanes(nest, target, crossed));
    let side = if begins_lines(nest, crossed) { SQUARE_LINES } else { LONG_SQUARE_LINES };
    in_pieces(schedule, target, nest, crossed, (elements(nest, side), elements(nest, side)))?;
    let ahead = Arg::Attr(Attr::Bool(is_far(nest, target)));
    schedule.call(&VECTORIZE_TRANSPOSE, vec![Arg::Rv(nest.block), lanes, ahead])?;
    Ok(())
}

/// A piece of the result, a few cache lines of each of its rows, from adjacent tiles.
fn staged(schedule: &mut Schedule, target: &Target, nest: &PlainNest, crossed: (usize, usize)) -> Result<(), Declined> {
    let lanes = lanes(nest, target, crossed);
    let (read, written) = if begins_lines(nest, crossed) { PIECE } else { LONG_PIECE };
    let (read, written) = (elements(nest, read).max(lanes), elements(nest, written).max(lanes));
    in_pieces(schedule, target, nest, crossed, (read, written))?;
    // What is read as a whole, the processor reads ahead by itself.
    let ahead = is_far(nest, target) && nest.extent(crossed.0).is_none_or(|extent| extent > read);
    let ahead = Arg::Attr(Attr::Bool(ahead));
    schedule.call(&STAGE_TRANSPOSE, vec![Arg::Rv(nest.block), int(lanes), ahead])?;
    Ok(())
}

/// The elements in so many lines.
fn elements(nest: &PlainNest, lines: i64) -> i64 {
    lines * (LINE / width(nest).clamp(1, LINE))
}

/// Bytes of an element of the result.
fn width(nest: &PlainNest) -> i64 {
    nest.writes.first().map_or(4, |write| write.buffer.dtype.element_bytes() as i64).max(1)
}

/// Lanes of the vectors that a tile is made of, and how many of them: no more than a side is long.
fn lanes(nest: &PlainNest, target: &Target, (read, written): (usize, usize)) -> i64 {
    let bits = u32::try_from(width(nest) * 8).unwrap_or(u32::BITS);
    let most = i64::from(target.lanes(bits).next_power_of_two().clamp(2, 16));
    let sides = [read, written].into_iter().filter_map(|at| nest.extent(at));
    let least = sides.min().map_or(16, |side| side.clamp(2, 16).unsigned_abs().next_power_of_two());
    most.min(i64::try_from(least).unwrap_or(most))
}

/// Whether the caches of a core do not hold both operands, as far as that is known: then later lines are prefetched,
/// and lines are written as a whole.
fn is_far(nest: &PlainNest, target: &Target) -> bool {
    let all: Vec<usize> = (0..nest.loops.len()).collect();
    let bytes = i64::try_from(nest.cost.bytes).unwrap_or(i64::MAX);
    nest.iterations(&all).is_none_or(|count| count.saturating_mul(bytes) > signed(target.limits.core_cache_bytes))
}

/// Whether the last level of cache is known to hold what is read and written: as much as is not written past it.
fn stays(nest: &PlainNest, target: &Target) -> bool {
    let all: Vec<usize> = (0..nest.loops.len()).collect();
    let bytes = i64::try_from(nest.cost.bytes).unwrap_or(i64::MAX);
    let held = i64::try_from(target.limits.filling_bytes()).unwrap_or(i64::MAX);
    nest.iterations(&all).is_some_and(|count| count.saturating_mul(bytes) < held)
}

/// Whether every row of the result begins where a line of a cache does, if the result does.
fn begins_lines(nest: &PlainNest, crossed: (usize, usize)) -> bool {
    let (bytes, written) = (width(nest), crossed.1);
    let whole = |at: usize| {
        let step = nest.writes.first().and_then(|write| nest.step(write, at));
        at == written || step.is_some_and(|step| step.wrapping_mul(bytes) % LINE == 0)
    };
    (0..nest.loops.len()).all(whole)
}

/// Makes the two loops the innermost ones, with so many iterations, and tasks of the others.
fn in_pieces(
    schedule: &mut Schedule,
    target: &Target,
    nest: &PlainNest,
    (read, written): (usize, usize),
    (along_read, along_written): (i64, i64),
) -> Result<(), Declined> {
    let others: Vec<Rv> = (0..nest.loops.len())
        .filter(|&at| at != read && at != written)
        .filter_map(|at| nest.rvs.get(at).copied())
        .collect();
    let mut parts = |at: usize, size: i64| -> Result<(Option<Rv>, Rv), Declined> {
        let rv = nest.rvs.get(at).copied().ok_or_else(gone)?;
        if nest.extent(at).is_some_and(|extent| extent <= size) {
            return Ok((None, rv));
        }
        match schedule.split_by(rv, &[None, Some(Expr::i64(size))])?.as_slice() {
            [outer, inner] => Ok((Some(*outer), *inner)),
            _ => Err(gone()),
        }
    };
    let (read_outer, read) = parts(read, along_read)?;
    let (written_outer, written) = parts(written, along_written)?;
    let outside: Vec<Rv> = others.into_iter().chain(written_outer).chain(read_outer).collect();
    let order: Vec<Rv> = outside.iter().copied().chain([read, written]).collect();
    schedule.reorder_to(&order)?;
    let all: Vec<usize> = (0..nest.loops.len()).collect();
    // Loops that count in different widths, as those over sizes that are not known do, make no loop that can be told
    // apart.
    let widths = outside.iter().map(|&l| Ok(extent_of(schedule, l)?.dtype)).collect::<Result<Vec<_>, Declined>>()?;
    let alike = widths.iter().take_while(|width| Some(*width) == widths.first()).count();
    if !outside.is_empty() && !is_small(nest.iterations(&all), nest.cost, target) {
        let tasks = schedule.fuse_all(outside.get(..alike).unwrap_or_default())?;
        schedule.on_loop(&PARALLEL, tasks)?;
    }
    Ok(())
}

/// The sizes of the parts of a side: those of its squares, not larger than the side.
fn side(nest: &PlainNest, loops: &[usize]) -> i64 {
    nest.iterations(loops).map_or(SQUARE, |extent| extent.clamp(1, SQUARE))
}

fn squares_of(
    schedule: &mut Schedule,
    target: &Target,
    nest: &PlainNest,
    [with_read, with_written]: &[Vec<usize>; 2],
) -> Result<(), Declined> {
    let rv = |at: usize| nest.rvs.get(at).copied();
    let Some(&read) = with_read.last() else { return Ok(()) };
    let sides: Vec<usize> = with_read.iter().chain(with_written).copied().collect();
    let others: Vec<Rv> = (0..nest.loops.len()).filter(|at| !sides.contains(at)).filter_map(rv).collect();
    let order: Vec<Rv> = others.iter().copied().chain(sides.iter().copied().filter_map(rv)).collect();
    schedule.reorder_to(&order)?;
    let fused = |loops: &[usize]| loops.iter().copied().filter_map(rv).collect::<Vec<Rv>>();
    let along_read = schedule.fuse_all(&fused(with_read))?;
    let along_written = schedule.fuse_all(&fused(with_written))?;
    let lanes = i64::from(target.lanes(32));
    let vectors = ceil_div(side(nest, with_written), lanes);
    let reads = schedule.split_by(along_read, &[None, Some(Expr::i64(side(nest, with_read)))])?;
    let writes = schedule.split_by(along_written, &[None, Some(Expr::i64(vectors)), Some(Expr::i64(lanes))])?;
    let ([reads, read_in], [writes, vectors, written_in]) = (reads.as_slice(), writes.as_slice()) else {
        return Ok(());
    };
    let outside: Vec<Rv> = others.into_iter().chain([*reads]).collect();
    let order: Vec<Rv> = outside.iter().copied().chain([*writes, *vectors, *read_in, *written_in]).collect();
    schedule.reorder_to(&order)?;
    let all: Vec<usize> = (0..nest.loops.len()).collect();
    attempt(schedule, |schedule| copied(schedule, nest, read, *writes));
    if !is_small(nest.iterations(&all), nest.cost, target) {
        let tasks = schedule.fuse_all(&outside)?;
        schedule.on_loop(&PARALLEL, tasks)?;
    }
    Ok(schedule.on_loop(&VECTORIZE, *written_in)?)
}

/// The loops, up to that one, that go through memory as one with it; `other` is none of them.
fn one_with(nest: &PlainNest, at: usize, other: usize) -> Vec<usize> {
    let mut loops = vec![at];
    while let Some(outer) = loops.first().and_then(|first| first.checked_sub(1)) {
        if outer == other || !nest.is_contiguous(outer, outer + 1) || nest.extent(outer) == Some(1) {
            break;
        }
        loops.insert(0, outer);
    }
    loops
}

/// Copies each square of what is read along that loop to memory of its own, line by line: elements of a column, which
/// are a power of two apart in large tensors, would push each other out of the cache.
fn copied(schedule: &mut Schedule, nest: &PlainNest, read: usize, square: Rv) -> Result<(), Declined> {
    let missing = || Declined::because("nothing is read along the loop");
    let crossing = nest.reads.iter().find(|access| nest.step(access, read) == Some(1)).ok_or_else(missing)?;
    let stmt = schedule.stmt(nest.block).ok_or_else(gone)?;
    let StmtKind::Block { block, .. } = &stmt.kind else { return Err(gone()) };
    let number = block.reads.iter().position(|region| region.buffer == crossing.buffer).ok_or_else(missing)?;
    let number = i64::try_from(number).unwrap_or_default();
    let none = Arg::Attr(Attr::None);
    let copy = schedule.call(&CACHE_READ, vec![Arg::Rv(nest.block), int(number), text("local"), none])?;
    let [copy] = copy.rvs() else { return Err(missing()) };
    schedule.move_to(&COMPUTE_AT, *copy, square)?;
    let depth = 1 + schedule.loops_around(nest.block)?.iter().position(|l| same(schedule, *l, square)).unwrap_or(0);
    let own = PlainNest::inside(schedule, *copy, depth);
    let vector = match &own {
        Ok(own) => own.along_result().and_then(|at| own.rvs.get(at).copied()),
        Err(_) => schedule.loops_around(*copy)?.last().copied(),
    };
    vector.map_or(Ok(()), |l| Ok(schedule.on_loop(&VECTORIZE, l)?))
}

fn same(schedule: &Schedule, a: Rv, b: Rv) -> bool {
    schedule.place_of(a) == schedule.place_of(b)
}
