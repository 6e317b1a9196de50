//! A tiny importer of another format, built on what importers share alone: operations by the names of ONNX, whose
//! operands are given in order and broadcast as NumPy's do.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_ir::IRModule;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo, TensorShape};
use tilewright_ir::verify::{Form, verify};
use tilewright_ops::binary::add;
use tilewright_ops::linear_algebra::matmul;
use tilewright_support::{Map, OrderedMap, SourceFile, Span};
use tilewright_tensor::{DataType, Tensor};

use super::{Args, Cx, Faults, Input, NO_RULE, Options, REFUSED, Refused, Res, Signature, Site, Value, begin, finish};

/// An operation of the format: `result = operator(operands)`.
struct Operation {
    result: &'static str,
    operator: &'static str,
    operands: &'static [&'static str],
}

/// A model: its operations, and its text, one line per operation.
struct Model {
    inputs: Vec<Input>,
    parameters: OrderedMap<String, Tensor>,
    operations: &'static [Operation],
}

type Rule = fn(&mut Cx<'_>, &Args) -> Res;

fn rule(operator: &str) -> Option<(&'static str, Rule)> {
    match operator {
        "MatMul" => Some(("A, B", |cx, args| cx.op(&matmul::OP, &[&args.tensor("A")?, &args.tensor("B")?]))),
        "Add" => Some(("A, B", |cx, args| {
            let [a, b] = cx.broadcastable([args.tensor("A")?, args.tensor("B")?])?;
            cx.op(&add::OP, &[&a, &b])
        })),
        _ => None,
    }
}

/// The line of an operation in the text of the model.
fn line(file: &Arc<SourceFile>, at: usize) -> Option<Span> {
    let start: usize = file.text.split_inclusive('\n').take(at).map(str::len).sum();
    let length = file.text.lines().nth(at)?.len();
    Some(Span::new(file, start as u32, (start + length) as u32))
}

fn import(model: &Model, options: &Options) -> Result<IRModule, Faults> {
    let text: String = model.operations.iter().map(|one| format!("{}()\n", one.operator)).collect();
    let file = SourceFile::new("model.onnx", text);
    let mut bb = BlockBuilder::new();
    let of_graph = |reason: Refused| Faults::of_graph(&reason);
    let begun = begin(&mut bb, &model.inputs, &model.parameters, options).map_err(of_graph)?;
    let mut values: Map<&str, Value> = Map::default();
    values.extend(model.inputs.iter().zip(begun.inputs).map(|(input, value)| (&*input.name, value)));
    values.extend(begun.parameters.into_iter().map(|(name, value)| (name, Value::Tensor(value))));
    let mut faults = Faults::default();
    for (at, operation) in model.operations.iter().enumerate() {
        let place = line(&file, at);
        let site = Site { node: operation.result, said: operation.operator, place: place.as_ref() };
        let Some((parameters, rule)) = rule(operation.operator) else {
            faults.no_rule(site, "there is none".to_owned(), Some("Add"));
            continue;
        };
        // Operations that depend on one that failed are skipped.
        let given = operation.operands.iter().map(|name| values.get(name).cloned()).collect::<Option<Vec<_>>>();
        let Some(given) = given else { continue };
        let made = Args::bind(Signature { parameters, ignored: &[] }, given, Vec::new())
            .and_then(|args| rule(&mut Cx { bb: &mut bb }, &args));
        match made {
            Ok(value) => drop(values.insert(operation.result, value)),
            Err(reason) => faults.refused(site, &reason),
        }
    }
    faults.check()?;
    let result = model.operations.last().and_then(|last| values.get(last.result)).cloned().unwrap_or(Value::None);
    finish(&mut bb, &result, options).map_err(of_graph)?;
    let module = bb.finalize().map_err(|error| of_graph(Refused::new(error.to_string())))?;
    verify(&module, Form::Any).unwrap();
    Ok(module)
}

/// A linear layer: `x @ weight + bias`, with a batch of symbolic size.
fn linear(operations: &'static [Operation], bias: i64) -> Model {
    let batch = scalar::Expr::var(&scalar::Var::new("batch", DataType::I64));
    let dims = TensorShape::Known(vec![batch, scalar::Expr::i64(3)]);
    let zeros = |shape: &[i64]| Tensor::zeros(DataType::F32, shape).unwrap();
    let mut parameters = OrderedMap::default();
    parameters.insert("layer.weight".to_owned(), zeros(&[3, 4]));
    parameters.insert("layer.bias".to_owned(), zeros(&[bias]));
    let x = Input { name: "x".to_owned(), info: StructInfo::tensor_with(dims, Some(DataType::F32)) };
    Model { inputs: vec![x], parameters, operations }
}

const LINEAR: &[Operation] = &[
    Operation { result: "product", operator: "MatMul", operands: &["x", "layer.weight"] },
    Operation { result: "y", operator: "Add", operands: &["product", "layer.bias"] },
];

fn operators(module: &IRModule) -> Vec<&'static str> {
    let main = module.relax("main").unwrap();
    let bindings = main.body.blocks.iter().flat_map(|block| &block.bindings);
    let called = bindings.filter_map(|binding: &Binding| match &binding.value {
        BindingValue::Expr(value) => called(value),
        _ => None,
    });
    called.collect()
}

fn called(value: &Expr) -> Option<&'static str> {
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(op), .. } => Some(op.0.name),
        _ => None,
    }
}

#[test]
fn an_importer_needs_only_the_common_module() {
    let module = import(&linear(LINEAR, 4), &Options::default()).unwrap();
    assert_eq!(operators(&module), ["matmul", "add"]);
    let main = module.relax("main").unwrap();
    let dims = main.ret.dims().unwrap();
    assert_eq!((dims.len(), dims[1].as_int(), main.params.len()), (2, Some(4), 1));
    // The batch of the result is that of the input.
    assert!(dims[0].equal(&main.params[0].struct_info.dims().unwrap()[0]));
}

#[test]
fn tensors_of_the_model_become_parameters_on_request() {
    let options = Options { params_as_input: vec!["layer.weight".to_owned()], ..Options::default() };
    let module = import(&linear(LINEAR, 4), &options).unwrap();
    let main = module.relax("main").unwrap();
    let names: Vec<_> = main.params.iter().map(|param| param.name.to_string()).collect();
    assert_eq!(names, ["x", "layer_weight"]);
    assert_eq!(main.attrs.get("num_input").and_then(|count| count.as_int()), Some(1));
}

#[test]
fn a_symbolic_dimension_is_checked_against_the_one_it_meets() {
    const SUM: &[Operation] = &[Operation { result: "y", operator: "Add", operands: &["x", "z"] }];
    let mut model = linear(SUM, 4);
    model.inputs.push(Input { name: "z".to_owned(), info: StructInfo::tensor_of(&[2, 3], DataType::F32) });
    let module = import(&model, &Options::default()).unwrap();
    let main = module.relax("main").unwrap();
    let casts = main.body.blocks.iter().flat_map(|block| &block.bindings);
    let casts = casts.filter(|binding| matches!(binding.value, BindingValue::MatchCast { .. })).count();
    let dims = main.ret.dims().unwrap();
    assert_eq!((casts, dims[0].as_int(), dims[1].as_int()), (1, Some(2), Some(3)));
}

#[test]
fn all_faults_are_reported_at_once_with_their_locations() {
    const WRONG: &[Operation] = &[
        Operation { result: "product", operator: "MatMul", operands: &["x", "layer.weight"] },
        Operation { result: "y", operator: "Add", operands: &["product", "layer.bias"] },
        Operation { result: "z", operator: "Ad", operands: &["y", "y"] },
        Operation { result: "last", operator: "Add", operands: &["z", "z"] },
    ];
    let faults = import(&linear(WRONG, 5), &Options::default()).unwrap_err();
    assert_eq!(faults.nodes, ["y", "z"]);
    let lines: Vec<_> =
        faults.diagnostics.0.iter().map(|one| (one.code, one.span.as_ref().map(|at| at.line_column().0))).collect();
    assert_eq!(lines, [(REFUSED, Some(2)), (NO_RULE, Some(3))]);
    let messages: Vec<&str> = faults.diagnostics.0.iter().map(|one| &*one.message).collect();
    assert!(messages[0].starts_with("`Add`: "), "{messages:?}");
    assert_eq!(messages[1], "`Ad` has no rule");
    assert_eq!(faults.diagnostics.0[1].notes, ["there is one for `Add`"]);
}
