//! Files: names by imports, indentation, what is ignored, what is handed to the host.

use std::cell::RefCell;

use tilewright_support::{SourceFile, Span};

use super::errors;
use crate::parse::{Definition, Host, HostValue, Names, NoHost, Source, parse_file, parse_function, parse_module};

const FUNCTION: &str = "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    A[0] = 0.0\n";

fn reads(text: &str) -> Vec<String> {
    match parse_file(&SourceFile::new("t.py", text), &NoHost) {
        Ok(parsed) => parsed.items.into_iter().map(|item| item.name).collect(),
        Err(diagnostics) => panic!("{diagnostics}"),
    }
}

#[test]
fn names_are_those_of_the_imports() {
    for (imports, t) in [
        ("from tvm.script import tir as T", "T"),
        ("from tilewright.script import tir as T", "T"),
        ("from tvm.script import ir as I, relax as R, tir as Tir", "Tir"),
        ("from tvm.script import tir", "tir"),
        ("import tvm", "tvm.script.tir"),
        ("import tilewright as tvm", "tvm.script.tir"),
        ("import tvm.script", "tvm.script.tir"),
        ("from tvm import script", "script.tir"),
        ("from tvm.script.parser import tir as T", "T"),
        ("import tilewright.script.tir as loops", "loops"),
        ("import numpy as np", "T"),
    ] {
        assert_eq!(reads(&format!("{imports}\n{}", FUNCTION.replace("T.", &format!("{t}.")))), ["f"], "{imports}");
    }
    assert_eq!(reads(&format!("from tvm.script.tir import prim_func, Buffer\n{}", FUNCTION.replace("T.", ""))), ["f"]);
    // With imports of the script's own, other names mean nothing.
    assert_eq!(reads(&format!("from tvm.script import relax as R\n{FUNCTION}")), Vec::<String>::new());
}

#[test]
fn only_definitions_of_the_script_are_read() {
    let text = format!(
        "import torch\nx = torch.zeros(3)\nfor i in range(3): print(i)\n\n{FUNCTION}\ndef g(a, b=1, *c): return a @ b\n\n@tvm.script.ir_module\nclass M:\n    pass\n\nclass Other:\n    y = 1\n\nif __name__ == '__main__':\n    main()\n"
    );
    assert_eq!(reads(&text), ["f", "M"]);
}

#[test]
fn indented_text_keeps_its_columns() {
    let indented: String = FUNCTION.replace("A[0]", "B[0]").lines().map(|line| format!("        {line}\n")).collect();
    let file = SourceFile::part("t.py", indented, 40);
    let text = parse_function(&file, &NoHost).unwrap_err().to_string();
    assert!(text.contains("t.py:43:13") && text.contains("unknown name `B`"), "{text}");
}

#[test]
fn names_can_be_given() {
    let file = SourceFile::new("t.py", FUNCTION.replace("T.prim_func", "loops").replace("T.Buffer", "Buf"));
    let names: Names = [("loops", "script.tir.prim_func"), ("Buf", "script.tir.Buffer")].into_iter().collect();
    assert!(matches!(parse_function(Source::new(&file).with_names(names), &NoHost), Ok(Definition::Prim(_))));
}

/// Answers from a list and remembers what it was asked.
struct Answers(Vec<(&'static str, HostValue)>, RefCell<Vec<String>>);

impl Host for Answers {
    fn eval(&self, expression: &str, _: &Span) -> Result<HostValue, String> {
        self.1.borrow_mut().push(expression.to_owned());
        let found = self.0.iter().find(|(text, _)| *text == expression);
        found.map(|(_, value)| value.clone()).ok_or_else(|| "name is not defined".to_owned())
    }
}

#[test]
fn foreign_names_are_resolved_by_the_host() {
    let text = "@T.prim_func\ndef f(A: T.Buffer(shape, np.float32)):\n    for i in range(N * 2):\n        A[i, size(N)] = config.eps\n";
    let answers = Answers(
        vec![
            ("shape", HostValue::Tuple(vec![HostValue::Int(8), HostValue::Int(2)])),
            ("np.float32", HostValue::DType(tilewright_tensor::DataType::F32)),
            ("N", HostValue::Int(4)),
            ("size(N)", HostValue::Int(1)),
            ("config.eps", HostValue::Float(0.5)),
        ],
        RefCell::default(),
    );
    let file = SourceFile::new("t.py", text);
    let result = parse_function(&file, &answers);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(*answers.1.borrow(), ["shape", "np.float32", "N", "size", "size(N)", "config.eps"]);
    let text = parse_function(
        &SourceFile::new("t.py", "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(missing)\n"),
        &answers,
    );
    assert!(text.unwrap_err().to_string().contains("name is not defined"));
}

#[test]
fn a_syntax_error_leaves_the_good_functions() {
    let text = errors(
        "@I.ir_module\nclass M:\n    @T.prim_func\n    def bad(A: T.Buffer((4,))):\n        A[0 = 1.0\n\n    @T.prim_func\n    def good(A: T.Buffer((4,))):\n        A[0, 1] = 1.0\n\n@T.prim_func\ndef other(A: T.Buffer((4,))):\n    B[0] = 1.0\n",
    );
    assert!(text.contains("TW0101"), "{text}");
    assert!(text.contains("TW0304") || text.contains("TW0201"), "{text}");
}

#[test]
fn the_one_definition_that_was_asked_for() {
    let module = |text: &str| parse_module(&SourceFile::new("t.py", text), &NoHost).unwrap_err().to_string();
    assert!(module("x = 1\n").contains("expected a module in this text, found none"));
    let two = "@I.ir_module\nclass A:\n    pass\n@I.ir_module\nclass B:\n    pass\n";
    assert!(module(two).contains("expected one module, found several"));
}
