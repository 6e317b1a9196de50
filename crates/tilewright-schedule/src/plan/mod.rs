//! Plans: the sizes and choices by which a kernel is built, as structs with named fields.
//!
//! `derive(Plan)` (`tilewright-macros`) makes of the fields the parameters of the kernel's primitive, with their
//! defaults, checks and the text in a trace; so a plan has no second list of its arguments anywhere. A choice between
//! ways is an enum with `derive(Choice)`. Rules compute plans and never call a kernel by name; a trace holds the plan's
//! fields as arguments, so that a recorded plan, or one that a tuner has found, builds the same kernel again.

mod cost;
pub(crate) mod cpu;
pub(crate) mod gpu;

use std::ops::RangeInclusive;

use tilewright_ir::Attr;

pub use cost::Cost;

use crate::fault::Fault;
use crate::primitive::{Call, Default, PlanDef};

/// How a kernel is built. Derived: see the module's documentation.
pub(crate) trait Plan: Sized {
    /// The parameters of the primitive: `block`, then each field.
    const PARAMS: &'static [(&'static str, Default)];
    /// The fields' other names, and their documentation.
    const DEF: PlanDef;

    /// The plan that the arguments of a call give.
    ///
    /// # Errors
    ///
    /// A value is out of its range, or two do not fit each other.
    fn of_call(call: &Call<'_>) -> Result<Self, Fault>;

    /// The fields as arguments, in order.
    fn attrs(&self) -> Vec<Attr>;
}

/// What a field of a plan may be.
pub(crate) trait PlanField: Sized {
    /// Its values, where it is a choice between named ways.
    const CHOICES: &'static [&'static str] = &[];

    /// The argument at this position.
    ///
    /// # Errors
    ///
    /// The argument is of another sort.
    fn read(call: &Call<'_>, at: usize) -> Result<Self, Fault>;

    fn attr(&self) -> Attr;
}

impl PlanField for i64 {
    fn read(call: &Call<'_>, at: usize) -> Result<Self, Fault> {
        call.int(at)
    }

    fn attr(&self) -> Attr {
        Attr::Int(*self)
    }
}

impl PlanField for bool {
    fn read(call: &Call<'_>, at: usize) -> Result<Self, Fault> {
        call.flag(at)
    }

    fn attr(&self) -> Attr {
        Attr::Bool(*self)
    }
}

/// Fails unless the value of a field is in its range.
pub(crate) fn check_range(name: &str, value: i64, range: RangeInclusive<i64>) -> Result<(), Fault> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(Fault::of_call(format!("`{name}` must be between {least} and {most}, found {value}")))
}

/// Fails unless the value of a field is a power of two.
pub(crate) fn check_power_of_two(name: &str, value: i64) -> Result<(), Fault> {
    if value > 0 && value & (value - 1) == 0 {
        return Ok(());
    }
    Err(Fault::of_call(format!("`{name}` must be a power of two, found {value}")))
}

/// The variant of this name.
pub(crate) fn choice<T: Copy>(name: &str, all: &[(&str, T)]) -> Result<T, Fault> {
    let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let found = all.iter().find(|(known, _)| *known == name).map(|(_, variant)| *variant);
    found.ok_or_else(|| Fault::of_call(format!("expected one of {}, found \"{name}\"", known.join(", "))))
}

/// Why a plan or a rule is not for a function, in words that end the sentence "… was not taken: …".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declined(pub String);

impl Declined {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<Fault> for Declined {
    fn from(fault: Fault) -> Self {
        Self(fault.message)
    }
}
