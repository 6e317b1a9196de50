//! Models that the tests write themselves: what is imported, and what damaged and hostile files give.

use proptest::prelude::*;
use tilewright_ir::IRModule;
use tilewright_ir::relax::{BindingValue, Callee, ExprKind};
use tilewright_ir::verify::{Form, verify};
use tilewright_tensor::DataType;

use super::{Options, Size, from_onnx, read};
use crate::common::{NO_RULE, REFUSED};

/// A message that is being written.
#[derive(Clone, Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    fn int(self, field: u64, value: i64) -> Self {
        self.varint(field << 3).varint(value as u64)
    }

    fn bytes(self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        let mut long = self.varint(field << 3 | 2).varint(bytes.as_ref().len() as u64);
        long.0.extend(bytes.as_ref());
        long
    }

    fn all<T: AsRef<[u8]>>(self, field: u64, items: impl IntoIterator<Item = T>) -> Self {
        items.into_iter().fold(self, |message, item| message.bytes(field, item))
    }
}

impl AsRef<[u8]> for Writer {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

const FLOAT: i64 = 1;
const INT64: i64 = 7;

/// A dimension: a number, or a name.
fn dim(text: &str) -> Writer {
    match text.parse() {
        Ok(size) => Writer::default().int(1, size),
        Err(_) => Writer::default().bytes(2, text),
    }
}

fn value(name: &str, element: i64, dims: &[&str]) -> Writer {
    let shape = Writer::default().all(1, dims.iter().map(|text| dim(text)));
    let tensor = Writer::default().int(1, element).bytes(2, shape);
    Writer::default().bytes(1, name).bytes(2, Writer::default().bytes(1, tensor))
}

fn tensor(name: &str, element: i64, dims: &[i64], raw: &[u8]) -> Writer {
    let sized = dims.iter().fold(Writer::default(), |message, size| message.int(1, *size));
    sized.int(2, element).bytes(8, name).bytes(9, raw)
}

fn floats(name: &str, dims: &[i64], value: f32) -> Writer {
    let count: i64 = dims.iter().product();
    tensor(name, FLOAT, dims, &value.to_le_bytes().repeat(count as usize))
}

fn ints(name: &str, values: &[i64]) -> Writer {
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    tensor(name, INT64, &[values.len() as i64], &raw)
}

fn int_attribute(name: &str, value: i64) -> Writer {
    Writer::default().bytes(1, name).int(3, value).int(20, 2)
}

fn node(op: &str, inputs: &[&str], outputs: &[&str], attributes: &[Writer]) -> Writer {
    Writer::default().all(1, inputs).all(2, outputs).bytes(4, op).all(5, attributes)
}

fn graph(nodes: &[Writer], tensors: &[Writer], inputs: &[Writer], outputs: &[Writer]) -> Writer {
    Writer::default().all(1, nodes).bytes(2, "graph").all(5, tensors).all(11, inputs).all(12, outputs)
}

fn model(graph: &Writer, opset: i64) -> Vec<u8> {
    Writer::default().int(1, 8).bytes(7, graph).bytes(8, Writer::default().bytes(1, "").int(2, opset)).0
}

/// `softmax(reshape(x @ w + b, [batch, -1, 2]))` with the shape computed as exporters write it.
fn perceptron() -> Vec<u8> {
    let nodes = [
        node("Gemm", &["x", "w", "b"], &["y"], &[]),
        node("Shape", &["x"], &["sizes"], &[]),
        node("Gather", &["sizes", "zero"], &["batch"], &[int_attribute("axis", 0)]),
        node("Concat", &["batch", "rest"], &["shape"], &[int_attribute("axis", 0)]),
        node("Reshape", &["y", "shape"], &["z"], &[]),
        node("Softmax", &["z"], &["p"], &[int_attribute("axis", -1)]),
    ];
    let tensors = [floats("w", &[3, 4], 0.5), floats("b", &[4], 1.0), ints("zero", &[0]), ints("rest", &[-1, 2])];
    model(&graph(&nodes, &tensors, &[value("x", FLOAT, &["n", "3"])], &[value("p", FLOAT, &[])]), 13)
}

fn imported(bytes: &[u8]) -> IRModule {
    let module = from_onnx(bytes, &Options::default(), None).unwrap();
    verify(&module, Form::Any).unwrap();
    module
}

fn operators(module: &IRModule) -> Vec<&'static str> {
    let main = module.relax("main").unwrap();
    let bindings = main.body.blocks.iter().flat_map(|block| &block.bindings);
    let called = bindings.filter_map(|binding| match &binding.value {
        BindingValue::Expr(value) => match &value.kind {
            ExprKind::Call { callee: Callee::Op(op), .. } => Some(op.0.name),
            _ => None,
        },
        _ => None,
    });
    called.collect()
}

/// The messages of what does not become a module.
fn faults(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let faults = from_onnx(bytes, &Options::default(), None).unwrap_err();
    faults.diagnostics.0.into_iter().map(|one| (one.code, one.message)).collect()
}

fn first_fault(bytes: &[u8]) -> String {
    faults(bytes).remove(0).1
}

#[test]
fn shapes_that_a_model_computes_stay_symbolic_and_leave_nothing() {
    let module = imported(&perceptron());
    assert_eq!(operators(&module), ["matmul", "add", "reshape", "nn.softmax"]);
    let main = module.relax("main").unwrap();
    let dims = main.ret.dims().unwrap();
    assert!(dims[0].equal(&main.params[0].struct_info.dims().unwrap()[0]));
    assert_eq!((dims[1].as_int(), dims[2].as_int(), main.params.len()), (Some(2), Some(2), 1));
}

/// `expand(x, where(shape == -1, 1, shape))` of `[n, -1]`, as the older exporter of PyTorch writes `x.expand(n, -1)`.
#[test]
fn a_symbolic_size_is_not_the_mark_of_a_kept_one() {
    let nodes = [
        node("Shape", &["x"], &["sizes"], &[]),
        node("Gather", &["sizes", "zero"], &["n"], &[]),
        node("Concat", &["n", "mark"], &["shape"], &[int_attribute("axis", 0)]),
        node("Equal", &["shape", "marks"], &["kept"], &[]),
        node("Where", &["kept", "ones", "shape"], &["wanted"], &[]),
        node("Expand", &["t", "wanted"], &["y"], &[]),
    ];
    let tensors = [
        ints("zero", &[0]),
        ints("mark", &[-1]),
        ints("marks", &[-1, -1]),
        ints("ones", &[1, 1]),
        floats("t", &[1, 4], 1.0),
    ];
    let whole = graph(&nodes, &tensors, &[value("x", FLOAT, &["n", "3"])], &[value("y", FLOAT, &[])]);
    assert_eq!(operators(&imported(&model(&whole, 17))), ["broadcast_to"]);
}

#[test]
fn options_decide_about_shapes_types_and_parameters() {
    let options = Options {
        shapes: vec![("x".to_owned(), vec![Size::Symbol("m".to_owned()), Size::Expr(tilewright_expr::Expr::i64(3))])],
        params_as_input: true,
        ..Options::default()
    };
    let module = from_onnx(&perceptron(), &options, None).unwrap();
    let main = module.relax("main").unwrap();
    let names: Vec<_> = main.params.iter().map(|param| param.name.to_string()).collect();
    assert_eq!(names, ["x", "w", "b"]);
    let typed = Options { dtypes: vec![("x".to_owned(), DataType::F64)], ..Options::default() };
    assert!(from_onnx(&perceptron(), &typed, None).is_err(), "float64 times float32");
    let unknown = Options { shapes: vec![("y".to_owned(), Vec::new())], ..Options::default() };
    let faults = from_onnx(&perceptron(), &unknown, None).unwrap_err();
    assert_eq!(faults.diagnostics.0[0].message, "the model has no input `y`, only x");
}

#[test]
fn a_name_of_a_dimension_is_one_dimension_in_all_inputs() {
    let inputs = [value("x", FLOAT, &["n", "3"]), value("y", FLOAT, &["n", "3"])];
    let one = graph(&[node("Add", &["x", "y"], &["z"], &[])], &[], &inputs, &[value("z", FLOAT, &[])]);
    let module = imported(&model(&one, 17));
    let main = module.relax("main").unwrap();
    let dims: Vec<_> = main.params.iter().map(|param| param.struct_info.dims().unwrap()[0].clone()).collect();
    assert!(dims[0].equal(&dims[1]));
    assert_eq!(operators(&module), ["add"]);
}

#[test]
fn the_version_of_the_operators_decides_about_softmax() {
    let of = |opset: i64| {
        let inputs = [value("x", FLOAT, &["2", "3", "4"])];
        let nodes = [node("Softmax", &["x"], &["y"], &[int_attribute("axis", 1)])];
        operators(&imported(&model(&graph(&nodes, &[], &inputs, &[value("y", FLOAT, &[])]), opset)))
    };
    assert_eq!((of(11), of(13)), (vec!["reshape", "nn.softmax", "reshape"], vec!["nn.softmax"]));
}

/// A graph in an attribute.
fn graph_attribute(name: &str, graph: &Writer) -> Writer {
    Writer::default().bytes(1, name).bytes(6, graph).int(20, 5)
}

#[test]
fn a_known_condition_chooses_a_branch_and_a_known_loop_is_unrolled() {
    let branch = |op: &str| graph(&[node(op, &["x"], &["r"], &[])], &[], &[], &[value("r", FLOAT, &[])]);
    let condition = tensor("c", 9, &[], &[1]);
    let attributes = [graph_attribute("then_branch", &branch("Exp")), graph_attribute("else_branch", &branch("Log"))];
    let chosen = node("If", &["c"], &["y"], &attributes);
    let body = graph(
        &[node("Add", &["s", "x"], &["t"], &[]), node("Identity", &["go"], &["on"], &[])],
        &[],
        &[value("i", INT64, &[]), value("go", 9, &[]), value("s", FLOAT, &["3"])],
        &[value("on", 9, &[]), value("t", FLOAT, &["3"])],
    );
    let repeated = node("Loop", &["count", "", "y"], &["z"], &[graph_attribute("body", &body)]);
    let inputs = [value("x", FLOAT, &["3"])];
    let whole = graph(&[chosen, repeated], &[condition, ints("count", &[2])], &inputs, &[value("z", FLOAT, &[])]);
    assert_eq!(operators(&imported(&model(&whole, 17))), ["exp", "add", "add"]);
}

#[test]
fn functions_of_a_model_are_called_with_their_attributes() {
    let reference = Writer::default().bytes(1, "axis").bytes(21, "along").int(20, 2);
    let function = Writer::default()
        .bytes(1, "Normalised")
        .bytes(4, "a")
        .bytes(5, "r")
        .bytes(7, node("Softmax", &["a"], &["r"], &[reference]))
        .bytes(9, Writer::default().bytes(1, "").int(2, 17))
        .bytes(10, "own");
    let call = node("Normalised", &["x"], &["y"], &[int_attribute("along", 0)]).bytes(7, "own");
    let whole = graph(&[call], &[], &[value("x", FLOAT, &["2", "3"])], &[value("y", FLOAT, &[])]);
    let bytes = [model(&whole, 17), Writer::default().bytes(25, function).0].concat();
    assert_eq!(operators(&imported(&bytes)), ["nn.softmax"]);
}

#[test]
fn all_faults_are_reported_at_once_with_their_nodes() {
    let nodes = [
        node("Frobnicate", &["x"], &["y"], &[]).bytes(3, "first"),
        node("Softmux", &["x"], &["z"], &[]).bytes(3, "second"),
    ];
    let one = graph(&nodes, &[], &[value("x", FLOAT, &["2"])], &[value("y", FLOAT, &[])]);
    let found = from_onnx(&model(&one, 17), &Options::default(), None).unwrap_err();
    let codes: Vec<_> = found.diagnostics.0.iter().map(|one| one.code).collect();
    assert_eq!((codes, found.nodes), (vec![NO_RULE, NO_RULE], vec!["first".to_owned(), "second".to_owned()]));
    let nodes = [
        node("Add", &["x", "nowhere"], &["y"], &[]),
        node("Gemm", &["x", "x"], &["z"], &[int_attribute("colour", 3)]),
        node("Exp", &["z"], &["w"], &[]),
    ];
    let one = graph(&nodes, &[], &[value("x", FLOAT, &["2"])], &[value("w", FLOAT, &[])]);
    let found = faults(&model(&one, 17));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(code, _)| *code == REFUSED));
    assert!(found[0].1.contains("its input `nowhere` is given by no node before it"), "{found:?}");
    assert!(found[1].1.contains("the attribute `colour` (the integer 3) has no rule"), "{found:?}");
}

#[test]
fn hostile_files_are_errors_that_say_what_is_wrong() {
    let whole = perceptron();
    let cut = from_onnx(&whole[..whole.len() - 40], &Options::default(), None);
    assert!(cut.is_err());
    let one = |nodes: &[Writer], tensors: &[Writer]| {
        model(&graph(nodes, tensors, &[value("x", FLOAT, &["2"])], &[value("y", FLOAT, &[])]), 17)
    };
    let expect = |bytes: &[u8], part: &str| {
        let found = first_fault(bytes);
        assert!(found.contains(part), "{found}\nexpected {part}");
    };
    expect(&[], "it has no graph");
    expect(b"\x07", "wire type 7");
    let cycle = [node("Add", &["x", "b"], &["a"], &[]), node("Add", &["a", "a"], &["b"], &[])];
    expect(&one(&cycle, &[]), "its input `b` is given by no node before it");
    let identity = [node("Identity", &["x"], &["y"], &[])];
    expect(&one(&identity, &[tensor("t", FLOAT, &[1 << 40, 1 << 40], &[])]), "the tensor `t`");
    expect(&one(&identity, &[tensor("t", FLOAT, &[1 << 40], &[0; 4])]), "the tensor `t`");
    expect(&one(&identity, &[tensor("t", FLOAT, &[-1], &[])]), "the tensor `t`");
    expect(&one(&identity, &[tensor("t", 99, &[1], &[0; 4])]), "99 is no element type");
    expect(&one(&identity, &[tensor("t", 9, &[1], &[7])]), "7 is no bool");
    expect(&one(&[node("Identity", &["x"], &["z"], &[])], &[]), "the graph gives `y`");
    let mut deep = Writer::default();
    for _ in 0..200 {
        deep = graph(&[node("If", &["x"], &["y"], &[graph_attribute("then_branch", &deep)])], &[], &[], &[]);
    }
    expect(&model(&deep, 17), "messages in one another");
    let named = Writer::default().bytes(1, [0xff, 0xfe]).bytes(2, "y").bytes(4, "Identity");
    expect(&one(&[named], &[]), "expected UTF-8 text");
    let outside = |location: &str| {
        let entry = |key: &str, value: &str| Writer::default().bytes(1, key).bytes(2, value);
        let t = Writer::default().int(1, 1).int(2, FLOAT).bytes(8, "t").bytes(13, entry("location", location));
        one(&identity, &[t.int(14, 1)])
    };
    expect(&outside("../secret"), "outside of the model's folder");
    expect(&outside("weights.bin"), "import the model by its path");
}

#[test]
fn a_function_that_calls_itself_ends_with_an_error() {
    let function = Writer::default()
        .bytes(1, "Endless")
        .bytes(4, "a")
        .bytes(5, "r")
        .bytes(7, node("Endless", &["a"], &["r"], &[]).bytes(7, "own"))
        .bytes(10, "own");
    let call = node("Endless", &["x"], &["y"], &[]).bytes(7, "own");
    let whole = graph(&[call], &[], &[value("x", FLOAT, &["2"])], &[value("y", FLOAT, &[])]);
    let bytes = [model(&whole, 17), Writer::default().bytes(25, function).0].concat();
    assert!(first_fault(&bytes).contains("functions that call each other"));
}

#[test]
fn external_data_is_what_the_reader_gives() {
    let entry = |key: &str, value: &str| Writer::default().bytes(1, key).bytes(2, value);
    let t = Writer::default().int(1, 2).int(2, FLOAT).bytes(8, "t");
    let t = t.bytes(13, entry("location", "data/w.bin")).bytes(13, entry("offset", "16")).int(14, 1);
    let nodes = [node("Add", &["x", "t"], &["y"], &[])];
    let bytes = model(&graph(&nodes, &[t], &[value("x", FLOAT, &["2"])], &[value("y", FLOAT, &[])]), 17);
    let reader = |location: &str, offset: u64, length: Option<u64>| {
        assert_eq!((location, offset, length), ("data/w.bin", 16, Some(8)));
        Ok([1f32, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>().into())
    };
    let module = from_onnx(&bytes, &Options::default(), Some(&reader)).unwrap();
    assert_eq!(operators(&module), ["add"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Bytes that are changed, left out or put in give a module or an error.
    #[test]
    fn damaged_files_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..6),
    ) {
        let mut bytes = perceptron();
        for (at, byte, how) in edits {
            let at = at.index(bytes.len());
            match how {
                0 | 1 => bytes[at] = byte,
                2 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        let _ = read(&bytes);
        if let Ok(module) = from_onnx(&bytes, &Options::default(), None) {
            prop_assert!(verify(&module, Form::Any).is_ok());
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = from_onnx(&bytes, &Options::default(), None);
    }
}
