//! `elementwise`: functions whose stages each compute every element of their result from elements of the arguments.
//!
//! A stage goes through memory in the order of its result. Loops that are contiguous in all tensors become one; the
//! innermost runs in vectors, those around it in parallel tasks of some microseconds. Temporaries that are computed
//! element by element are computed where they are read.

use tilewright_ir::tir::Expr;
use tilewright_target::Target;

use super::nests::{PlainNest, gone};
use super::spatial::spatial_order;
use super::{Declined, Offers, Rule, inline, transpose};
use crate::Schedule;
use crate::families::elementwise::Elementwise;
use crate::trace::Rv;

pub(super) const ELEMENTWISE: Rule = Rule {
    name: "elementwise",
    doc: "Stages without reductions: contiguous loops fused, the innermost in vectors, the others in parallel.",
    kernels: &["elementwise"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    inline::cheap_temporaries(schedule)?;
    let stages = schedule.stages()?;
    let nests = stages.into_iter().map(|block| with_periods_split(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    nests.iter().try_for_each(|nest| match transpose::crossed(nest, target) {
        Some(crossed) => transpose::in_squares(schedule, target, nest, crossed),
        None => spatial_order(schedule, target, nest),
    })
}

/// Where elements are read again and again, the loop becomes one over the repetitions and one over what is repeated,
/// along which neighbours are read.
fn with_periods_split(schedule: &mut Schedule, block: Rv) -> Result<PlainNest, Declined> {
    let nest = PlainNest::of(schedule, block)?;
    let periods = Elementwise::of(&nest)?.periods;
    for period in &periods {
        let l = *nest.rvs.get(period.at).ok_or_else(gone)?;
        schedule.split_by(l, &[Some(Expr::i64(period.count)), Some(Expr::i64(period.size))])?;
    }
    if periods.is_empty() { Ok(nest) } else { PlainNest::of(schedule, block) }
}
