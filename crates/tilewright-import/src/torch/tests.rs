//! The walk over the nodes: names, changes in place, faults, parameters, results. The functions are compared as lists
//! of what their variables are bound to.

use tilewright_ir::IRModule;
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo, TensorShape};
use tilewright_ir::verify::{Form, verify};
use tilewright_support::Diagnostics;
use tilewright_tensor::{DataType, Tensor};

use super::{Argument, Graph, Input, Node, Options, Target, from_graph};

fn node_of(name: &str) -> Argument {
    Argument::Node(name.to_owned())
}

/// A node `name = target(args)`.
fn node(name: &str, target: &str, args: &[Argument]) -> Node {
    Node {
        name: name.to_owned(),
        target: Target::Rule(target.to_owned()),
        args: args.to_vec(),
        kwargs: Vec::new(),
        said: format!("torch.{target}"),
        place: None,
        sizes: Vec::new(),
    }
}

fn graph(nodes: Vec<Node>, output: Argument) -> Graph {
    let x = Input { name: "x".to_owned(), info: StructInfo::tensor_of(&[2, 3], DataType::F32) };
    Graph { inputs: vec![x], nodes, output, ..Graph::default() }
}

fn imported(graph: &Graph, options: &Options) -> Result<IRModule, Diagnostics> {
    let module = from_graph(graph, options)?;
    verify(&module, Form::Any).unwrap();
    Ok(module)
}

/// `variable = operator(arguments)` for each binding, and the result.
fn lines(graph: &Graph, options: &Options) -> Vec<String> {
    let module = imported(graph, options).unwrap();
    let main = module.relax("main").unwrap();
    let bindings = main.body.blocks.iter().flat_map(|block| &block.bindings);
    let mut lines: Vec<String> = bindings.map(line).collect();
    lines.push(format!("return {}", text(&main.body.result)));
    lines
}

fn line(binding: &Binding) -> String {
    let BindingValue::Expr(value) = &binding.value else { return "match_cast".to_owned() };
    format!("{} = {}", binding.var.name, text(value))
}

fn text(value: &Expr) -> String {
    let all = |values: &[Expr]| values.iter().map(text).collect::<Vec<_>>().join(", ");
    match &value.kind {
        ExprKind::Var(var) => var.name.to_string(),
        ExprKind::Call { callee: Callee::Op(op), args, .. } => format!("{}({})", op.name, all(args)),
        ExprKind::Tuple(fields) => format!("({})", all(fields)),
        ExprKind::TupleGet { tuple, index } => format!("{}[{index}]", text(tuple)),
        ExprKind::Constant(_) => "const".to_owned(),
        ExprKind::Prim(_) => "scalar".to_owned(),
        ExprKind::Shape(dims) => format!("shape of {}", dims.len()),
        _ => "?".to_owned(),
    }
}

fn messages(graph: &Graph) -> Vec<String> {
    let found = imported(graph, &Options::default()).unwrap_err();
    found.0.into_iter().map(|diagnostic| diagnostic.message).collect()
}

#[test]
fn every_name_of_a_tensor_sees_its_change_in_place() {
    let nodes = vec![
        node("a", "exp", &[node_of("x")]),
        node("b", "relu_", &[node_of("a")]),
        node("c", "add", &[node_of("a"), node_of("b")]),
    ];
    let expected = ["lv = exp(x)", "lv1 = nn.relu(lv)", "lv2 = add(lv1, lv1)", "gv = lv2", "return gv"];
    assert_eq!(lines(&graph(nodes, node_of("c")), &Options::default()), expected);
}

#[test]
fn a_change_in_place_keeps_the_data_type() {
    let nodes = vec![
        node("a", "astype", &[node_of("x"), Argument::DType(DataType::F16)]),
        node("b", "add_", &[node_of("a"), node_of("x")]),
    ];
    let module = imported(&graph(nodes, node_of("b")), &Options::default()).unwrap();
    assert_eq!(module.relax("main").unwrap().ret.dtype(), Some(DataType::F16));
}

#[test]
fn a_change_under_a_view_that_is_used_later_is_refused() {
    let view = node("v", "reshape", &[node_of("a"), Argument::Int(6)]);
    let change = node("b", "relu_", &[node_of("a")]);
    let first = node("a", "exp", &[node_of("x")]);
    let used = vec![first.clone(), view.clone(), change.clone(), node("c", "exp", &[node_of("v")])];
    let [message] = &messages(&graph(used, node_of("c")))[..] else { panic!("expected one message") };
    assert!(message.contains("`v`, which shares its memory, is used later"), "{message}");
    // A view that is not used any more does no harm.
    let unused = vec![first, view, node("w", "exp", &[node_of("v")]), change];
    assert!(imported(&graph(unused, node_of("b")), &Options::default()).is_ok());
}

#[test]
fn changes_under_possible_aliases_are_refused_unless_they_are_sizes() {
    let text = |text: &str| Argument::Str(text.to_owned());
    let refused = |view: Node, output: [&str; 2]| {
        let name = view.name.clone();
        let nodes = vec![node("a", "exp", &[node_of("x")]), view, node("c", "relu_", &[node_of(&name)])];
        let output = Argument::List(output.iter().map(|name| node_of(name)).collect());
        imported(&graph(nodes, output), &Options::default()).is_err()
    };
    assert!(refused(node("v", "diagonal", &[node_of("a")]), ["a", "c"]));
    assert!(refused(
        node("v", "aten.unfold", &[node_of("a"), Argument::Int(1), Argument::Int(2), Argument::Int(1)]),
        ["a", "c"]
    ));
    assert!(refused(node("v", "getattr", &[node_of("a"), text("mT")]), ["a", "c"]));
    assert!(refused(node("v", "contiguous", &[node_of("a")]), ["a", "c"]));
    // What shares it is not used any more, has memory of its own, or is the very same tensor.
    assert!(!refused(node("v", "contiguous", &[node_of("a")]), ["c", "x"]));
    assert!(!refused(node("v", "diagonal_copy", &[node_of("a")]), ["a", "c"]));
    assert!(!refused(node("v", "getattr", &[node_of("a"), text("data")]), ["a", "c"]));
    let nodes = vec![
        node("a", "exp", &[node_of("x")]),
        node("s", "getattr", &[node_of("a"), text("shape")]),
        node("c", "relu_", &[node_of("a")]),
        node("d", "reshape", &[node_of("c"), node_of("s")]),
    ];
    assert!(imported(&graph(nodes, node_of("d")), &Options::default()).is_ok());
}

#[test]
fn all_missing_rules_are_reported_at_once() {
    let nodes = vec![
        node("a", "det", &[node_of("x")]),
        node("b", "exp", &[node_of("a")]),
        node("c", "softmaks", &[node_of("b")]),
    ];
    let found = imported(&graph(nodes, node_of("c")), &Options::default()).unwrap_err();
    let messages: Vec<&str> = found.0.iter().map(|diagnostic| &*diagnostic.message).collect();
    assert_eq!(messages, ["`torch.det` has no rule", "`torch.softmaks` has no rule"]);
    assert!(found.0[1].notes.contains(&"there is one for `softmax`".to_owned()), "{:?}", found.0[1].notes);
}

#[test]
fn nodes_that_depend_on_a_failed_node_are_skipped() {
    let nodes = vec![
        node("a", "softmax", &[node_of("x"), Argument::Int(7)]),
        node("b", "exp", &[node_of("a")]),
        node("c", "squeeze", &[node_of("x"), Argument::Str("no".to_owned())]),
    ];
    let messages = messages(&graph(nodes, node_of("b")));
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("`torch.softmax`") && messages[1].starts_with("`torch.squeeze`"), "{messages:?}");
}

#[test]
fn parameters_are_constants_or_inputs() {
    let mut model =
        graph(vec![node("a", "add", &[node_of("x"), Argument::Parameter("layer.bias".to_owned())])], node_of("a"));
    model.parameters.insert("layer.bias".to_owned(), Tensor::from_vec(&[3], vec![1.0f32, -2.0, 3.0]).unwrap());
    assert_eq!(lines(&model, &Options::default()), ["lv = add(x, const)", "gv = lv", "return gv"]);
    let options = Options { params_as_input: vec!["layer.bias".to_owned()], ..Options::default() };
    assert_eq!(lines(&model, &options), ["lv = add(x, layer_bias)", "gv = lv", "return gv"]);
    let module = imported(&model, &options).unwrap();
    let main = module.relax("main").unwrap();
    assert_eq!((main.params.len(), main.attrs.get("num_input").and_then(|count| count.as_int())), (2, Some(1)));
    // In place, a constant cannot be changed.
    model.nodes[0] = node("a", "add_", &[Argument::Parameter("layer.bias".to_owned()), node_of("x")]);
    let message = "`torch.add_`: it changes the tensor `layer.bias` of the model, which is a constant here";
    assert_eq!(messages(&model), [message]);
}

#[test]
fn tuples_of_results_follow_the_options() {
    let nodes = || vec![node("a", "exp", &[node_of("x")])];
    let one = graph(nodes(), Argument::List(vec![node_of("a")]));
    let unwrapped = Options { unwrap_unit_return_tuple: true, ..Options::default() };
    let unbound = Options { no_bind_return_tuple: true, ..Options::default() };
    assert_eq!(lines(&one, &Options::default()), ["lv = exp(x)", "gv = (lv)", "return gv"]);
    assert_eq!(lines(&one, &unwrapped), ["lv = exp(x)", "gv = lv", "return gv"]);
    assert_eq!(lines(&one, &unbound), ["lv = exp(x)", "gv = lv", "return (gv)"]);
}

#[test]
fn sizes_are_worked_out_with_symbolic_dimensions() {
    let n = tilewright_expr::Var::new("n", DataType::I64);
    let dims = vec![tilewright_expr::Expr::var(&n), tilewright_expr::Expr::i64(4), tilewright_expr::Expr::i64(3)];
    let mut model = graph(
        vec![
            node("s", "size", &[node_of("x"), Argument::Int(0)]),
            node("m", "mul", &[node_of("s"), Argument::Int(2)]),
            node("y", "view", &[node_of("x"), node_of("m"), Argument::Int(-1)]),
        ],
        node_of("y"),
    );
    model.inputs[0].info = StructInfo::tensor_with(TensorShape::Known(dims), Some(DataType::F32));
    let module = imported(&model, &Options::default()).unwrap();
    let ret = module.relax("main").unwrap().ret.clone();
    let last = ret.dims().and_then(|dims| dims.last()).and_then(|last| last.as_int());
    assert_eq!(last, Some(6), "{ret:?}");
}

#[test]
fn a_tensor_without_dimensions_has_none_to_take_parts_of() {
    let parts: [(&str, &[i64]); 5] = [
        ("split", &[1, 0]),
        ("chunk", &[1, 0]),
        ("tensor_split", &[1, 0]),
        ("select", &[0, 0]),
        ("narrow", &[0, 0, 1]),
    ];
    for (target, numbers) in parts {
        let args: Vec<Argument> =
            [node_of("a")].into_iter().chain(numbers.iter().map(|number| Argument::Int(*number))).collect();
        let nodes = vec![node("a", "sum", &[node_of("x")]), node("b", target, &args)];
        let [message] = &messages(&graph(nodes, node_of("b")))[..] else { panic!("`{target}` gives one message") };
        assert!(message.ends_with("a tensor of 0 dimensions has no dimension 0"), "{target}: {message}");
    }
}
