//! The virtual machine: an executable made ready on this machine, and handles to its functions.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tilewright_support::nearest;
use tilewright_vm_program::{Function as FunctionBody, Program};

use crate::cache::OutputCache;
use crate::code::Code;
use crate::device::Device;
use crate::error::{ErrorKind, Result};
use crate::executable::Executable;
use crate::prepare::Prepared;
use crate::registry;
use crate::run;
use crate::value::{PackedFunc, Value};

/// An executable, ready to run. Cloning shares it; any number of threads may call its functions at once.
#[derive(Clone)]
pub struct VirtualMachine {
    machine: Arc<Machine>,
}

pub(crate) struct Machine {
    pub(crate) executable: Arc<Executable>,
    pub(crate) code: Arc<Code>,
    /// One for each function of the program.
    pub(crate) functions: Vec<Prepared>,
    /// One for each packed name of the program, filled when a function that may reach it is first called.
    pub(crate) packed: Vec<OnceLock<PackedFunc>>,
    pub(crate) outputs: Arc<OutputCache>,
}

impl Machine {
    pub(crate) fn program(&self) -> &Program {
        self.executable.program()
    }

    /// Looks up the packed functions that a call of the function may reach, before anything runs.
    fn resolve(&self, function: u32) -> Result<()> {
        for &name in &self.functions[function as usize].packed {
            let place = &self.packed[name as usize];
            if place.get().is_none() {
                // Another thread may have been faster; then its function stays.
                let _ = place.set(registry::get(&self.program().packed_names[name as usize])?);
            }
        }
        Ok(())
    }
}

impl VirtualMachine {
    /// Makes an executable ready on these devices; without any, on the processor. Refuses machine code that this
    /// machine cannot run, naming what it lacks.
    pub fn new(executable: Arc<Executable>, devices: &[Device]) -> Result<Self> {
        devices.iter().try_for_each(|device| device.require())?;
        let code = executable.code()?;
        let program = executable.program();
        let functions = (0..program.functions.len()).map(|index| Prepared::new(program, index));
        let functions = functions.collect::<Result<Vec<_>, _>>()?;
        let packed = program.packed_names.iter().map(|_| OnceLock::new()).collect();
        let outputs = Arc::new(OutputCache::default());
        Ok(Self { machine: Arc::new(Machine { executable, code, functions, packed, outputs }) })
    }

    pub fn executable(&self) -> &Arc<Executable> {
        &self.machine.executable
    }

    /// The names of all functions, in the program's order.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.machine.program().functions.iter().map(|function| function.name.as_str())
    }

    /// A handle to the function of this name.
    pub fn function(&self, name: &str) -> Result<Function> {
        match self.machine.program().function(name) {
            Some(index) => Ok(Function { machine: Arc::clone(&self.machine), index }),
            None => {
                let known: Vec<_> = self.function_names().map(str::to_owned).collect();
                let suggestion = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                Err(ErrorKind::UnknownFunction { name: name.to_owned(), known, suggestion }.into())
            }
        }
    }
}

impl fmt::Debug for VirtualMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.function_names()).finish()
    }
}

/// A function of a machine. Keeps the machine alive; cloning is cheap.
#[derive(Clone)]
pub struct Function {
    machine: Arc<Machine>,
    index: u32,
}

impl Function {
    pub fn name(&self) -> &str {
        &self.signature().name
    }

    /// The function as the program has it, with its parameters and its result.
    pub fn signature(&self) -> &FunctionBody {
        &self.machine.program().functions[self.index as usize]
    }

    /// Checks the arguments and runs the function. Tensors that it returns have memory of their own (or are arguments
    /// or constants that it hands back).
    pub fn call(&self, args: &[Value]) -> Result<Value> {
        self.machine.resolve(self.index)?;
        run::call(&self.machine, self.index, args, 0)
    }

    /// The function as a value for other functions.
    pub fn to_packed(&self) -> PackedFunc {
        let function = self.clone();
        Arc::new(move |args| function.call(args))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function(\"{}\")", self.name())
    }
}
