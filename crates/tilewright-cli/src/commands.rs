//! The commands, one file each, and what calls of functions need.

pub(crate) mod bench;
mod call;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod compile;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod opt;
pub(crate) mod profile;
pub(crate) mod run;
pub(crate) mod tune;
