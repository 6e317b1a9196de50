//! Graph programs from text to result: functions as values, numbers, tuples, branches. Each result is compared with the
//! interpreter's, which runs the module before any pass.

mod default_build;
mod functions;
mod fusion;
mod system;
mod values;

use tilewright::expr::semantics::Scalar;
use tilewright::runtime::Error;
use tilewright::{CompileOptions, DataType, IRModule, SourceFile, Tensor, Value, VirtualMachine};
use tilewright_interp::{InterpCx, Value as Expected};

struct Both {
    module: IRModule,
    machine: VirtualMachine,
    interp: InterpCx,
}

/// A program on both sides.
fn program(body: &str) -> Both {
    let module = parse(body);
    let machine = match tilewright::compile(&module, &CompileOptions::default()) {
        Ok(executable) => VirtualMachine::new(executable, &[]).unwrap(),
        Err(error) => panic!("{error}"),
    };
    Both { module, machine, interp: InterpCx::new(7) }
}

fn parse(body: &str) -> IRModule {
    let text = format!("@I.ir_module\nclass Module:\n{body}");
    match tilewright::parse_module(&SourceFile::new("model.py", text.as_str())) {
        Ok(module) => module,
        Err(found) => panic!("{found}"),
    }
}

/// The same numbers for the same seed.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// An argument as the interpreter takes it; ints are `int64`.
fn expected_of(value: &Value) -> Expected {
    match value {
        Value::Tensor(tensor) => Expected::Tensor(tensor.clone()),
        Value::Int(value) => Expected::Scalar(Scalar::from_int(*value, DataType::I64)),
        Value::Bool(value) => Expected::Scalar(Scalar::from_bool(*value)),
        Value::Shape(dims) => Expected::Shape(dims.to_vec()),
        Value::Tuple(items) => Expected::Tuple(items.iter().map(expected_of).collect()),
        other => panic!("{other:?}"),
    }
}

fn same(found: &Value, expected: &Expected) -> bool {
    match (found, expected) {
        (Value::Tensor(a), Expected::Tensor(b)) => a == b,
        (Value::Shape(a), Expected::Shape(b)) => **a == **b,
        (Value::Tuple(a), Expected::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Str(a), Expected::Str(b)) => a == b,
        (Value::DataType(a), Expected::DType(b)) => a == b,
        (Value::Bool(a), Expected::Scalar(b)) => b.dtype().is_bool() && *a == b.as_bool(),
        (Value::Int(a), Expected::Scalar(b)) => b.dtype().is_int() && *a == b.as_int(),
        (Value::Float(a), Expected::Scalar(b)) => {
            b.dtype().is_float() && (a.to_bits() == b.as_float().to_bits() || (a.is_nan() && b.as_float().is_nan()))
        }
        _ => false,
    }
}

impl Both {
    /// Calls `main` on both sides; the results are the same.
    #[track_caller]
    fn agrees(&self, args: &[Value]) -> Value {
        let found = self.machine.function("main").unwrap().call(args).unwrap();
        let args: Vec<_> = args.iter().map(expected_of).collect();
        let expected = self.interp.run_function(&self.module, "main", &args).unwrap();
        assert!(same(&found, &expected), "found {found:?}, expected {expected:?}");
        found
    }

    /// Both sides refuse; gives the machine's error.
    #[track_caller]
    fn refuses(&self, args: &[Value]) -> Error {
        let error = self.machine.function("main").unwrap().call(args).unwrap_err();
        let args: Vec<_> = args.iter().map(expected_of).collect();
        self.interp.run_function(&self.module, "main", &args).unwrap_err();
        error
    }
}

fn row(values: &[f32]) -> Value {
    Tensor::from_vec(&[values.len() as i64], values.to_vec()).unwrap().into()
}

fn wave(n: usize) -> Value {
    row(&(0..n).map(|i| (i as f32 * 1.37 - 2.0).sin() * 9.0).collect::<Vec<_>>())
}

const SPECIAL: [f32; 6] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE, f32::MAX];
