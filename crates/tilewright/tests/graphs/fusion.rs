//! Random graphs, fused: the interpreter finds the very same results after each pass of `zero`, and the compiled module
//! the same but for what contraction changes.

use std::fmt::Write as _;
use std::sync::Arc;

use tilewright::ir::Attr;
use tilewright::ir::pass::{Pass, PassCx};
use tilewright::ir::relax::{Expr, ExprKind};
use tilewright::relax_passes::{AnnotateTIROpPattern, FuseOps, FuseTIR, LegalizeOps};
use tilewright::{CompileOptions, GlobalFunc, IRModule, Tensor, Value, VirtualMachine, pipelines};
use tilewright_interp::{InterpCx, Value as Expected};

use super::{Dice, parse};

/// A variable of a random graph: its name and its dimensions.
#[derive(Clone)]
struct Known {
    name: String,
    dims: Vec<&'static str>,
}

/// A graph under construction, as text.
struct Graph {
    dice: Dice,
    known: Vec<Known>,
    text: String,
}

const PARAMS: [(&str, &[&str]); 6] =
    [("x", &["n", "m"]), ("y", &["m"]), ("z", &["n", "1"]), ("w", &["m", "3"]), ("u", &["n", "4"]), ("s", &[])];

impl Graph {
    fn new(seed: u64) -> Self {
        let known = |(name, dims): &(&str, &[&'static str])| Known { name: (*name).to_owned(), dims: dims.to_vec() };
        Self { dice: Dice(seed), known: PARAMS.iter().map(known).collect(), text: String::new() }
    }

    /// Mostly one of the last values.
    fn pick(&mut self, fits: impl Fn(&Known) -> bool) -> Option<Known> {
        let fitting: Vec<&Known> = self.known.iter().filter(|known| fits(known)).collect();
        let window = if self.dice.roll(3) == 0 { fitting.len() } else { fitting.len().min(4) };
        (window > 0).then(|| fitting[fitting.len() - 1 - self.dice.roll(window)].clone())
    }

    fn bind(&mut self, value: &str, dims: Vec<&'static str>) {
        let name = format!("v{}", self.known.len());
        let _ = writeln!(self.text, "            {name} = {value}");
        self.known.push(Known { name, dims });
    }

    fn step(&mut self) -> Option<()> {
        match self.dice.roll(16) {
            0..=3 => {
                let op = ["tanh", "sigmoid", "nn.relu", "negative", "abs"][self.dice.roll(5)];
                let a = self.pick(|_| true)?;
                self.bind(&format!("R.{op}({})", a.name), a.dims);
            }
            4..=8 => self.binary()?,
            9 => {
                let op = ["sum", "mean"][self.dice.roll(2)];
                let a = self.pick(|a| !a.dims.is_empty())?;
                let axis = self.dice.roll(a.dims.len());
                let keep = self.dice.roll(2) == 0;
                let mut dims = a.dims;
                match keep {
                    true => dims[axis] = "1",
                    false => drop(dims.remove(axis)),
                }
                let keep = if keep { "True" } else { "False" };
                self.bind(&format!("R.{op}({}, axis=[{axis}], keepdims={keep})", a.name), dims);
            }
            10 => {
                let a = self.pick(|a| a.dims.len() == 2)?;
                let b = self.pick(|b| b.dims.len() == 2 && b.dims[0] == a.dims[1])?;
                self.bind(&format!("R.tanh(R.matmul({}, {}))", a.name, b.name), vec![a.dims[0], b.dims[1]]);
            }
            11 => {
                let a = self.pick(|a| a.dims.len() == 2)?;
                self.bind(&format!("R.permute_dims({})", a.name), vec![a.dims[1], a.dims[0]]);
            }
            12 => {
                let a = self.pick(|a| !a.dims.is_empty())?;
                let op = ["nn.softmax({}, axis=-1)", "cumsum({}, axis=0)"][self.dice.roll(2)];
                self.bind(&format!("R.{}", op.replace("{}", &a.name)), a.dims);
            }
            13 => {
                let a = self.pick(|a| a.dims == ["n", "m"] || a.dims == ["m", "n"])?;
                self.bind(
                    &format!("R.reshape({}, ({}, {}))", a.name, a.dims[1], a.dims[0]),
                    vec![a.dims[1], a.dims[0]],
                );
            }
            14 => {
                let a = self.pick(|a| a.dims == ["n", "4"])?;
                let number = self.known.len();
                let _ = writeln!(self.text, "            parts{number} = R.split({}, 2, axis=1)", a.name);
                self.bind(&format!("parts{number}[0]"), vec!["n", "2"]);
                self.bind(&format!("parts{number}[1]"), vec!["n", "2"]);
            }
            _ => {
                let (a, b) = (self.pick(|_| true)?, self.pick(|_| true)?);
                let number = self.known.len();
                let _ = writeln!(self.text, "            pair{number} = ({}, {})", a.name, b.name);
                self.bind(&format!("pair{number}[1]"), b.dims);
            }
        }
        Some(())
    }

    /// Of two values whose shapes broadcast, or of one and a constant.
    fn binary(&mut self) -> Option<()> {
        let op = ["add", "subtract", "multiply", "maximum"][self.dice.roll(4)];
        let a = self.pick(|_| true)?;
        if self.dice.roll(5) == 0 {
            self.bind(&format!("R.{op}({}, R.const(0.5, \"float32\"))", a.name), a.dims);
            return Some(());
        }
        let b = self.pick(|b| joined(&a.dims, &b.dims).is_some())?;
        let dims = joined(&a.dims, &b.dims)?;
        self.bind(&format!("R.{op}({}, {})", a.name, b.name), dims);
        Some(())
    }

    fn finish(mut self) -> String {
        let outputs: Vec<String> = (0..1 + self.dice.roll(3)).filter_map(|_| Some(self.pick(|_| true)?.name)).collect();
        let param = |(name, dims): &(&str, &[&str])| {
            let dims: Vec<String> = dims
                .iter()
                .map(|dim| if dim.parse::<i64>().is_ok() { (*dim).to_owned() } else { format!("\"{dim}\"") })
                .collect();
            format!("{name}: R.Tensor(({}{}), \"float32\")", dims.join(", "), if dims.len() == 1 { "," } else { "" })
        };
        let params: Vec<String> = PARAMS.iter().map(param).collect();
        format!(
            "    @R.function\n    def main({}):\n        n = T.int64()\n        m = T.int64()\n        with R.dataflow():\n{}            \
             out = ({},)\n            R.output(out)\n        return out\n",
            params.join(", "),
            self.text,
            outputs.join(", ")
        )
    }
}

/// The shape of the two together.
fn joined(a: &[&'static str], b: &[&'static str]) -> Option<Vec<&'static str>> {
    let rank = a.len().max(b.len());
    let dim = |dims: &[&'static str], i: usize| (i + dims.len()).checked_sub(rank).map_or("1", |i| dims[i]);
    (0..rank)
        .map(|i| match (dim(a, i), dim(b, i)) {
            (x, y) if x == y => Some(x),
            ("1", other) | (other, "1") => Some(other),
            _ => None,
        })
        .collect()
}

fn graph(seed: u64) -> String {
    let mut graph = Graph::new(seed);
    for _ in 0..6 + seed % 18 {
        let _ = graph.step();
    }
    graph.finish()
}

fn args(seed: u64) -> Vec<Tensor> {
    let size = |dim: &&str| match *dim {
        "n" => [2, 3, 1, 0, 5][seed as usize % 5],
        "m" => [3, 1, 2, 4, 0][seed as usize / 5 % 5],
        number => number.parse().unwrap(),
    };
    let mut dice = Dice(seed + 17);
    let mut tensor = |(_, dims): &(&str, &[&str])| {
        let shape: Vec<i64> = dims.iter().map(size).collect();
        let count: i64 = shape.iter().product();
        let number = |_| match dice.roll(40) {
            0 => 0.0,
            1 => f32::INFINITY,
            2 => f32::NAN,
            number => number as f32 / 16.0 - 1.2,
        };
        Tensor::from_vec(&shape, (0..count).map(number).collect::<Vec<f32>>()).unwrap()
    };
    PARAMS.iter().map(&mut tensor).collect()
}

fn tensors(value: &Expected) -> Vec<Tensor> {
    match value {
        Expected::Tensor(tensor) => vec![tensor.clone()],
        Expected::Tuple(items) => items.iter().flat_map(tensors).collect(),
        other => panic!("{other:?}"),
    }
}

fn interpret(module: &IRModule, args: &[Tensor]) -> Vec<Tensor> {
    let args: Vec<Expected> = args.iter().cloned().map(Expected::Tensor).collect();
    match InterpCx::new(3).run_function(module, "main", &args) {
        Ok(value) => tensors(&value),
        Err(error) => panic!("{error:?}\n{}", tilewright::print_module(module)),
    }
}

fn compiled(module: &IRModule, args: &[Tensor]) -> Vec<Tensor> {
    let executable = tilewright::compile(module, &CompileOptions::default()).unwrap();
    let machine = VirtualMachine::new(executable, &[]).unwrap();
    let args: Vec<Value> = args.iter().cloned().map(Value::from).collect();
    let result = machine.function("main").unwrap().call(&args).unwrap();
    result.as_tuple().unwrap().iter().map(|item| item.as_tensor().unwrap().clone()).collect()
}

/// Whether both have the same numbers, or nearly: a difference of `tolerance` of the largest.
fn agree(a: &[Tensor], b: &[Tensor], tolerance: f32) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            let (x, y): (Vec<f32>, Vec<f32>) = (a.to_vec().unwrap(), b.to_vec().unwrap());
            let largest = y.iter().filter(|v| v.is_finite()).fold(1.0_f32, |max, v| max.max(v.abs()));
            let close =
                |(x, y): (&f32, &f32)| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * largest;
            a.shape() == b.shape() && x.iter().zip(&y).all(close)
        })
}

fn run(pass: &dyn Pass, module: IRModule) -> IRModule {
    let interpreter = InterpCx::new(5);
    let mut cx = PassCx { evaluator: Some(&interpreter), ..PassCx::default() };
    cx.run(pass, module).unwrap_or_else(|error| panic!("{error}"))
}

/// The number of the module's functions that fusion has made.
fn fused(module: &IRModule) -> usize {
    module.iter().filter(|(name, _)| name.starts_with("fused_")).count()
}

#[test]
fn random_graphs_mean_the_same_after_each_step_of_fusion() {
    let mut groups = 0;
    for seed in 0..150 {
        let (text, args) = (graph(seed), args(seed));
        let mut module = parse(&text);
        let expected = interpret(&module, &args);
        for pass in pipelines::zero().passes {
            module = run(pass.as_ref(), module);
            let found = interpret(&module, &args);
            let printed = || tilewright::print_module(&module);
            assert!(agree(&found, &expected, 0.0), "seed {seed} after {}:\n{text}\n{}", pass.info().name, printed());
        }
        // All that fusion has made could become PrimFuncs, and prints as what it is.
        assert!(
            module.iter().all(|(name, f)| !name.starts_with("fused_") || matches!(f, GlobalFunc::Prim(_))),
            "{text}"
        );
        let again = tilewright::parse_module(&tilewright::SourceFile::new("again.py", printed_whole(&module))).unwrap();
        assert!(module.compare(&again).is_ok(), "seed {seed}");
        groups += fused(&module);
    }
    assert!(groups > 200, "{groups}");
}

fn printed_whole(module: &IRModule) -> String {
    let options = tilewright::script::print::PrintOptions { show_meta: true, ..Default::default() };
    tilewright::script::print::print_module(module, &options)
}

#[test]
fn compiled_random_graphs_compute_the_same_when_they_are_fused() {
    for seed in 200..240 {
        let (text, args) = (graph(seed), args(seed));
        let module = parse(&text);
        let expected = interpret(&module, &args);
        let found = compiled(&run(&pipelines::zero(), module), &args);
        assert!(agree(&found, &expected, 1e-4), "seed {seed}:\n{text}\n{found:?}\n{expected:?}");
    }
}

const CHAIN: &str = r#"
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.negative(a)
            c = R.tanh(b)
            d = R.abs(c)
            e = R.sqrt(d)
            R.output(e)
        return e
"#;

/// The numbers of calls in the functions that `FuseOps` makes of the chain.
fn group_sizes(pass: &FuseOps, options: &[(&str, i64)]) -> Vec<usize> {
    let config = options.iter().map(|(name, value)| (Arc::from(*name), Attr::Int(*value))).collect();
    let mut cx = PassCx { config, ..PassCx::default() };
    let passes: [&dyn Pass; 3] = [&LegalizeOps::default(), &AnnotateTIROpPattern, pass];
    let module = passes.into_iter().fold(parse(CHAIN), |module, pass| cx.run(pass, module).unwrap());
    let mut sizes = Vec::new();
    for (name, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function
            && name.starts_with("fused_")
        {
            let mut calls = 0;
            tilewright::ir::node::walk(&function.body, |expr: &Expr| {
                calls += usize::from(matches!(expr.kind, ExprKind::Call { .. }));
            });
            sizes.push(calls);
        }
    }
    sizes.sort_unstable();
    sizes
}

#[test]
fn groups_are_as_large_as_the_options_allow() {
    let depth = |depth| [("relax.FuseOps.max_depth", depth)];
    assert_eq!(group_sizes(&FuseOps::default(), &[]), [5]);
    assert_eq!(group_sizes(&FuseOps::default(), &depth(2)), [2, 2]);
    assert_eq!(group_sizes(&FuseOps::default(), &depth(1)), [0; 0]);
    assert_eq!(group_sizes(&FuseOps { fuse_opt_level: 0, ..FuseOps::default() }, &[]), [0; 0]);
    assert_eq!(group_sizes(&FuseOps { fuse_opt_level: 1, ..FuseOps::default() }, &depth(5)), [5]);
}

#[test]
fn a_function_that_is_not_fused_still_runs() {
    let module = [&LegalizeOps::default() as &dyn Pass, &AnnotateTIROpPattern, &FuseOps::default()]
        .into_iter()
        .fold(parse(CHAIN), |module, pass| run(pass, module));
    let whole = run(&FuseTIR, module.clone());
    let x = [Tensor::from_vec(&[2], vec![0.5_f32, -3.0]).unwrap()];
    let of = |module: &IRModule| {
        let executable = tilewright::compile(module, &CompileOptions::default()).unwrap();
        let machine = VirtualMachine::new(executable, &[]).unwrap();
        machine
            .function("main")
            .unwrap()
            .call(&[x[0].clone().into()])
            .unwrap()
            .as_tensor()
            .unwrap()
            .to_vec::<f32>()
            .unwrap()
    };
    let expected: Vec<f32> = [0.5_f64, -3.0].map(|v| (-v.exp()).tanh().abs().sqrt() as f32).to_vec();
    for found in [of(&module), of(&whole)] {
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} {expected:?}");
    }
}
