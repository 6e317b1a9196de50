//! Executables that are written instruction by instruction (`relax.ExecBuilder`).

use pyo3::prelude::*;
use tilewright::Executable;
use tilewright::support::Map;
use tilewright::vm_program::{
    Dim, FunctionBuilder, Jump, Kind, Literal, Package, ProgramBuilder, Reg, TargetInfo, VerifyError,
};

use crate::error;
use crate::executable::PyExecutable;
use crate::tensor::NdArray;
use crate::value::runtime_error;

/// A function: its name, its parameters, its steps.
type Written<'py> = (String, Vec<String>, Vec<Step<'py>>);

/// A step: what it does (`call`, `ret`, `goto`, `if`), the name of what is called, numbers (a call's register or -1;
/// the register of a result or condition; how many steps a jump passes), and the arguments of a call.
type Step<'py> = (String, String, Vec<i64>, Vec<Argument<'py>>);

/// An argument: its sort, and its value.
type Argument<'py> = (String, Bound<'py, PyAny>);

/// The executable of these functions.
#[pyfunction]
pub(crate) fn write_executable(py: Python<'_>, functions: Vec<Written<'_>>) -> PyResult<PyExecutable> {
    let mut program = ProgramBuilder::default();
    let indices: Map<String, u32> = functions.iter().map(|(name, ..)| (name.clone(), program.declare(name))).collect();
    for (name, params, steps) in &functions {
        let mut writer = Writer::new(py, &mut program, &indices, name);
        for param in params {
            writer.param(param);
        }
        let function = writer.write(steps)?;
        program.define(indices[name], function);
    }
    let refused = |error: VerifyError| error::general(py, format_args!("the program is not valid: {error}"));
    let program = program.finish().map_err(refused)?;
    let target = TargetInfo { triple: String::new(), features: Vec::new() };
    let bytes = Package::new(target, program).encode().map_err(|error| error::general(py, error))?;
    py.detach(|| Executable::load(bytes)).map(PyExecutable::new).map_err(|e| runtime_error(py, e))
}

/// Writes one function.
struct Writer<'p, 'py> {
    py: Python<'py>,
    program: &'p mut ProgramBuilder,
    functions: &'p Map<String, u32>,
    function: FunctionBuilder,
    /// The machine's registers of those of the steps.
    registers: Map<i64, Reg>,
    /// Jumps to steps that are not written yet.
    waiting: Vec<(usize, Jump)>,
}

impl<'p, 'py> Writer<'p, 'py> {
    fn new(py: Python<'py>, program: &'p mut ProgramBuilder, functions: &'p Map<String, u32>, name: &str) -> Self {
        let (function, registers) = (FunctionBuilder::new(name), Map::default());
        Self { py, program, functions, function, registers, waiting: Vec::new() }
    }

    fn param(&mut self, name: &str) {
        let register = self.function.param(name, Kind::Object);
        self.registers.insert(self.registers.len() as i64, register);
    }

    fn write(mut self, steps: &[Step<'py>]) -> PyResult<FunctionBuilder> {
        for (position, step) in steps.iter().enumerate() {
            self.land(position);
            self.step(position, step)?;
        }
        self.land(steps.len());
        match self.waiting.is_empty() {
            true => Ok(self.function),
            false => Err(error::general(self.py, "a jump passes the end of its function")),
        }
    }

    /// Makes the next instruction the target of the jumps to this step.
    fn land(&mut self, position: usize) {
        let waiting = std::mem::take(&mut self.waiting);
        for (target, jump) in waiting {
            match target == position {
                true => self.function.land(jump),
                false => self.waiting.push((target, jump)),
            }
        }
    }

    fn step(&mut self, position: usize, (sort, name, numbers, args): &Step<'py>) -> PyResult<()> {
        match (sort.as_str(), numbers.as_slice()) {
            ("call", &[dst]) => {
                let args: Vec<_> = args.iter().filter(|(sort, _)| sort != "void").collect();
                let result = match (name.as_str(), args.as_slice()) {
                    ("vm.builtin.make_closure", [(sort, callee), captured @ ..]) if sort == "function" => {
                        self.closure(&callee.extract::<String>()?, captured)?
                    }
                    _ => {
                        let args = args.into_iter().map(|arg| self.argument(arg)).collect::<PyResult<Vec<Reg>>>()?;
                        self.call(name, &args)
                    }
                };
                if dst >= 0 {
                    let register = self.target(dst);
                    self.function.move_to(register, result);
                }
            }
            ("ret", &[register]) => {
                let register = self.register(register)?;
                self.function.ret(register);
            }
            ("goto", &[offset]) => {
                let target = self.after(position, offset)?;
                let jump = self.function.goto();
                self.waiting.push((target, jump));
            }
            ("if", &[condition, offset]) => {
                let target = self.after(position, offset)?;
                let condition = self.register(condition)?;
                let jump = self.function.branch(condition);
                self.waiting.push((target, jump));
            }
            _ => return Err(error::general(self.py, format_args!("there is no step `{sort}` of such numbers"))),
        }
        Ok(())
    }

    /// The step that a jump goes to.
    fn after(&self, position: usize, offset: i64) -> PyResult<usize> {
        let target = usize::try_from(offset).ok().filter(|offset| *offset > 0).map(|offset| position + offset);
        target.ok_or_else(|| error::general(self.py, format_args!("a jump goes forward, found one by {offset}")))
    }

    /// The register that a step writes.
    fn target(&mut self, number: i64) -> Reg {
        let function = &mut self.function;
        *self.registers.entry(number).or_insert_with(|| function.register())
    }

    /// The register that a step reads.
    fn register(&self, number: i64) -> PyResult<Reg> {
        let known = self.registers.get(&number).copied();
        known.ok_or_else(|| error::general(self.py, format_args!("register {number} is read before it is written")))
    }

    /// A function as a value, with its first arguments.
    fn closure(&mut self, name: &str, captured: &[&Argument<'py>]) -> PyResult<Reg> {
        let captured = captured.iter().map(|arg| self.argument(arg)).collect::<PyResult<Vec<Reg>>>()?;
        match self.functions.get(name) {
            Some(&index) => Ok(self.function.make_closure(index, &captured)),
            None => {
                Err(error::general(self.py, format_args!("a closure is one of the program's functions, not `{name}`")))
            }
        }
    }

    fn call(&mut self, name: &str, args: &[Reg]) -> Reg {
        match (name, args) {
            ("vm.builtin.copy", &[value]) => value,
            ("vm.builtin.invoke_closure", &[_, closure, ref args @ ..]) => self.function.call_closure(closure, args),
            _ => match self.functions.get(name) {
                Some(&index) => self.function.call_function(index, args),
                None => {
                    let packed = self.program.packed(name);
                    self.function.call_packed(packed, args)
                }
            },
        }
    }

    fn argument(&mut self, (sort, value): &Argument<'py>) -> PyResult<Reg> {
        let literal = match sort.as_str() {
            "register" => return self.register(value.extract()?),
            "function" => return self.function_value(&value.extract::<String>()?),
            "state" => {
                let packed = self.program.packed("vm.builtin.context");
                return Ok(self.function.call_packed(packed, &[]));
            }
            "tensor" => {
                let tensor: PyRef<'_, NdArray> = value.extract()?;
                let constant =
                    self.program.constant(&tensor.on_host(self.py)?).map_err(|e| error::tensor(self.py, &e))?;
                return Ok(self.function.load_const(constant));
            }
            "shape" => {
                let dims: Vec<i64> = value.extract()?;
                return Ok(self.function.make_shape(&dims.into_iter().map(Dim::Const).collect::<Vec<_>>()));
            }
            "dtype" => {
                let text: String = value.extract()?;
                Literal::DataType(text.parse().map_err(|error| error::general(self.py, error))?)
            }
            "bool" => Literal::Bool(value.extract()?),
            "int" => Literal::Int(value.extract()?),
            "float" => Literal::Float(value.extract()?),
            "text" => Literal::Str(value.extract()?),
            _ => Literal::None,
        };
        Ok(self.function.load_literal(literal))
    }

    /// A function of the program, or of the process, as a value.
    fn function_value(&mut self, name: &str) -> PyResult<Reg> {
        match self.functions.get(name) {
            Some(&index) => Ok(self.function.make_closure(index, &[])),
            None => {
                let packed = self.program.packed(name);
                Ok(self.function.load_packed(packed))
            }
        }
    }
}
