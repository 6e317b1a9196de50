//! `extreme`: where the greatest or least element of each row stands.

use tilewright_target::Target;

use super::accesses::gone;
use super::calls::int;
use super::elementwise::{ALONE, even_part};
use super::softmax::TASK;
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::facts::size::TASKS;
use crate::primitive::SEEK_EXTREME;
use crate::primitive::seek_extreme::Extreme;
use crate::trace::Arg;

pub(super) const EXTREME: Rule = Rule {
    name: "extreme",
    doc: "Places of greatest or least elements: looked for in one piece of a row, or in a lane for each row.",
    kernels: &["extreme"],
    offers: Offers::One(apply),
};

/// Elements of a row at least whose pieces are looked at one by one.
const LEAST: i64 = 256;
/// Elements whose search takes as long as to begin one more piece, and those of the longest piece.
const BEGIN: i64 = 512;
const LONGEST: i64 = 1 << 13;
/// Rows side by side that are gone through together.
const LOT: i64 = 1024;
const SMALLEST_LOT: i64 = 64;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let last = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let extreme = Extreme::of(function).map_err(|fault| Declined::because(fault.message))?;
    let unknown = || Declined::because("the number of rows, or of their elements, is not known");
    let (rows, columns) = (extreme.rows.size.as_int(), extreme.column.extent.as_int().ok_or_else(unknown)?);
    let lanes = i64::from(target.lanes(32)).clamp(1, 64);
    let (rows, piece, work) = match &extreme.beside {
        None => {
            if columns < LEAST {
                return Err(Declined::because("rows are short"));
            }
            (rows, columns.saturating_mul(BEGIN).isqrt().clamp(LEAST, LONGEST), columns)
        }
        Some(beside) => {
            let all = beside.size.as_int().ok_or_else(unknown)?;
            // Lots enough to share where there are few other rows.
            let most = (all.saturating_mul(rows.unwrap_or(TASKS)) / TASKS).clamp(SMALLEST_LOT, LOT);
            let lot = (SMALLEST_LOT.min(all)..=most.max(all.min(SMALLEST_LOT))).rev().find(|lot| all % lot == 0);
            let lot = lot.ok_or_else(|| Declined::because("rows side by side are not even lots"))?;
            (rows.map(|rows| rows.saturating_mul(all / lot)), lot, columns.saturating_mul(lot))
        }
    };
    // Few rows are better taken apart.
    let is_much = |rows: i64| u64::try_from(rows.saturating_mul(work)).is_ok_and(|all| all > ALONE);
    if rows.is_some_and(|rows| rows < TASKS && is_much(rows)) {
        return Err(Declined::because("there are few rows"));
    }
    let most = (TASK / work.max(1)).max(1);
    let several = even_part(rows, rows.map_or(most, |rows| most.min((rows / TASKS).max(1))), 1).max(1);
    let accumulators = if piece >= 4 * lanes { 4 } else { 1 };
    let sizes = [lanes, accumulators, several, piece].map(int);
    schedule.call(&SEEK_EXTREME, std::iter::once(Arg::Rv(last)).chain(sizes).collect())?;
    Ok(())
}
