//! The names of a module.

use std::collections::HashMap;

use crate::fault::ParseError;
use crate::module::{Function, Initial, Kernel, Module, Space, Variable};

#[derive(Debug, Default)]
pub(crate) struct Symbols {
    variables: Vec<Variable>,
    by_name: HashMap<String, usize>,
    functions: Vec<Function>,
    function_names: HashMap<String, usize>,
    /// The line that first mentions a function.
    mentioned: Vec<u32>,
}

impl Symbols {
    /// Adds a variable of the module; a second declaration of the same name must agree in space.
    pub(crate) fn declare(&mut self, name: &str, variable: Variable, line: u32) -> Result<usize, ParseError> {
        if let Some(&index) = self.by_name.get(name) {
            let old = &mut self.variables[index];
            if old.space != variable.space {
                return Err(ParseError { line, message: format!("`{name}` is declared in two spaces") });
            }
            if old.dynamic || old.bytes < variable.bytes {
                *old = variable;
            }
            return Ok(index);
        }
        let index = self.add(variable);
        self.by_name.insert(name.to_owned(), index);
        Ok(index)
    }

    /// Adds a variable that only its function can name.
    pub(crate) fn add(&mut self, variable: Variable) -> usize {
        self.variables.push(variable);
        self.variables.len() - 1
    }

    pub(crate) fn variable(&self, name: &str) -> Option<(usize, Space)> {
        let index = *self.by_name.get(name)?;
        Some((index, self.variables[index].space))
    }

    /// The index of a function, which may be declared later.
    pub(crate) fn function(&mut self, name: &str, line: u32) -> usize {
        if let Some(&index) = self.function_names.get(name) {
            return index;
        }
        let kernel = Kernel { name: name.to_owned(), ..Kernel::default() };
        self.functions.push(Function { kernel, is_kernel: false, code: None });
        self.mentioned.push(line);
        self.function_names.insert(name.to_owned(), self.functions.len() - 1);
        self.functions.len() - 1
    }

    pub(crate) fn has_body(&self, index: usize) -> bool {
        self.functions[index].code.is_some()
    }

    pub(crate) fn define(&mut self, index: usize, function: Function) {
        self.functions[index] = function;
    }

    /// Everything that `index` calls, and itself.
    fn reachable(&self, index: usize) -> Vec<usize> {
        let mut out = vec![index];
        let mut at = 0;
        while at < out.len() {
            let callees = self.functions[out[at]].code.as_ref().map(|code| code.callees.clone()).unwrap_or_default();
            for callee in callees {
                if !out.contains(&callee) {
                    out.push(callee);
                }
            }
            at += 1;
        }
        out
    }

    /// Resolves what names left open.
    pub(crate) fn finish(mut self, target: String) -> Result<Module, ParseError> {
        for variable in &self.variables {
            for (_, value, _) in &variable.initial {
                if let Initial::Address { name, .. } = value
                    && !self.by_name.contains_key(name)
                {
                    let message = format!("`{name}`, in the initial values of `{}`, is not declared", variable.name);
                    return Err(ParseError { line: 1, message });
                }
            }
        }
        for index in 0..self.functions.len() {
            let reachable = self.reachable(index);
            let mut shared: Vec<usize> = Vec::new();
            let mut problem = None;
            for &function in &reachable {
                let Function { kernel, code, .. } = &self.functions[function];
                match code {
                    Some(code) => shared.extend(&code.shared),
                    None => {
                        let message = format!("a call of `{}`, which has no body", kernel.name);
                        problem = problem.or(Some((self.mentioned[function], message)));
                    }
                }
                problem = problem.or(kernel.unsupported.clone());
            }
            shared.sort_unstable();
            shared.dedup();
            let mut bytes: u64 = 0;
            for variable in shared.iter().map(|index| &self.variables[*index]).filter(|variable| !variable.dynamic) {
                bytes = bytes.next_multiple_of(variable.align) + variable.bytes;
            }
            let kernel = &mut self.functions[index].kernel;
            kernel.static_shared = u32::try_from(bytes).unwrap_or(u32::MAX);
            kernel.unsupported = problem;
            if let Some(code) = &mut self.functions[index].code {
                code.shared = shared;
            }
        }
        Ok(Module::new(self.variables, self.functions, target))
    }
}
