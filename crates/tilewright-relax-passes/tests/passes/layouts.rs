//! PrimFuncs that users give for others, on tensors of other layouts.

use tilewright_expr::{BinOp, Expr, Var};
use tilewright_interp::{InterpCx, Value};
use tilewright_ir::pass::Pass;
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{IRModule, IndexMap};
use tilewright_relax_passes::{AlterOpImpl, OptimizeLayoutTransform, Replacement};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_script::print::{PrintOptions, print_module};
use tilewright_support::SourceFile;
use tilewright_tensor::DataType;

use crate::graph::{message, numbers, run};

const MODULE: &str = r#"
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
        T.func_attr({"operator_name": "relax.add"})
        for i in range(16):
            with T.block("C"):
                v = T.axis.spatial(16, i)
                C[v] = A[v] + B[v] * T.float32(2)

    @T.prim_func(private=True)
    def both(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((2, 8), "float32")):
        T.func_attr({"operator_name": "user.both"})
        for i in range(16):
            with T.block("BC"):
                v = T.axis.spatial(16, i)
                B[v] = A[v] * T.float32(3)
                C[v // 8, v % 8] = A[v] - T.float32(1)

    @T.prim_func
    def add_of_parts(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("C"):
                v, w = T.axis.remap("SS", [i, j])
                C[v, w] = A[v, w] + B[v, w] * T.float32(2)

    @T.prim_func
    def add_of_tens(A: T.Buffer((2, 10), "float32"), B: T.Buffer((2, 10), "float32"), C: T.Buffer((2, 10), "float32")):
        for i, j in T.grid(2, 10):
            with T.block("C"):
                v, w = T.axis.remap("SS", [i, j])
                C[v, w] = A[v, w] + B[v, w] * T.float32(2)

    @T.prim_func
    def both_exchanged(A: T.Buffer((16,), "float32"), B: T.Buffer((2, 10), "float32"), C: T.Buffer((8, 2), "float32")):
        for i, j in T.grid(2, 10):
            with T.block("B"):
                v, w = T.axis.remap("SS", [i, j])
                B[v, w] = T.if_then_else(v * 10 + w < 16, A[v * 10 + w] * T.float32(3), T.float32(7))
        for i, j in T.grid(8, 2):
            with T.block("C"):
                v, w = T.axis.remap("SS", [i, j])
                C[v, w] = A[w * 8 + v] - T.float32(1)

    @R.function
    def main(x: R.Tensor((16,), "float32"), y: R.Tensor((16,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((16,), "float32"))
            b = R.call_tir(cls.add, (a, y), out_sinfo=R.Tensor((16,), "float32"))
            both = R.call_tir(cls.both, (b,), out_sinfo=[R.Tensor((16,), "float32"), R.Tensor((2, 8), "float32")])
            c = both[0]
            d = both[1]
            R.output(c, d)
        return (c, d)
"#;

fn before() -> IRModule {
    parse_module(&SourceFile::new("layouts.py", MODULE), &NoHost).unwrap()
}

/// An index map that splits one index into the number of a part of this size and the offset in it.
fn parts(size: i64) -> IndexMap {
    let i = Var::new("i", DataType::I64);
    let index = Expr::var(&i);
    let of = |op| Expr::binary(op, &index, &Expr::i64(size)).unwrap();
    IndexMap::new(vec![i], vec![of(BinOp::FloorDiv), of(BinOp::FloorMod)]).unwrap()
}

fn exchanged() -> IndexMap {
    let (i, j) = (Var::new("i", DataType::I64), Var::new("j", DataType::I64));
    IndexMap::new(vec![i.clone(), j.clone()], vec![Expr::var(&j), Expr::var(&i)]).unwrap()
}

fn same() -> IndexMap {
    let i = Var::new("i", DataType::I64);
    IndexMap::new(vec![i.clone()], vec![Expr::var(&i)]).unwrap()
}

fn replacing(module: &IRModule, operator: &str, by: &str, transforms: Vec<IndexMap>) -> AlterOpImpl {
    let function = PrimFunc::clone(module.prim(by).unwrap());
    AlterOpImpl { replacements: [(operator.into(), Replacement { function, transforms })].into_iter().collect() }
}

/// The result of `main` for some numbers.
fn results(module: &IRModule) -> Vec<Vec<f32>> {
    let args = [numbers(&[16], 1), numbers(&[16], 2)].map(Value::Tensor);
    let Value::Tuple(fields) = InterpCx::new(5).run_function(module, "main", &args).unwrap() else { panic!() };
    fields.iter().map(|field| field.as_tensor().unwrap().to_vec().unwrap()).collect()
}

/// The number of occurrences of these words in the text of the function `main`.
fn count(module: &IRModule, words: &str) -> usize {
    let text = print_module(module, &PrintOptions::default());
    text[text.find("def main").unwrap()..].matches(words).count()
}

fn altered(pass: &dyn Pass) -> IRModule {
    let (before, after) = (before(), run(pass, &before()));
    assert_eq!(results(&after), results(&before));
    after
}

#[test]
fn a_replacement_works_on_its_own_layouts() {
    let after = altered(&replacing(&before(), "relax.add", "add_of_parts", vec![parts(4); 3]));
    assert_eq!([count(&after, "R.layout_transform"), count(&after, "cls.relax_add_replacement")], [6, 2]);
    // The first result is not laid out anew for the second call.
    let after = run(&OptimizeLayoutTransform, &after);
    assert_eq!(results(&after), results(&before()));
    assert!(count(&after, "R.layout_transform") < 6);
}

#[test]
fn padding_of_a_layout_is_cropped() {
    let after = altered(&replacing(&before(), "relax.add", "add_of_tens", vec![parts(10); 3]));
    assert_eq!([count(&after, "cls.remove_pad"), count(&after, "R.Tensor((2, 10)")], [2, 6]);
}

#[test]
fn each_of_several_results_comes_back_from_its_own_layout() {
    let maps = vec![same(), parts(10), exchanged()];
    let after = altered(&replacing(&before(), "user.both", "both_exchanged", maps));
    assert_eq!([count(&after, "R.layout_transform"), count(&after, "cls.remove_pad")], [2, 1]);
}

#[test]
fn other_operators_stay_and_maps_are_counted() {
    let module = before();
    let other = altered(&replacing(&module, "relax.subtract", "add_of_parts", vec![parts(4); 3]));
    assert_eq!(count(&other, "R.layout_transform"), 0);
    let few = replacing(&module, "relax.add", "add_of_parts", vec![parts(4); 2]);
    let expected =
        "the replacement of `relax.add`: expected a map of indices for each of 2 tensors and 1 results, found 2";
    assert!(message(&few, &module).contains(expected), "{}", message(&few, &module));
    // The replacement takes tensors of another shape.
    let wrong = replacing(&module, "relax.add", "add_of_parts", vec![parts(8); 3]);
    assert!(message(&wrong, &module).contains("the replacement of `relax.add`"));
}
