//! How the time of fusion grows with a graph: blocks of a product, a bias, an activation and a residual sum, all of
//! other sizes than their neighbours, and one chain of elementwise calls. Run with `cargo bench -p tilewright --bench
//! fusion`.

use std::fmt::Write as _;
use std::time::Instant;

use tilewright::relax_passes::{AnnotateTIROpPattern, FuseOps, FuseTIR, LegalizeOps};
use tilewright::{IRModule, Pass, PassCx, SourceFile};

/// Four calls a block; no two blocks have the same function.
fn network(calls: usize) -> String {
    let (mut params, mut body) = (Vec::new(), String::new());
    for i in 0..calls / 4 {
        let (rows, inner) = (2 + i % 7, 2 + i);
        params.push(format!("x{i}: R.Tensor(({rows}, {inner}), \"float32\")"));
        params.push(format!("w{i}: R.Tensor(({inner}, {inner}), \"float32\")"));
        let _ = writeln!(body, "            a{i} = R.matmul(x{i}, w{i})");
        let _ = writeln!(body, "            b{i} = R.add(a{i}, x{i})");
        let _ = writeln!(body, "            c{i} = R.sigmoid(b{i})");
        let _ = writeln!(body, "            d{i} = R.multiply(b{i}, c{i})");
    }
    let outputs: Vec<String> = (0..calls / 4).map(|i| format!("d{i}")).collect();
    module(&params, &body, &outputs)
}

/// Each value is used by the next two.
fn chain(calls: usize) -> String {
    let mut body = String::from("            a0 = R.tanh(x)\n            a1 = R.tanh(a0)\n");
    for i in 2..calls {
        let _ = writeln!(body, "            a{i} = R.subtract(a{}, a{})", i - 1, i - 2);
    }
    module(&["x: R.Tensor((8,), \"float32\")".to_owned()], &body, &[format!("a{}", calls - 1)])
}

/// Values that are all summed up in the end: each has its only user far away.
fn fan(calls: usize) -> String {
    let mut body = String::new();
    for i in 0..calls / 2 {
        let from = if i == 0 { "x".to_owned() } else { format!("a{}", i - 1) };
        let _ = writeln!(body, "            a{i} = R.tanh({from})");
    }
    let _ = writeln!(body, "            s0 = R.negative(a0)");
    for i in 1..calls / 2 {
        let _ = writeln!(body, "            s{i} = R.add(s{}, a{i})", i - 1);
    }
    module(&["x: R.Tensor((8,), \"float32\")".to_owned()], &body, &[format!("s{}", calls / 2 - 1)])
}

fn module(params: &[String], body: &str, outputs: &[String]) -> String {
    let (params, outputs) = (params.join(", "), outputs.join(", "));
    format!(
        "@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n        with R.dataflow():\n{body}            \
         out = ({outputs},)\n            R.output(out)\n        return out\n"
    )
}

fn timed(cx: &mut PassCx<'_>, pass: &dyn Pass, module: IRModule) -> (f64, IRModule) {
    let start = Instant::now();
    let module = cx.run(pass, module).unwrap_or_else(|error| panic!("{error}"));
    (start.elapsed().as_secs_f64() * 1e3, module)
}

fn main() {
    println!("graph     calls   annotate   FuseOps   FuseTIR   functions left (milliseconds, best of 3)");
    let text_of: [fn(usize) -> String; 3] = [network, chain, fan];
    for (name, text) in ["network", "chain", "fan"].into_iter().zip(text_of) {
        for calls in [500, 1000, 2000] {
            let file = SourceFile::new("graph.py", text(calls));
            let mut cx = PassCx { verify: false, ..PassCx::default() };
            let module = tilewright::parse_module(&file).unwrap_or_else(|found| panic!("{found}"));
            let (_, module) = timed(&mut cx, &LegalizeOps::default(), module);
            let (mut best, mut left) = ([f64::INFINITY; 3], 0);
            for _ in 0..3 {
                let mut module = module.clone();
                let passes: [&dyn Pass; 3] = [&AnnotateTIROpPattern, &FuseOps::default(), &FuseTIR];
                for (best, pass) in best.iter_mut().zip(passes) {
                    let (time, after) = timed(&mut cx, pass, module);
                    *best = best.min(time);
                    module = after;
                }
                left = module.len();
            }
            println!("{name:8} {calls:6} {:10.1} {:9.1} {:9.1} {left:8}", best[0], best[1], best[2]);
        }
    }
}
