//! `attention`: products of queries and keys, their softmax, and the values weighed with it.

use tilewright_target::Target;

use super::candidate::{Candidate, Offer};
use super::nests::gone;
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::families::attention::Attention;
use crate::kernels::cpu::attention::FLASH_ATTENTION;
use crate::plan::cpu::attention;

pub(super) const RULE: Rule = Rule {
    name: "attention",
    doc: "Attention runs block of keys by block of keys, with running maxima and sums.",
    kernels: &[FLASH_ATTENTION.method],
    offers: Offers::Several(offer),
};

fn offer<'a>(start: &'a Schedule, target: &'a Target) -> Result<Offer<'a>, Declined> {
    let mut schedule = start.clone();
    let first = *schedule.stages()?.first().ok_or_else(gone)?;
    let (function, _) = schedule.site(first).ok_or_else(gone)?;
    let (plan, cost) = attention::choose(&Attention::of(function)?, target);
    let build = move || {
        schedule.build(&FLASH_ATTENTION, first, &plan)?;
        Ok(schedule)
    };
    let mut offer = Offer::default();
    offer.add(FLASH_ATTENTION.method, Ok(Candidate::new(FLASH_ATTENTION.method, Some(cost), build)));
    Ok(offer)
}
