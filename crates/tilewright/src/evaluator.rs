//! Running PrimFuncs while compiling: what `FoldConstant` computes with.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tilewright_ir::node::{EqCx, HashCx};
use tilewright_ir::pass::Evaluator;
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_ir::verify::{Form, Verified};
use tilewright_ir::{Attr, IRModule};
use tilewright_runtime::{Executable, Value, VirtualMachine};
use tilewright_support::Map;
use tilewright_target::Target;
use tilewright_tensor::Tensor;

/// Compiled functions that an evaluator keeps; when there are more, it starts anew.
const MAX_COMPILED: usize = 256;
/// The name of the one function of an evaluated module.
const EVALUATED: &str = "evaluated";

/// Evaluates PrimFuncs by compiling and running them on this machine. PrimFuncs of one structure are compiled once, as
/// long as the evaluator lives.
#[derive(Default)]
pub struct LinkedEvaluator {
    compiled: Mutex<Map<u64, Vec<Compiled>>>,
}

struct Compiled {
    function: PrimFunc,
    machine: Arc<VirtualMachine>,
}

impl fmt::Debug for LinkedEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinkedEvaluator({} functions)", self.compiled_functions())
    }
}

impl LinkedEvaluator {
    /// How many compiled functions it keeps.
    pub fn compiled_functions(&self) -> usize {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).values().map(Vec::len).sum()
    }

    /// The machine that runs the function, compiled now or before.
    fn machine(&self, function: &PrimFunc) -> Result<Arc<VirtualMachine>, String> {
        let mut function = function.clone();
        function.attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(EVALUATED));
        let hash = HashCx::hash(&function);
        let known = |compiled: &Map<u64, Vec<Compiled>>| {
            let same = |known: &&Compiled| EqCx::compare(&known.function, &function).is_ok();
            compiled.get(&hash).into_iter().flatten().find(same).map(|known| Arc::clone(&known.machine))
        };
        if let Some(machine) = known(&self.compiled.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(machine);
        }
        let machine = Arc::new(compile(&function)?);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if compiled.values().map(Vec::len).sum::<usize>() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.entry(hash).or_default().push(Compiled { function, machine: Arc::clone(&machine) });
        Ok(machine)
    }
}

fn compile(function: &PrimFunc) -> Result<VirtualMachine, String> {
    let mut module = IRModule::new();
    module.insert(EVALUATED, function.clone());
    let module = Verified::new(module, Form::MachineReady).map_err(|found| found.to_string())?;
    let bytes = tilewright_build::build(&module, &Target::host()).map_err(|found| found.to_string())?;
    let executable = Executable::load(bytes).map_err(|error| error.to_string())?;
    VirtualMachine::new(Arc::new(executable), &[]).map_err(|error| error.to_string())
}

impl Evaluator for LinkedEvaluator {
    fn run(&self, function: &PrimFunc, args: &[Tensor]) -> Result<(), String> {
        let machine = self.machine(function)?;
        let args: Vec<Value> = args.iter().cloned().map(Value::from).collect();
        let function = machine.function(EVALUATED).map_err(|error| error.to_string())?;
        function.call(&args).map(drop).map_err(|error| error.to_string())
    }
}
