//! How long it takes to lay a model's weights out anew: three matrices of 180 MB each, transposed or packed by
//! `FoldConstant` with compiled code. Run with `cargo bench -p tilewright --bench fold_weights`.

use std::time::Instant;

use tilewright::relax_passes::{BindParams, DeadCodeElimination, FoldConstant, LegalizeOps, ParamKey};
use tilewright::{DataType, IRModule, LinkedEvaluator, Pass, PassCx, SourceFile, Tensor};

const ROWS: i64 = 4096;
const COLUMNS: i64 = 11008;
const WEIGHTS: usize = 3;

fn transposed() -> String {
    let params: Vec<String> =
        (0..WEIGHTS).map(|i| format!("w{i}: R.Tensor(({ROWS}, {COLUMNS}), \"float32\")")).collect();
    let layers: String = (0..WEIGHTS)
        .map(|i| format!("            t{i} = R.permute_dims(w{i})\n            y{i} = R.matmul(x, t{i})\n"))
        .collect();
    format!(
        r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, {COLUMNS}), "float32"), {}):
        with R.dataflow():
{layers}            R.output(y0, y1, y2)
        return (y0, y1, y2)
"#,
        params.join(", ")
    )
}

/// The layout of a product's right side: panels of 16 columns, row after row.
fn packed() -> String {
    let (panels, params) = (COLUMNS / 16, (0..WEIGHTS));
    let names: Vec<String> = params.map(|i| format!("w{i}: R.Tensor(({ROWS}, {COLUMNS}), \"float32\")")).collect();
    let layers: String = (0..WEIGHTS)
        .map(|i| {
            let out = format!("R.Tensor(({panels}, {ROWS}, 16), \"float32\")");
            format!("            p{i} = R.call_tir(cls.pack, (w{i},), out_sinfo={out})\n            y{i} = R.multiply(p{i}, x)\n")
        })
        .collect();
    format!(
        r#"
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def pack(W: T.Buffer(({ROWS}, {COLUMNS}), "float32"), P: T.Buffer(({panels}, {ROWS}, 16), "float32")):
        for i, j, k in T.grid({panels}, {ROWS}, 16):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                P[vi, vj, vk] = W[vj, vi * 16 + vk]

    @R.function
    def main(x: R.Tensor((16,), "float32"), {}):
        cls = Module
        with R.dataflow():
{layers}            R.output(y0, y1, y2)
        return (y0, y1, y2)
"#,
        names.join(", ")
    )
}

fn weights() -> Vec<Tensor> {
    (0..WEIGHTS)
        .map(|i| {
            let values = (0..ROWS * COLUMNS).map(|j| ((j * 7919 + i as i64) % 1009) as f32 - 504.0).collect();
            Tensor::from_vec(&[ROWS, COLUMNS], values).expect("the shape fits the values")
        })
        .collect()
}

fn run(cx: &mut PassCx<'_>, pass: &dyn Pass, module: IRModule) -> IRModule {
    cx.run(pass, module).expect("the module is well-formed")
}

fn measure(name: &str, text: &str, weights: &[Tensor]) {
    let module = tilewright::parse_module(&SourceFile::new(name, text)).expect("the script is right");
    let values: Vec<_> =
        weights.iter().enumerate().map(|(i, w)| (ParamKey::Name(format!("w{i}")), w.clone())).collect();
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), ..PassCx::default() };
    let bound = run(&mut cx, &BindParams::new("main", values), module);
    let legal = run(&mut cx, &LegalizeOps::default(), bound);
    let bytes: usize = weights.iter().map(Tensor::num_bytes).sum();
    let start = Instant::now();
    let folded = run(&mut cx, &FoldConstant, legal);
    let seconds = start.elapsed().as_secs_f64();
    let left = run(&mut cx, &DeadCodeElimination::default(), folded);
    println!(
        "{name:<10} {:>5.0} MB in {seconds:.2} s, {:.2} GB/s, {} functions compiled, {} left in the module",
        bytes as f64 / 1e6,
        bytes as f64 / seconds / 1e9,
        evaluator.compiled_functions(),
        left.len()
    );
}

fn main() {
    let weights = weights();
    assert_eq!(weights[0].dtype(), DataType::F32);
    for _ in 0..2 {
        measure("transposed", &transposed(), &weights);
        measure("packed", &packed(), &weights);
    }
}
