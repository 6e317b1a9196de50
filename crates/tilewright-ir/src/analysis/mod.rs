//! Analyses for authors of passes: uses, facts about values, effects, lifetimes.
//!
//! Graphs: [`struct_info`] (subsumption), [`vars`] (variables, their values and uses), [`effects`] (purity, recursion),
//! [`dataflow`] (liveness, aliases, candidates for computation in place), [`reshape`], [`renew`]. Loops: [`tir`]. Both:
//! [`well_formed`], [`kinds`] (counts of each kind of node).
//!
//! Invariants: an analysis changes nothing but for those that say so by their name (`remove_…`); what it cannot prove
//! it does not claim. Results are in the order of the text.

pub mod dataflow;
pub mod effects;
pub mod kinds;
pub mod renew;
pub mod reshape;
pub mod struct_info;
pub mod tir;
pub mod vars;

use tilewright_support::{Diagnostic, Diagnostics};

use crate::verify::{Form, verify};
use crate::{GlobalFunc, IRModule};

pub use effects::{computable_at_compile_time, contains_impure_call, detect_recursion, find_impure_call};
pub use renew::{dims_in, renewed, renewed_with};
pub use reshape::has_reshape_pattern;
pub use struct_info::{
    BaseCheck, collect_non_negative_expressions, definable_dims, derive_call_ret_struct_info, dims_in_struct_info,
    erase_dims, static_type, struct_info_base_check, struct_info_lca,
};
pub use vars::{
    all_global_vars, all_vars, bound_vars, defined_symbolic_vars, free_symbolic_vars, free_vars, name_to_binding,
    remove_all_unused, udchain, used_global_vars, used_vars, var_to_value,
};

pub(crate) use crate::verify::follows;

/// The faults of a module, each with its code and origin; empty if it is well-formed.
pub fn well_formed(module: &IRModule) -> Vec<Diagnostic> {
    verify(module, Form::Any).err().map(|Diagnostics(found)| found).unwrap_or_default()
}

/// The faults of one function. Functions that it calls are looked up in the module, where one is given.
pub fn well_formed_function(function: &GlobalFunc, module: Option<&IRModule>) -> Vec<Diagnostic> {
    let mut around = module.cloned().unwrap_or_default();
    let name = around.insert_unique("function", function.clone()).name;
    let note = format!("in function `{name}`");
    let here = |fault: &Diagnostic| fault.notes.contains(&note);
    well_formed(&around).into_iter().filter(here).collect()
}
