//! Edits of one dataflow block.

use tilewright_ir::builder::binding_rewrite::DataflowBlockRewrite;
use tilewright_ir::relax::{Expr, Var};

use super::{checked, floats, module, names, op, relax, run};

const MAIN: &str = r#"    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.nn.relu(a)
            unused = R.multiply(b, b)
            R.output(b)
        return b"#;

fn var(rewrite: &DataflowBlockRewrite, name: &str) -> Var {
    rewrite.block().bindings.iter().map(|binding| &binding.var).find(|var| &*var.name == name).unwrap().clone()
}

#[test]
fn a_later_addition_may_be_used_earlier() {
    let before = module(MAIN);
    let main = relax(&before, "main");
    let mut rewrite = DataflowBlockRewrite::new(&main, 0).unwrap();
    let x = Expr::var(&main.params[0]);
    let product = rewrite.add(&op("multiply", &[&x, &x]), Some("a"), true);
    assert_eq!(&*product.name, "a1", "names are unique");
    rewrite.replace_all_uses(&var(&rewrite, "a"), &product).unwrap();
    rewrite.remove_all_unused();
    let after = checked(rewrite.module(&before, "main").unwrap());
    let main = relax(&after, "main");
    assert_eq!(names(main.body.blocks[0].bindings.iter().map(|b| &b.var)), ["a1", "b"]);
    assert_eq!(run(&after, "main", &[floats(&[-3.0, 0.5])]), [9.0, 0.25]);
}

#[test]
fn only_unused_bindings_are_removed() {
    let main = relax(&module(MAIN), "main");
    let mut rewrite = DataflowBlockRewrite::of_block(&main.body.blocks[0], &main).unwrap();
    let (a, b, unused) = (var(&rewrite, "a"), var(&rewrite, "b"), var(&rewrite, "unused"));
    assert_eq!(rewrite.remove_unused(&a, false).unwrap_err().to_string(), "`a` is still used");
    assert_eq!(rewrite.remove_unused(&b, false).unwrap_err().to_string(), "`b` is still used");
    assert!(rewrite.remove_unused(&unused, false).unwrap());
    assert_eq!(rewrite.remove_unused(&unused, false).unwrap_err().to_string(), "`unused` is not bound in the block");
    assert!(!rewrite.remove_unused(&unused, true).unwrap());
}

#[test]
fn an_output_is_not_replaced_by_a_hidden_value() {
    let main = relax(&module(MAIN), "main");
    let mut rewrite = DataflowBlockRewrite::new(&main, 0).unwrap();
    let (a, b) = (var(&rewrite, "a"), var(&rewrite, "b"));
    let error = rewrite.replace_all_uses(&b, &a).unwrap_err().to_string();
    assert_eq!(error, "`a` is visible only in its block, `b` is used outside");
    let shown = rewrite.add(&op("add", &[&Expr::var(&a), &Expr::var(&a)]), None, false);
    rewrite.replace_all_uses(&b, &shown).unwrap();
    rewrite.remove_all_unused();
    let mut after = tilewright_ir::IRModule::new();
    after.insert("main", rewrite.function().unwrap());
    assert_eq!(run(&checked(after), "main", &[floats(&[1.0])].map(|_| floats(&[1.0, -2.0]))), [4.0, -8.0]);
}

#[test]
fn a_block_that_is_no_dataflow_block_is_refused() {
    let main = relax(
        &module(
            r#"    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = R.add(x, x)
        return a"#,
        ),
        "main",
    );
    assert_eq!(DataflowBlockRewrite::new(&main, 0).unwrap_err().to_string(), "block 0 is no dataflow block");
    let missing = DataflowBlockRewrite::new(&main, 3).unwrap_err().to_string();
    assert_eq!(missing, "the function has 1 blocks, and no block 3");
}
