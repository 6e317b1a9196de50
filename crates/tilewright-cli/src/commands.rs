//! The commands, one file each.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod doctor;
pub(crate) mod opt;
pub(crate) mod run;
