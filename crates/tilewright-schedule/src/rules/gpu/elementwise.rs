//! `elementwise` of a GPU: functions whose stages each compute every result from elements of the arguments.

use tilewright_target::Target;

use super::stage::{self, bind_rest};
use crate::Schedule;
use crate::plan::gpu::Device;
use crate::rules::nests::PlainNest;
use crate::rules::{Declined, Offers, Rule, inline};

pub(crate) const ELEMENTWISE: Rule = Rule {
    name: "elementwise",
    doc: "Stages without reductions: a thread for each result or vector of results, neighbours for neighbours.",
    kernels: &["elementwise"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let device = Device::of(target)?;
    inline::cheap_temporaries(schedule)?;
    let stages = schedule.stages()?;
    let nests = stages.iter().map(|&block| PlainNest::of(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    if nests.is_empty() || !nests.iter().all(|nest| nest.is_spatial()) {
        return Err(Declined::because("a stage is a reduction"));
    }
    nests.iter().try_for_each(|nest| stage::spatial(schedule, &device, nest))?;
    bind_rest(schedule, &device)
}
