//! The format as text, and what hostile texts give.

use std::sync::Arc;

use tilewright_expr::node::document::MAX_NESTING;
use tilewright_expr::node::{EqCx, FreeVariables, MAX_DEPTH};
use tilewright_support::{Origins, SourceFile, Span};
use tilewright_tensor::{DataType, Tensor};

use super::*;
use crate::relax::{StructInfo, TensorShape};
use crate::tir::{Buffer, Expr, Param, PrimFunc, Stmt, StmtKind, Var};
use crate::{Attr, Attrs, IRModule};

const NO_OPERATORS: OpTable = OpTable(|_| None);

fn read(text: &str) -> Result<Node, Error> {
    load(text.as_bytes(), NO_OPERATORS)
}

/// Saved IR loads as the same IR, and is saved again as the same bytes.
#[track_caller]
fn survives(node: &Node) -> Node {
    let text = save(node);
    let back = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(EqCx::compare_with(node, &back, FreeVariables::MayStandForOthers), Ok(()), "{text}");
    assert_eq!(node.structural_hash(), back.structural_hash(), "{text}");
    assert_eq!(save(&back), text);
    back
}

fn scalar(expr: Expr) -> Node {
    Node::Scalar(expr)
}

#[test]
fn the_text_is_that_of_the_documentation() {
    let n = Expr::var(&Var::new("n", DataType::I64));
    let text = save(&scalar(&n * &n));
    let expected = r#"{"format": "tilewright.ir", "version": 1, "nodes": [
["%0", "tir.Var", {"name": "n", "dtype": "int64", "size": false}],
["%1", "tir.Expr", {"dtype": "int64", "kind": {"Var": "%0"}}],
["%2", "tir.Expr", {"dtype": "int64", "kind": {"Binary": {"op": "Mul", "a": "%1", "b": "%1"}}}]],
"root": {"Scalar": "%2"},
"files": [],
"tensors": []}
"#;
    assert_eq!(text, expected);
    survives(&scalar(&n * &n));
}

#[test]
fn every_float_and_text_comes_back() {
    let floats = [0.0, -0.0, 0.1, 1e300, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
    let mut items: Vec<Attr> = floats.map(|value| Attr::Float(tilewright_expr::node::FloatBits(value))).into();
    let texts = ["", "plain", "\"quoted\\ \n\t\r\u{0}\u{7f}\u{85}", "ü€😀", "{[,:"];
    items.extend(texts.map(Attr::str));
    items.extend([i64::MIN, -1, 0, i64::MAX].map(Attr::Int));
    items.push(Attr::Map(Attrs::from_iter([("a\"b".into(), Attr::None), ("".into(), Attr::DType(DataType::BF16))])));
    survives(&Node::Attr(Attr::Array(items)));
}

#[test]
fn escapes_of_other_writers_are_read() {
    let saved = save(&Node::Attr(Attr::str("PLACE")));
    let text = saved.replace("PLACE", r"\u00e9\ud83d\ude00\/\b\f\n\r\t\u0041");
    let Ok(Node::Attr(Attr::Str(found))) = read(&text) else { panic!("{text}") };
    assert_eq!(&*found, "é😀/\u{8}\u{c}\n\r\tA");
}

#[test]
fn constants_and_places_have_tables() {
    let tensor = Tensor::from_vec(&[4], vec![1.0f32, -0.0, f32::NAN, f32::INFINITY]).unwrap();
    let file = SourceFile::part("model.py", "x = 1\ny = 2\n", 7);
    let buffer = Buffer::new("A", vec![Expr::i32(4)], DataType::F32);
    let constant = |body| {
        StmtKind::AllocateConst { buffer: buffer.derive(|_| {}), data: relax::Constant(tensor.clone()), body }.into()
    };
    let function = PrimFunc {
        params: vec![Param::buffer(&buffer)],
        attrs: Attrs::new(),
        body: constant(constant(Stmt::nothing())),
        origins: Origins::at(Span::new(&file, 6, 11)),
    };
    let Node::PrimFunc { function, name } =
        survives(&Node::PrimFunc { name: "f".into(), function: Arc::new(function) })
    else {
        panic!("another kind of node")
    };
    assert_eq!((&*name, function.origins.first().map(Span::to_string)), ("f", Some("model.py:9:1".to_owned())));
    let StmtKind::AllocateConst { data: outer, body, .. } = &function.body.kind else { panic!() };
    let StmtKind::AllocateConst { data: inner, .. } = &body.kind else { panic!() };
    assert!(outer.0.same(&inner.0), "the tensor is one, as it was");
}

#[test]
fn shared_nodes_stay_shared() {
    let mut x = Expr::var(&Var::new("x", DataType::I64));
    for _ in 0..60 {
        x = &x * &x;
    }
    let text = save(&scalar(x.clone()));
    assert_eq!(text.lines().filter(|line| line.starts_with("[\"%")).count(), 62);
    let Node::Scalar(back) = survives(&scalar(x)) else { panic!() };
    let tir::ExprKind::Binary(_, a, b) = &back.kind else { panic!() };
    assert!(a.same(b));
}

#[test]
fn any_depth_that_scripts_have_comes_back() {
    let x = Expr::var(&Var::new("x", DataType::I64));
    let one = Expr::i64(1);
    // A long chain of terms, and 10,000 of everything inside each other.
    survives(&scalar((0..100_000).fold(x.clone(), |sum, _| &sum + &one)));
    survives(&scalar((0..10_000).fold(x, |sum, _| &one + &sum)));
    let nested = |inner: Stmt, _| StmtKind::While { condition: Expr::bool(true), body: inner }.into();
    survives(&Node::Stmt((0..10_000).fold(Stmt::nothing(), nested)));
    // Values nest less deep than nodes.
    survives(&Node::Info((0..900).fold(StructInfo::Object, |inner, _| StructInfo::Tuple(vec![inner]))));
    survives(&Node::Attr((0..900).fold(Attr::None, |inner, _| Attr::Array(vec![inner]))));
}

#[track_caller]
fn refused(text: &str, position: &str, message: &str) {
    let Err(error) = read(text) else { panic!("accepted:\n{text}") };
    let error = error.to_string();
    assert!(error.starts_with(position) && error.contains(message), "{error}\nexpected {position}: … {message}");
}

#[test]
fn deeply_nested_texts_are_refused() {
    for bracket in ["[", "{\"a\":"] {
        refused(&bracket.repeat(1_000_000), "line 1, column ", "brackets inside each other");
    }
    assert!(bracket_depth_is_read(MAX_NESTING - 8));
    let x = Expr::var(&Var::new("x", DataType::BOOL));
    let deep = (0..MAX_DEPTH + 10).fold(x, |inner, _| inner.not().unwrap());
    refused(&save(&scalar(deep)), "line 20", "nodes inside each other");
}

fn bracket_depth_is_read(depth: usize) -> bool {
    let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    Document::parse(&text).is_ok()
}

#[test]
fn texts_that_are_no_json_are_refused_at_their_position() {
    for (text, position, message) in [
        ("", "line 1, column 1: ", "expected a value, found the end"),
        ("{\"format\": \"tilewright.ir\",\n  tru", "line 2, column 3: ", "expected a key in quotes, found 't'"),
        ("[1, 2", "line 1, column 6: ", "expected `,` or `]`"),
        ("[1, 2,]", "line 1, column 7: ", "expected a value, found ']'"),
        ("[1] 2", "line 1, column 5: ", "expected the end of the text"),
        ("{\"a\" 1}", "line 1, column 6: ", "expected `:`"),
        ("[01]", "line 1, column 3: ", "expected `,` or `]`"),
        ("[1.]", "line 1, column 4: ", "expected a digit"),
        ("[-]", "line 1, column 3: ", "expected a digit"),
        ("[\"é\\x\"]", "line 1, column 5: ", "expected an escape"),
        ("[\"\\ud800\"]", "line 1, column 9: ", "half of a surrogate pair"),
        ("[\"a\nb\"]", "line 1, column 4: ", "expected an escape for a control character"),
        ("[\"abc", "line 1, column 6: ", "expected a closing quote"),
        ("nul", "line 1, column 1: ", "expected a value"),
    ] {
        refused(text, position, message);
    }
    let Err(error) = load(b"{\n  \"\xff\"}", NO_OPERATORS) else { panic!() };
    assert_eq!(error.to_string(), "line 2, column 4: the text is not UTF-8");
}

#[test]
fn texts_of_another_format_are_refused_at_their_position() {
    let n = Expr::var(&Var::new("n", DataType::I64));
    let good = save(&scalar(&n * &n));
    let tensor = save(&Node::Tensor(relax::Constant(Tensor::from_vec(&[2], vec![true, false]).unwrap())));
    for (text, from, to, position, message) in [
        (&good, "tilewright.ir", "onnx", "line 1, column 12, at format: ", "expected the format \"tilewright.ir\""),
        (&good, "\"version\": 1", "\"version\": 2", "line 1, column 40, at version: ", "expected version 1, found 2"),
        (&good, "\"files\": []", "\"flies\": []", "line 6, column 1, at .flies: ", "has no field \"flies\""),
        (&good, ", \"size\": false", "", "line 2, column 19, at nodes[0][2]: ", "lacks the field \"size\""),
        (&good, "\"size\": false", "\"size\": 0", "line 2, column 59, at nodes[0][2].size: ", "expected a bool"),
        (&good, "\"a\": \"%1\"", "\"a\": \"%9\"", "line 4, column 77, at nodes[2][2].kind.Binary.a", "%9 is not among"),
        (&good, "\"a\": \"%1\"", "\"a\": \"%2\"", "line 4, column 77, at ", "%2 is not among the entries before"),
        (&good, "\"a\": \"%1\"", "\"a\": \"%0\"", "line 4, column 77, at ", "%0 is a tir.Var, expected a tir.Expr"),
        (&good, "\"a\": \"%1\"", "\"a\": 1", "line 4, column 77, at ", "expected a text, found a number"),
        (
            &good,
            "\"Mul\"",
            "\"Mull\"",
            "line 4, column 65, at ",
            "unknown variant \"Mull\" of BinOp: expected one of Add",
        ),
        (&good, "\"Mul\"", "\"And\"", "line 4, column 20, at nodes[2][2]: ", "`and` of int64 and int64"),
        (&good, "int64", "int63", "line 2, column 42, at nodes[0][2].dtype: ", "unknown data type \"int63\""),
        (&good, "[\"%1\"", "[\"%3\"", "line 3, column 2, at nodes[1][0]: ", "expected the label \"%1\""),
        (&good, "tir.Var", "tir.Vary", "line 2, column 8, at nodes[0][1]: ", "unknown sort \"tir.Vary\""),
        (&good, "{\"Scalar\": \"%2\"}", "{}", "line 5, column 9, at root: ", "expected an object of one variant"),
        (&good, "{\"Var\": \"%0\"}", "\"Var\"", "line 3, column 47, at ", "lacks what it holds"),
        (&good, "\"name\": \"n\",", "\"name\": \"n\", \"name\": \"m\",", "line 2, column 33, at ", "there twice"),
        (&tensor, "[2]", "[3]", "line 5, column ", "2 bytes do not fill a tensor"),
        (&tensor, "[2]", "[9223372036854775807, 9223372036854775807, 4]", "line 5, column ", "do not fill a tensor"),
        (&tensor, "[2]", "[-2]", "line 5, column ", "expected an integer from 0"),
        (&tensor, "AQA=", "AgA=", "line 5, column ", "bool"),
        (&tensor, "AQA=", "A*A=", "line 5, column ", "expected base64"),
        (&tensor, "\"bool\"", "\"handle\"", "line 5, column ", "no elements of type handle"),
        (&tensor, "\"@0\"", "\"@1\"", "line 2, column ", "has no @1"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(&changed, text, "{from}");
        refused(&changed, position, message);
    }
}

#[test]
fn ill_formed_ir_is_refused() {
    // A parameter of the wrong type, a rank that the shape does not have, a loop from text.
    let buffer = Buffer::new("A", vec![Expr::i32(4)], DataType::F32);
    let mut module = IRModule::new();
    let function = |params| PrimFunc {
        params,
        attrs: Attrs::new(),
        body: Stmt::store(&buffer, vec![Expr::i32(0)], &Expr::float(0.0, DataType::F32)).unwrap(),
        origins: Origins::default(),
    };
    module.insert("f", function(vec![Param::buffer(&buffer)]));
    survives(&module.clone().into());
    module.insert("f", function(Vec::new()));
    assert!(matches!(read(&save(&module.into())), Err(Error::IllFormed(found)) if found.0[0].code == "TW0502"));
    // By itself a function may use what it does not define.
    survives(&Node::PrimFunc { name: "f".into(), function: Arc::new(function(Vec::new())) });
    let wrong = StructInfo::tensor_with(TensorShape::Known(vec![Expr::str("n")]), None);
    survives(&Node::Info(StructInfo::Shape(TensorShape::Unknown)));
    let Err(error) = read(&save(&Node::Info(wrong))) else { panic!() };
    assert!(matches!(error, Error::IllFormed(_)), "{error}");
}
