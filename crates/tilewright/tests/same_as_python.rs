//! The examples that build modules in Rust make the same modules as their Python counterparts: both are compared with
//! the printed module next to them. `UPDATE_EXPECT=1` writes it.

#[expect(dead_code, reason = "the example's own `main`")]
#[path = "../../../examples/builders/block_builder.rs"]
mod block_builder;
#[expect(dead_code, reason = "the example's own `main`")]
#[path = "../../../examples/nn/llama.rs"]
mod llama;
#[expect(dead_code, reason = "the example's own `main`")]
#[path = "../../../examples/builders/tensor_expressions.rs"]
mod tensor_expressions;

use std::path::Path;

use tilewright::{IRModule, SourceFile, parse_module, print_module};

fn is_printed_as(module: &IRModule, path: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, print_module(module)).unwrap();
    }
    let text = std::fs::read_to_string(&file).unwrap();
    let expected = match parse_module(&SourceFile::new(path, text)) {
        Ok(expected) => expected,
        Err(found) => panic!("{found}"),
    };
    assert!(tilewright::ir::verify::verify(module, tilewright::ir::verify::Form::Any).is_ok());
    if let Err(difference) = module.compare(&expected) {
        panic!("{difference}\n{}", print_module(module));
    }
}

#[test]
fn tensor_expressions_are_the_same() {
    is_printed_as(&tensor_expressions::module().unwrap(), "builders/tensor_expressions.expected.py");
}

#[test]
fn the_block_builder_builds_the_same() {
    is_printed_as(&block_builder::module().unwrap(), "builders/block_builder.expected.py");
}

#[test]
fn a_model_of_layers_is_the_same() {
    is_printed_as(&llama::module().unwrap(), "nn/llama.expected.py");
}
