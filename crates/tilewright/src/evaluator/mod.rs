//! Running PrimFuncs at compile time: the evaluator of `FoldConstant`.

mod tiles;

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    /// This machine, once something was compiled for it.
    host: OnceLock<Target>,
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
    /// The number of compiled functions that it keeps.
    pub fn compiled_functions(&self) -> usize {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).values().map(Vec::len).sum()
    }

    /// The machine that runs the function, compiled now or before.
    fn machine(&self, function: &PrimFunc) -> Result<Arc<VirtualMachine>, String> {
        let mut function = function.clone();
        function.attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(EVALUATED));
        // It runs here, whatever it will be compiled for.
        function.attrs.remove(attr_names::TARGET);
        let hash = HashCx::hash(&function);
        let known = |compiled: &Map<u64, Vec<Compiled>>| {
            let same = |known: &&Compiled| EqCx::compare(&known.function, &function).is_ok();
            compiled.get(&hash).into_iter().flatten().find(same).map(|known| Arc::clone(&known.machine))
        };
        if let Some(machine) = known(&self.compiled.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(machine);
        }
        let machine = Arc::new(compile(&function, self.host.get_or_init(Target::host))?);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if compiled.values().map(Vec::len).sum::<usize>() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.entry(hash).or_default().push(Compiled { function, machine: Arc::clone(&machine) });
        Ok(machine)
    }
}

fn compile(function: &PrimFunc, host: &Target) -> Result<VirtualMachine, String> {
    let mut module = IRModule::new();
    module.insert(EVALUATED, tiles::scheduled(function));
    let module = Verified::new(module, Form::MachineReady).map_err(|found| found.to_string())?;
    let bytes = tilewright_build::build(&module, host).map_err(|found| found.to_string())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, SourceFile, parse_module};

    fn function(text: &str) -> PrimFunc {
        let text = format!("@I.ir_module\nclass Module:\n{text}");
        PrimFunc::clone(parse_module(&SourceFile::new("test.py", text)).unwrap().prim("f").unwrap())
    }

    fn numbers(shape: &[i64]) -> Tensor {
        let count = shape.iter().product::<i64>();
        Tensor::from_vec(shape, (0..count).map(|i| (i * 7919 % 1013) as f32 - 500.0).collect()).unwrap()
    }

    /// Runs the function on a matrix and compares the result with a formula over row and column.
    fn check(text: &str, input: &[i64], output: &[i64], formula: impl Fn(&[f32], usize) -> f32) {
        let (x, y) = (numbers(input), Tensor::zeros(DataType::F32, output).unwrap());
        LinkedEvaluator::default().run(&function(text), &[x.clone(), y.clone()]).unwrap();
        let (x, y) = (x.to_vec::<f32>().unwrap(), y.to_vec::<f32>().unwrap());
        for (i, found) in y.iter().enumerate() {
            assert_eq!(*found, formula(&x, i), "element {i}");
        }
    }

    fn transposition(rows: i64, columns: i64) -> String {
        format!(
            r#"
    @T.prim_func
    def f(A: T.Buffer(({rows}, {columns}), "float32"), B: T.Buffer(({columns}, {rows}), "float32")):
        for i, j in T.grid({columns}, {rows}):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi] * T.float32(2)
"#
        )
    }

    #[test]
    fn transpositions_in_tiles_move_every_element_once() {
        for (rows, columns) in [(64, 64), (96, 128), (65, 131), (200, 67), (3, 100), (1, 1)] {
            check(&transposition(rows, columns), &[rows, columns], &[columns, rows], |x, i| {
                let (row, column) = (i as i64 % rows, i as i64 / rows);
                2.0 * x[(row * columns + column) as usize]
            });
        }
    }

    #[test]
    fn transpositions_are_in_tiles() {
        let tiled = tiles::scheduled(&function(&transposition(96, 128)));
        let mut loops = 0;
        tilewright_ir::node::walk(&tiled, |stmt: &tilewright_ir::tir::Stmt| {
            loops += usize::from(matches!(stmt.kind, tilewright_ir::tir::StmtKind::For { .. }));
        });
        assert_eq!(loops, 4);
    }

    #[test]
    fn sums_are_not_split_and_rows_run_in_parallel() {
        let text = r#"
    @T.prim_func
    def f(A: T.Buffer((70, 90), "float32"), B: T.Buffer((70,), "float32")):
        for i, k in T.grid(70, 90):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
"#;
        check(text, &[70, 90], &[70], |x, i| x[i * 90..][..90].iter().sum());
        let reduced_outside = text.replace("for i, k in T.grid(70, 90)", "for k, i in T.grid(90, 70)");
        check(&reduced_outside, &[70, 90], &[70], |x, i| x[i * 90..][..90].iter().sum());
    }

    #[test]
    fn a_recurrence_stays_in_order() {
        let text = r#"
    @T.prim_func
    def f(A: T.Buffer((500,), "float32"), B: T.Buffer((500,), "float32")):
        for i in range(500):
            with T.block("B"):
                vi = T.axis.spatial(500, i)
                B[vi] = A[vi] + T.if_then_else(vi > 0, B[T.max(vi - 1, 0)], T.float32(0))
"#;
        check(text, &[500], &[500], |x, i| x[..=i].iter().sum());
    }

    #[test]
    fn functions_of_one_structure_are_compiled_once() {
        let evaluator = LinkedEvaluator::default();
        let (x, y) = (numbers(&[8, 4]), Tensor::zeros(DataType::F32, &[4, 8]).unwrap());
        for text in [transposition(8, 4), transposition(8, 4).replace('A', "Weights")] {
            evaluator.run(&function(&text), &[x.clone(), y.clone()]).unwrap();
        }
        assert_eq!(evaluator.compiled_functions(), 1);
        let (x, y) = (numbers(&[4, 4]), Tensor::zeros(DataType::F32, &[4, 4]).unwrap());
        evaluator.run(&function(&transposition(4, 4)), &[x, y]).unwrap();
        assert_eq!(evaluator.compiled_functions(), 2);
    }

    #[test]
    fn a_fault_is_an_error() {
        let text = r#"
    @T.prim_func
    def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.floordiv(T.int32(1), A[vi])
"#;
        let zeros = || Tensor::zeros(DataType::I32, &[4]).unwrap();
        let error = LinkedEvaluator::default().run(&function(text), &[zeros(), zeros()]).unwrap_err();
        assert!(error.contains("division"), "{error}");
    }
}
