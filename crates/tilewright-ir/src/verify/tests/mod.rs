//! Planted faults: for each property a module that lacks it, which is refused with the property's code.

mod graphs;
mod loops;
mod planted;
mod planted_graphs;

use super::{Form, verify};
use crate::IRModule;

/// The codes of what the verifier finds, each once, in order.
fn codes(module: &IRModule, form: Form) -> Vec<&'static str> {
    let mut codes: Vec<_> = match verify(module, form) {
        Ok(()) => Vec::new(),
        Err(found) => found.0.iter().map(|d| d.code).collect(),
    };
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[track_caller]
fn refused(code: &'static str, module: &IRModule, form: Form) {
    match verify(module, form) {
        Ok(()) => panic!("expected {code}, but the module passes"),
        Err(found) => assert_eq!(codes(module, form), [code], "{found}"),
    }
}

#[track_caller]
fn passes(module: &IRModule, form: Form) {
    if let Err(found) = verify(module, form) {
        panic!("expected a well-formed module:\n{found}");
    }
}
