//! Cases of the table, as kernels, run by everything that runs kernels here.

use tilewright_expr::semantics::Scalar;
use tilewright_interp::{Arg, InterpCx};
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{Expr, Stmt};
use tilewright_runtime::{Value, VirtualMachine};
use tilewright_target::Target;
use tilewright_tensor::{DataType, Tensor};

use crate::aarch64::{self, Emulated};
use crate::flat::{buffer, elements, flat, lowered, machine, neighbours, run, same, serial, tensor};

/// One lane, vectors of a power of two, and one that fits no register.
pub(super) const LANES: [u16; 6] = [1, 2, 4, 5, 8, 16];

/// Rows are filled up to a multiple of this, which all of [`LANES`] divide.
const ROWS: usize = 80;

type Write<'a> = dyn Fn(&[Expr]) -> Expr + 'a;
type Mean<'a> = dyn Fn(&[Scalar]) -> Scalar + 'a;

/// One operation to test: how to write it, what it has to give, and on which operands.
pub(super) struct Case<'a> {
    pub(super) name: String,
    pub(super) result: DataType,
    pub(super) write: Box<Write<'a>>,
    pub(super) mean: Box<Mean<'a>>,
    pub(super) rows: Vec<Vec<Scalar>>,
}

/// What runs kernels.
pub(super) enum Runner {
    Interpreter,
    Here(Target),
    /// Another architecture's processor.
    Emulated(Target),
}

impl Runner {
    /// All that there is on this machine: the interpreter, the host with all that it has, other processors of its
    /// architecture whose code it runs, and the emulator where it is installed.
    pub(super) fn all(test: &str) -> Vec<Self> {
        let mut runners = Self::native();
        runners.push(Self::Interpreter);
        if aarch64::available(test) {
            runners.extend(["generic", "neoverse-n1"].map(|cpu| Self::Emulated(aarch64::target(cpu))));
        }
        runners
    }

    /// The host and its architecture's other processors, down to the baseline.
    pub(super) fn native() -> Vec<Self> {
        let host = Target::host();
        let others = ["x86-64", "haswell", "skylake-avx512", "generic", "neoverse-n1"];
        let others = others.iter().filter_map(|cpu| Target::parse(&format!("llvm -mcpu={cpu}")).ok());
        let runs_here = |target: &Target| target.arch == host.arch && target.features.is_subset(&host.features);
        let others: Vec<Target> = others.filter(runs_here).collect();
        [host].into_iter().chain(others).map(Self::Here).collect()
    }

    pub(super) fn load(&self, kernels: &[LowTir]) -> Loaded {
        // The interpreter gets the function as it was written, machines what lowering makes of it.
        match self {
            Self::Interpreter => Loaded::Interpreter(kernels.to_vec()),
            Self::Here(target) => {
                Loaded::Here(machine(&kernels.iter().map(|low| lowered(target, low)).collect::<Vec<_>>(), target))
            }
            Self::Emulated(target) => Loaded::Emulated(Emulated::new(
                &kernels.iter().map(|low| lowered(target, low)).collect::<Vec<_>>(),
                target,
            )),
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Interpreter => "interpreter",
            Self::Here(target) | Self::Emulated(target) => &target.cpu,
        }
    }
}

/// Kernels that can be called.
pub(super) enum Loaded {
    Interpreter(Vec<LowTir>),
    Here(VirtualMachine),
    Emulated(Emulated),
}

impl Loaded {
    pub(super) fn run(&self, name: &str, tensors: &[Tensor]) -> Result<(), String> {
        let values: Vec<Value> = tensors.iter().map(|tensor| tensor.clone().into()).collect();
        match self {
            Self::Interpreter(kernels) => {
                let kernel = kernels.iter().find(|kernel| kernel.symbol() == name).unwrap();
                let args: Vec<Arg> = tensors.iter().map(Arg::from).collect();
                InterpCx::new(1).run_prim_func(kernel.function(), &args).map_err(|error| error.to_string())
            }
            Self::Here(machine) => run(machine, name, &values),
            Self::Emulated(machine) => machine.run(name, &values),
        }
    }
}

/// The flat function that applies a case to whole buffers: operands, then the result.
pub(super) fn kernel(case: &Case<'_>, symbol: &str, lanes: u16) -> LowTir {
    let count = case.rows.len() as i64;
    let operands: Vec<_> = case.rows[0].iter().map(|operand| buffer("a", count, operand.dtype())).collect();
    let result = buffer("r", count, case.result);
    let body = serial(count / i64::from(lanes), |i| {
        let at = neighbours(&(i * i64::from(lanes)), lanes);
        let values: Vec<Expr> = operands.iter().map(|b| Expr::load(b, vec![at.clone()]).unwrap()).collect();
        Stmt::store(&result, vec![at], &(case.write)(&values)).unwrap()
    });
    let buffers: Vec<_> = operands.iter().chain([&result]).collect();
    flat(symbol, &buffers, &[], body)
}

/// Rows of operands, filled up with the first row.
pub(super) fn filled(mut rows: Vec<Vec<Scalar>>) -> Vec<Vec<Scalar>> {
    let missing = rows.len().next_multiple_of(ROWS) - rows.len();
    rows.extend(std::iter::repeat_n(rows[0].clone(), missing));
    rows
}

fn column(case: &Case<'_>, index: usize) -> Tensor {
    let values: Vec<Scalar> = case.rows.iter().map(|row| row[index]).collect();
    tensor(values[0].dtype(), &values)
}

/// Compiles all cases in all lanes for all that runs kernels, and compares.
pub(super) fn check(test: &str, cases: Vec<Case<'_>>) {
    check_on(cases, &LANES, &Runner::all(test));
}

pub(super) fn check_on(mut cases: Vec<Case<'_>>, lanes: &[u16], runners: &[Runner]) {
    for case in &mut cases {
        case.rows = filled(std::mem::take(&mut case.rows));
    }
    let meant: Vec<Vec<Scalar>> =
        cases.iter().map(|case| case.rows.iter().map(|row| (case.mean)(row)).collect()).collect();
    let columns: Vec<Vec<Tensor>> =
        cases.iter().map(|case| (0..case.rows[0].len()).map(|i| column(case, i)).collect()).collect();
    let keys: Vec<(usize, u16)> =
        (0..cases.len()).flat_map(|case| lanes.iter().map(move |&lanes| (case, lanes))).collect();
    let symbol = |(case, lanes): (usize, u16)| format!("{} #{case} x{lanes}", cases[case].name);
    let mut wrong = Vec::new();
    for runner in runners {
        for keys in keys.chunks(48) {
            let kernels: Vec<LowTir> = keys.iter().map(|&key| kernel(&cases[key.0], &symbol(key), key.1)).collect();
            let loaded = runner.load(&kernels);
            for &key in keys {
                let case = &cases[key.0];
                let result = Tensor::zeros(case.result, &[case.rows.len() as i64]).unwrap();
                let tensors: Vec<Tensor> = columns[key.0].iter().cloned().chain([result.clone()]).collect();
                let name = symbol(key);
                loaded.run(&name, &tensors).unwrap_or_else(|error| panic!("{name} ({}): {error}", runner.name()));
                for ((row, found), &expected) in case.rows.iter().zip(elements(&result)).zip(&meant[key.0]) {
                    if !same(found, expected) {
                        wrong.push(format!("{name} of {row:?}: {found:?}, not {expected:?} ({})", runner.name()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong, among them\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}
