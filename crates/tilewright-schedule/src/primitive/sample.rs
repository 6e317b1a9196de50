//! `sample_categorical`, `sample_perfect_tile`, `sample_partitioned_tile`, `sample_compute_location`: choices that
//! follow from the schedule's seed, or from a `decision` that is given. A trace has the decision: done again, it
//! chooses the same.

use tilewright_ir::Attr;
use tilewright_ir::tir::Expr;

use super::call::{Call, Default, Outcome, Primitive, Results, Value};
use super::compute_at::COMPUTE_AT;
use crate::analysis::stages::{reads, stages, writes};
use crate::fault::Fault;
use crate::primitive::seed::scattered;
use crate::site::{Key, Site, key_at, loop_of};

pub(crate) const SAMPLE_CATEGORICAL: Primitive = Primitive {
    name: "SampleCategorical",
    method: "sample_categorical",
    doc: "One of the integers, as likely as its probability says, or that of the decision.",
    params: &[("candidates", Default::Required), ("probs", Default::Required), ("decision", Default::None)],
    plan: None,
    gives_list: false,
    run: categorical,
};

pub(crate) const SAMPLE_PERFECT_TILE: Primitive = Primitive {
    name: "SamplePerfectTile",
    method: "sample_perfect_tile",
    doc: "`n` factors whose product is a loop's extent, drawn or as the decision says.",
    params: &[
        ("loop", Default::Required),
        ("n", Default::Required),
        ("max_innermost_factor", Default::Int(16)),
        ("decision", Default::None),
    ],
    plan: None,
    gives_list: true,
    run: perfect_tile,
};

pub(crate) const SAMPLE_PARTITIONED_TILE: Primitive = Primitive {
    name: "SamplePartitionedTile",
    method: "sample_partitioned_tile",
    doc: "`n` factors whose product is a loop's extent; the product of those from `partition_pos` on is a multiple \
          of `innerpart_factor`.",
    params: &[
        ("loop", Default::Required),
        ("n", Default::Required),
        ("partition_pos", Default::Int(0)),
        ("innerpart_factor", Default::Int(1)),
        ("decision", Default::None),
    ],
    plan: None,
    gives_list: true,
    run: partitioned_tile,
};

pub(crate) const SAMPLE_COMPUTE_LOCATION: Primitive = Primitive {
    name: "SampleComputeLocation",
    method: "sample_compute_location",
    doc: "A loop that a block can move into by `compute_at`, drawn or as the decision says.",
    params: &[("block", Default::Required), ("decision", Default::None)],
    plan: None,
    gives_list: false,
    run: compute_location,
};

/// Numbers that follow from a seed.
struct Draw(u64);

impl Draw {
    /// One below `end`, each as likely as the others but for what 64 bits cannot tell.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = scattered(self.0);
        if end == 0 { 0 } else { self.0 % end }
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        (self.below(1 << 53)) as f64 / (1u64 << 53) as f64
    }
}

fn decided(results: Results, decision: Attr) -> Outcome {
    Outcome::found(Results::Decided(Box::new(results), decision))
}

fn given(call: &Call<'_>, at: usize) -> Result<Option<Vec<i64>>, Fault> {
    match call.value(at)? {
        Value::Attr(Attr::None) => Ok(None),
        Value::Attr(Attr::Int(value)) => Ok(Some(vec![*value])),
        _ => call.ints(at).map(Some),
    }
}

fn categorical(call: &Call<'_>) -> Result<Outcome, Fault> {
    let candidates = call.ints(0)?;
    let Value::List(shares) = call.value(1)? else { return call.expected(1, "a list of numbers", call.value(1)?) };
    let share = |value: &Value| match value {
        Value::Attr(Attr::Float(value)) => Some(value.0),
        Value::Attr(Attr::Int(value)) => Some(*value as f64),
        _ => None,
    };
    let shares: Option<Vec<f64>> = shares.iter().map(share).collect();
    let shares = shares.filter(|shares| shares.iter().all(|share| *share >= 0.0) && shares.iter().sum::<f64>() > 0.0);
    let Some(shares) = shares.filter(|shares| shares.len() == candidates.len()) else {
        let message = "expected a probability for each candidate, none of them negative and one of them above 0";
        return Err(Fault::of_call(message));
    };
    let at = match given(call, 2)? {
        Some(decision) => decision.first().copied().unwrap_or(-1),
        None => {
            let mut left = Draw(call.seed).share() * shares.iter().sum::<f64>();
            let taken = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            let last = shares.iter().rposition(|share| *share > 0.0);
            taken.or(last).map_or(0, |at| at as i64)
        }
    };
    let chosen = usize::try_from(at).ok().and_then(|at| candidates.get(at));
    let message = || format!("there are {} candidates, the decision is number {at}", candidates.len());
    let chosen = chosen.ok_or_else(|| Fault::of_call(message()))?;
    Ok(decided(Results::Scalar(Expr::i64(*chosen)), Attr::Int(at)))
}

/// The extent of a loop, a constant.
fn extent(site: &Site) -> Result<i64, Fault> {
    let l = loop_of(&site.stmt).ok_or_else(|| Fault::at(site, "expected a loop"))?;
    let message = || format!("the extent of loop `{}` is no constant above 0: it has no tiles", l.var.name);
    l.extent.as_int().filter(|extent| *extent > 0).ok_or_else(|| Fault::at(site, message()))
}

fn tile_of(site: &Site, extent: i64, parts: usize, factors: Vec<i64>) -> Result<Outcome, Fault> {
    let product = factors.iter().try_fold(1i64, |product, factor| product.checked_mul(*factor));
    if factors.len() != parts || product != Some(extent) || factors.iter().any(|factor| *factor < 1) {
        let message = format!("the decision {factors:?} is not {parts} factors whose product is {extent}");
        return Err(Fault::at(site, message));
    }
    let decision = Attr::Array(factors.iter().copied().map(Attr::Int).collect());
    Ok(decided(Results::Scalars(factors.into_iter().map(Expr::i64).collect()), decision))
}

fn parts(call: &Call<'_>, site: &Site, at: usize) -> Result<usize, Fault> {
    let count = call.int(at)?;
    let message = || format!("expected from 1 to 16 factors, found {count}");
    usize::try_from(count).ok().filter(|count| (1..=16).contains(count)).ok_or_else(|| Fault::at(site, message()))
}

fn perfect_tile(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.loop_at(0)?;
    let (extent, count, max) = (extent(&site)?, parts(call, &site, 1)?, call.int(2)?);
    let factors = match given(call, 3)? {
        Some(factors) => factors,
        None => {
            let mut draw = Draw(call.seed);
            let innermost = divisors(extent).into_iter().filter(|d| max < 1 || *d <= max || count == 1).collect();
            drawn_tile(&mut draw, extent, count, innermost)
        }
    };
    tile_of(&site, extent, count, factors)
}

fn partitioned_tile(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.loop_at(0)?;
    let (extent, count, position, factor) = (extent(&site)?, parts(call, &site, 1)?, call.int(2)?, call.int(3)?);
    let inner = usize::try_from(position).ok().filter(|position| *position <= count);
    let inner = inner.map(|position| count - position);
    let Some(inner) = inner.filter(|inner| *inner > 0) else {
        return Err(Fault::at(&site, format!("there are {count} factors, found partition position {position}")));
    };
    if factor < 1 || extent % factor != 0 {
        let message = format!("{factor} does not divide the extent {extent}: there are no such tiles");
        return Err(Fault::at(&site, message));
    }
    let factors = match given(call, 4)? {
        Some(factors) => factors,
        None => {
            let mut draw = Draw(call.seed);
            let outer = count - inner;
            let size = if outer == 0 { extent } else { factor * pick(&mut draw, &divisors(extent / factor)) };
            let mut factors = if outer == 0 { Vec::new() } else { drawn(&mut draw, extent / size, outer) };
            factors.extend(drawn(&mut draw, size, inner));
            factors
        }
    };
    let inside = factors.iter().rev().take(inner).try_fold(1i64, |product, part| product.checked_mul(*part));
    if inside.is_none_or(|inside| inside % factor != 0) {
        return Err(Fault::at(
            &site,
            format!("the inner factors of the decision {factors:?} are no multiple of {factor}"),
        ));
    }
    tile_of(&site, extent, count, factors)
}

/// All divisors, in order.
fn divisors(value: i64) -> Vec<i64> {
    let small: Vec<i64> = (1..).take_while(|d| d * d <= value).filter(|d| value % d == 0).collect();
    let large: Vec<i64> = small.iter().rev().map(|d| value / d).filter(|d| d * d > value).collect();
    small.into_iter().chain(large).collect()
}

fn pick(draw: &mut Draw, values: &[i64]) -> i64 {
    values.get(draw.below(values.len() as u64) as usize).copied().unwrap_or(1)
}

/// In how many ways a number is a product of so many factors.
fn ways(value: i64, count: usize) -> u64 {
    match count {
        0 => u64::from(value == 1),
        1 => 1,
        _ => divisors(value).into_iter().map(|d| ways(value / d, count - 1)).fold(0, u64::saturating_add),
    }
}

/// Factors of a number, each way as likely as the others.
fn drawn(draw: &mut Draw, value: i64, count: usize) -> Vec<i64> {
    drawn_tile(draw, value, count, divisors(value))
}

/// The same, the last factor one of these.
fn drawn_tile(draw: &mut Draw, value: i64, count: usize, innermost: Vec<i64>) -> Vec<i64> {
    let (mut factors, mut left, mut choices) = (Vec::new(), value, innermost);
    for rest in (1..count).rev() {
        let weights: Vec<u64> = choices.iter().map(|d| ways(left / d, rest)).collect();
        let mut at = draw.below(weights.iter().copied().fold(0, u64::saturating_add));
        let taken = weights.iter().position(|weight| match at.checked_sub(*weight) {
            Some(less) => {
                at = less;
                false
            }
            None => true,
        });
        let factor = taken.and_then(|taken| choices.get(taken)).copied().unwrap_or(1);
        factors.push(factor);
        left /= factor;
        choices = divisors(left);
    }
    factors.push(left);
    factors.reverse();
    factors
}

fn compute_location(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let found = locations(call, &site)?;
    let at = match given(call, 1)? {
        Some(decision) => decision.first().copied().unwrap_or(-1),
        None => Draw(call.seed).below(found.len() as u64) as i64,
    };
    let message =
        || format!("there are {} loops that the block can move into, the decision is number {at}", found.len());
    let key = usize::try_from(at).ok().and_then(|at| found.get(at)).cloned();
    let key = key.ok_or_else(|| Fault::at(&site, message()))?;
    Ok(decided(Results::One(key), Attr::Int(at)))
}

/// The loops around the first consumer of a block that `compute_at` moves it into, from outside inwards.
fn locations(call: &Call<'_>, site: &Site) -> Result<Vec<Key>, Fault> {
    let (_, _, after) = stages(site)?;
    let buffers = site.block().map(|block| block.writes.clone()).unwrap_or_default();
    let uses = |stage: &&Site| buffers.iter().any(|b| reads(stage, &b.buffer) || writes(stage, &b.buffer));
    let Some(consumer) = after.iter().find(uses) else {
        return Err(Fault::at(site, "no block reads what the block writes"));
    };
    let block = key_at(&call.function.body, site).ok_or_else(|| Fault::at(site, "the block is gone"))?;
    let moves = |key: &Key| {
        let site = |key: &Key| Value::Site(key.clone());
        let args = [site(&block), site(key), Value::Attr(Attr::Bool(false)), Value::Attr(Attr::Int(-1))];
        (COMPUTE_AT.run)(&Call { args: &args, ..*call }).is_ok()
    };
    Ok(consumer.loops().iter().map(|l| Key::Loop(l.var.id())).filter(moves).collect())
}
