//! What a machine keeps between calls: inputs that are set before the call, outputs that are fetched after it, and
//! functions that were saved with their arguments.

use std::collections::BTreeMap;

use crate::error::{ErrorKind, Result};
use crate::fork::Lock;
use crate::machine::{Function, VirtualMachine};
use crate::value::Value;

/// By the functions' names.
#[derive(Default)]
pub(crate) struct Stored {
    calls: Lock<BTreeMap<String, StoredCall>>,
    saved: Lock<BTreeMap<String, Function>>,
}

#[derive(Default)]
struct StoredCall {
    inputs: Option<Vec<Value>>,
    output: Option<Value>,
}

impl VirtualMachine {
    /// Stores the arguments of the next [`VirtualMachine::invoke_stateful`] of the function. Their number is checked
    /// here, what they are by the call.
    pub fn set_input(&self, name: &str, args: &[Value]) -> Result<()> {
        let function = self.function(name)?;
        let params = &function.signature().params[function.captured().len()..];
        if params.len() != args.len() {
            let expected = params.iter().map(|param| param.name.clone()).collect();
            return Err(ErrorKind::ArgumentCount { function: name.to_owned(), expected, found: args.len() }.into());
        }
        let mut calls = self.stored.calls.lock();
        let replaced = calls.entry(name.to_owned()).or_default().inputs.replace(args.to_vec());
        drop(calls);
        // Dropped outside of the lock: a value's destructor may do anything.
        drop(replaced);
        Ok(())
    }

    /// Calls the function with the arguments that were set; [`VirtualMachine::get_outputs`] gives its result. The
    /// arguments stay set.
    pub fn invoke_stateful(&self, name: &str) -> Result<()> {
        let function = self.function(name)?;
        let inputs = self.stored.calls.lock().get(name).and_then(|call| call.inputs.clone());
        let Some(inputs) = inputs else { return Err(ErrorKind::NoInputs { function: name.to_owned() }.into()) };
        let output = function.call(&inputs)?;
        let mut calls = self.stored.calls.lock();
        let replaced = calls.entry(name.to_owned()).or_default().output.replace(output);
        drop(calls);
        drop(replaced);
        Ok(())
    }

    /// The result of the last [`VirtualMachine::invoke_stateful`] of the function.
    pub fn get_outputs(&self, name: &str) -> Result<Value> {
        self.function(name)?;
        let output = self.stored.calls.lock().get(name).and_then(|call| call.output.clone());
        output.ok_or_else(|| {
            let message = "no outputs yet: invoke it first".to_owned();
            ErrorKind::Run { function: name.to_owned(), message }.into()
        })
    }

    /// Makes a function of this machine under a new name: `name` with its first arguments given.
    pub fn save_function(&self, name: &str, new_name: &str, args: &[Value]) -> Result<Function> {
        let function = self.function(name)?;
        let params = &function.signature().params[function.captured().len()..];
        if args.len() > params.len() {
            let expected = params.iter().map(|param| param.name.clone()).collect();
            return Err(ErrorKind::ArgumentCount { function: name.to_owned(), expected, found: args.len() }.into());
        }
        let function = function.bind(args);
        let mut saved = self.stored.saved.lock();
        if self.function_names().any(|taken| taken == new_name) || saved.contains_key(new_name) {
            return Err(ErrorKind::FunctionExists { name: new_name.to_owned() }.into());
        }
        saved.insert(new_name.to_owned(), function.clone());
        Ok(function)
    }

    /// The saved function of this name.
    pub(crate) fn saved(&self, name: &str) -> Option<Function> {
        self.stored.saved.lock().get(name).cloned()
    }
}
