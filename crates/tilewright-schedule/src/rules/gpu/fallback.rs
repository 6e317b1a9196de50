//! `fallback` of a GPU: every function. Each stage that is a nest around one block gets what fits it; what is left runs
//! by its parallel loops, and what has none on one thread, which the trace says as `run_on_threads(…, 1)`.

use tilewright_target::Target;

use super::stage::{self, bind_rest};
use crate::Schedule;
use crate::plan::gpu::Device;
use crate::rules::primitive_calls::attempt;
use crate::rules::{Declined, Offers, Rule, inline};

pub(crate) const FALLBACK: Rule = Rule {
    name: "fallback",
    doc: "Every function: each stage on threads as far as its results are proven to be independent, the rest on one.",
    kernels: &["fallback"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let device = Device::of(target)?;
    attempt(schedule, inline::cheap_temporaries);
    for block in schedule.stages().unwrap_or_default() {
        attempt(schedule, |schedule| stage::any(schedule, &device, block));
    }
    bind_rest(schedule, &device)
}
