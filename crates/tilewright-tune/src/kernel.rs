//! Kernels that can be called: a function compiled, with arguments of its own.
//!
//! A function whose weights may be packed while compiling (`layout_free_buffers`) is called by a function of graphs
//! with constant weights, as in its module, so that the packing is no part of the times.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::relax::{Expr, StructInfo, Var};
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_ir::{Attr, IRModule};
use tilewright_relax_passes::LAYOUT_FREE_BUFFERS;
use tilewright_runtime::{Executable, Value, VirtualMachine};
use tilewright_target::Target;
use tilewright_tensor::Tensor;

use crate::inputs::difference;
use crate::task::MAIN;

/// What compiles a module for a target.
pub type Compile<'a> = &'a dyn Fn(&IRModule, &Target) -> Result<Arc<Executable>, String>;

/// A compiled function and the arguments of its calls.
pub(crate) struct Kernel {
    machine: VirtualMachine,
    arguments: Vec<Value>,
    /// The arguments that are results; none where results are returned.
    written: Vec<usize>,
}

impl Kernel {
    /// Compiles a function to be called with copies of these arguments.
    pub(crate) fn new(
        compile: Compile<'_>,
        function: &PrimFunc,
        target: &Target,
        arguments: &[Value],
    ) -> Result<Self, String> {
        let interface = KernelInterface::of(function);
        let written: Vec<usize> =
            interface.tensors.iter().filter(|tensor| tensor.written).map(|tensor| tensor.param).collect();
        let (module, arguments, written) = match graph(function, arguments, &written) {
            Some((module, arguments)) => (module?, arguments, Vec::new()),
            None => (visible(function), arguments.to_vec(), written),
        };
        let executable = compile(&module, target)?;
        let machine = VirtualMachine::new(executable, &[]).map_err(|error| error.to_string())?;
        let copy = |value: &Value| match value {
            Value::Tensor(tensor) => tensor.copied().map(Value::Tensor).map_err(|error| error.to_string()),
            other => Ok(other.clone()),
        };
        let arguments = arguments.iter().map(copy).collect::<Result<_, _>>()?;
        Ok(Self { machine, arguments, written })
    }

    /// One call, and what it computed.
    pub(crate) fn results(&self) -> Result<Vec<Tensor>, String> {
        let function = self.machine.function(MAIN).map_err(|error| error.to_string())?;
        let returned = function.call(&self.arguments).map_err(|error| error.to_string())?;
        let given: Vec<&Value> = match &returned {
            _ if !self.written.is_empty() => self.written.iter().filter_map(|&at| self.arguments.get(at)).collect(),
            Value::Tuple(fields) => fields.iter().collect(),
            other => vec![other],
        };
        let copies = given.into_iter().filter_map(|value| match value {
            Value::Tensor(tensor) => Some(tensor.copied().map_err(|error| error.to_string())),
            _ => None,
        });
        copies.collect()
    }

    /// Seconds of a call, of so many in a row.
    pub(crate) fn seconds(&self, calls: usize) -> Result<f64, String> {
        let function = self.machine.function(MAIN).map_err(|error| error.to_string())?;
        let begin = Instant::now();
        for _ in 0..calls {
            function.call(&self.arguments).map_err(|error| error.to_string())?;
        }
        Ok(begin.elapsed().as_secs_f64() / calls.max(1) as f64)
    }

    /// How many calls take at least this long.
    pub(crate) fn calls_for(&self, least: Duration) -> Result<usize, String> {
        let once = self.seconds(1)?.min(self.seconds(1)?).max(1e-8);
        Ok(((least.as_secs_f64() / once).ceil() as usize).clamp(1, 100_000))
    }
}

/// Why the results of the second are not those of the first.
pub(crate) fn compare(expected: &Kernel, found: &Kernel) -> Result<(), String> {
    let (expected, found) = (expected.results()?, found.results()?);
    if expected.len() != found.len() || expected.is_empty() {
        return Err("the kernels have other results".to_owned());
    }
    match expected.iter().zip(&found).find_map(|(a, b)| difference(a, b)) {
        Some(difference) => Err(format!("wrong result: {difference}")),
        None => Ok(()),
    }
}

/// The function alone, visible outside.
fn visible(function: &PrimFunc) -> IRModule {
    let mut function = function.clone();
    function.attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(MAIN));
    let mut module = IRModule::new();
    module.insert(MAIN, function);
    module
}

/// A module of graphs that calls a function with constant weights, and the arguments that are none; `None` for a
/// function that has no such weights, or no other arguments, or whose results are not its last tensors.
fn graph(
    function: &PrimFunc,
    arguments: &[Value],
    written: &[usize],
) -> Option<(Result<IRModule, String>, Vec<Value>)> {
    let Some(Attr::Array(free)) = function.attrs.get(LAYOUT_FREE_BUFFERS) else { return None };
    let free: Vec<usize> = free.iter().filter_map(|at| usize::try_from(at.as_int()?).ok()).collect();
    let tensors: Option<Vec<&Tensor>> = arguments.iter().map(|value| value.as_tensor().ok()).collect();
    let tensors = tensors?;
    let inputs = tensors.len() - written.len();
    let is_last = written.iter().enumerate().all(|(at, &param)| param == inputs + at);
    if free.is_empty() || !is_last {
        return None;
    }
    let given: Vec<usize> = (0..inputs).filter(|at| !free.contains(at)).collect();
    // A call of constants alone would be computed while compiling.
    if given.is_empty() {
        return None;
    }
    let module = calling(function, &tensors, inputs, &given);
    Some((module, given.iter().map(|&at| arguments[at].clone()).collect()))
}

fn calling(function: &PrimFunc, tensors: &[&Tensor], inputs: usize, given: &[usize]) -> Result<IRModule, String> {
    let mut bb = BlockBuilder::new();
    let mut function = function.clone();
    function.attrs.remove(attr_names::GLOBAL_SYMBOL);
    let global = bb.add_func(function, "kernel");
    let info = |tensor: &Tensor| StructInfo::of_tensor(tensor);
    let params: Vec<(usize, Var)> =
        given.iter().map(|&at| (at, Var::new(format!("x{at}"), info(tensors[at])))).collect();
    let arg = |at: usize| match params.iter().find(|(param, _)| *param == at) {
        Some((_, var)) => Expr::var(var),
        None => Expr::constant(tensors[at].clone()),
    };
    let args = (0..inputs).map(arg).collect();
    let out = tensors[inputs..].iter().map(|tensor| info(tensor)).collect();
    let build = || {
        bb.begin_function(MAIN, params.iter().map(|(_, var)| var.clone()).collect());
        bb.begin_dataflow()?;
        let call = Expr::call_tir(bb.infer_cx(), global, args, out)?;
        let result = bb.emit_output(&call)?;
        bb.end_dataflow()?;
        bb.emit_func_output(&Expr::var(&result))
    };
    build().map_err(|error| error.to_string())?;
    bb.finalize().map_err(|error| error.to_string())
}
