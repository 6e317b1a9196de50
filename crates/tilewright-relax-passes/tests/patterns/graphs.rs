//! Contexts: patterns that are related by who uses whom.

use tilewright_ir::IRModule;
use tilewright_ir::builder::{BlockBuilder, BuildError};
use tilewright_ir::relax::{BindingBlock, Expr};
use tilewright_relax_passes::pattern::{ExternUse, Matches, Pattern, PatternContext, rewrite_bindings};

use super::{call, integers, main_of, means_the_same, module, op, ops, with_main};

fn block(module: &IRModule) -> BindingBlock {
    main_of(module).body.blocks.into_iter().find(|block| block.dataflow).unwrap()
}

fn name(found: &Matches, pattern: &Pattern) -> Option<String> {
    found.var(pattern).map(|var| var.name.to_string())
}

/// `x * y` and `x * z` of one `x`, which are added.
const PRODUCTS: &str = r#"(x: R.Tensor((3,), "int32"), y: R.Tensor((3,), "int32"), z: R.Tensor((3,), "int32")):
        with R.dataflow():
            other = R.multiply(y, z)
            a = R.multiply(x, y)
            b = R.multiply(x, z)
            s = R.add(a, b)
            t = R.subtract(s, other)
            R.output(t)
        return t"#;

#[test]
fn roots_share_common_parts() {
    let module = module(PRODUCTS);
    let (shared, left, right) = (Pattern::wildcard(), Pattern::wildcard(), Pattern::wildcard());
    let (first, second) = (call("multiply", &[&shared, &left]), call("multiply", &[&shared, &right]));
    let mut context = PatternContext::new();
    context.add(&first);
    context.add(&second);
    let found = context.match_graph(&block(&module)).unwrap();
    assert_eq!((name(&found, &first), name(&found, &second)), (Some("a".into()), Some("b".into())));
    assert_eq!(name(&found, &shared), Some("x".into()));
    assert_eq!(context.match_all(&block(&module)).len(), 1, "no binding is in two matches");
    // Three of one factor there are not.
    let third = call("multiply", &[&shared, &Pattern::wildcard()]);
    context.add(&third);
    assert!(context.match_graph(&block(&module)).is_none());
}

#[test]
fn edges_say_who_uses_whom_and_where() {
    let module = module(PRODUCTS);
    let product = Pattern::op("multiply").unwrap();
    let sum = Pattern::op("add").unwrap();
    let at = |index| {
        let mut context = PatternContext::new();
        let product = product.dup();
        context.used_by(&product, &sum, index);
        context.match_graph(&block(&module)).and_then(|found| name(&found, &product))
    };
    assert_eq!(at(None), Some("a".into()));
    assert_eq!(at(Some(0)), Some("a".into()));
    assert_eq!(at(Some(1)), Some("b".into()));
    assert_eq!(at(Some(2)), None);
    let mut backwards = PatternContext::new();
    backwards.used_by(&sum, &product, None);
    assert!(backwards.match_graph(&block(&module)).is_none());
}

#[test]
fn only_used_by_and_outside_uses() {
    let twice = module(
        r#"(x: R.Tensor((3,), "int32")):
        with R.dataflow():
            a = R.multiply(x, x)
            b = R.add(a, x)
            c = R.subtract(a, b)
            R.output(c)
        return c"#,
    );
    let (product, sum) = (Pattern::op("multiply").unwrap(), Pattern::op("add").unwrap());
    let (mut may, mut only) = (PatternContext::new(), PatternContext::new());
    may.used_by(&product, &sum, None);
    only.only_used_by(&product, &sum, None);
    assert!(may.match_graph(&block(&twice)).is_some());
    assert!(only.match_graph(&block(&twice)).is_none(), "`c` uses `a` too");
    may.extern_use = ExternUse::MustNot;
    assert!(may.match_graph(&block(&twice)).is_none());
    may.extern_use = ExternUse::Must;
    assert!(may.match_graph(&block(&twice)).is_some());
    let once = module(PRODUCTS);
    assert!(may.match_graph(&block(&once)).is_none());
    assert!(only.match_graph(&block(&once)).is_some());
    may.extern_use = ExternUse::MustNot;
    assert!(may.match_graph(&block(&once)).is_some());
}

/// `x * y + x * z` to `x * (y + z)`.
fn distributed(module: &IRModule) -> Result<Option<IRModule>, BuildError> {
    let (x, y, z) = (Pattern::wildcard(), Pattern::wildcard(), Pattern::wildcard());
    let (first, second) = (call("multiply", &[&x, &y]), call("multiply", &[&x, &z]));
    let sum = call("add", &[&first, &second]);
    let mut context = PatternContext::new();
    context.add(&sum);
    let mut bb = BlockBuilder::with_module(module.clone());
    let rewritten = rewrite_bindings(
        &mut bb,
        &context,
        &mut |found, _| {
            let part = |pattern| found.get(pattern).cloned().unwrap();
            let inner = op("add", &[&part(&y), &part(&z)]);
            Ok(vec![(found.var(&sum).cloned().unwrap(), op("multiply", &[&part(&x), &inner]))])
        },
        &main_of(module),
    )?;
    Ok(rewritten.map(|main| with_main(module, main)))
}

#[test]
fn bindings_are_replaced_and_unused_ones_removed() {
    let before = module(PRODUCTS);
    let after = distributed(&before).unwrap().unwrap();
    assert_eq!(ops(&after), ["multiply", "add", "multiply", "subtract"]);
    means_the_same(&before, &after, &[integers(&[3], 1), integers(&[3], 2), integers(&[3], 3)]);
    assert!(distributed(&after).unwrap().is_none());
}

#[test]
fn two_new_values_may_share_a_later_binding() {
    // `a` is replaced by a value that needs `late`, which is bound after it.
    let before = module(
        r#"(x: R.Tensor((3,), "int32"), y: R.Tensor((3,), "int32")):
        with R.dataflow():
            a = R.multiply(x, y)
            late = R.add(y, y)
            b = R.multiply(x, late)
            c = R.subtract(a, b)
            R.output(c)
        return c"#,
    );
    let (x, y, z) = (Pattern::wildcard(), Pattern::wildcard(), Pattern::wildcard());
    let (first, second) = (call("multiply", &[&x, &y]), call("multiply", &[&x, &z]));
    let mut context = PatternContext::new();
    context.add(&first);
    context.add(&second);
    let mut bb = BlockBuilder::new();
    let main = rewrite_bindings(
        &mut bb,
        &context,
        &mut |found, _| {
            // x * (y + z) once, and both products from it.
            let part = |pattern| found.get(pattern).cloned().unwrap();
            let all = op("multiply", &[&part(&x), &op("add", &[&part(&y), &part(&z)])]);
            let rest = |other: &Expr| op("subtract", &[&all, &op("multiply", &[&part(&x), other])]);
            let of = |pattern| found.var(pattern).cloned().unwrap();
            Ok(vec![(of(&first), rest(&part(&z))), (of(&second), rest(&part(&y)))])
        },
        &main_of(&before),
    );
    let after = with_main(&before, main.unwrap().unwrap());
    let shared = ops(&after).iter().filter(|op| **op == "multiply").count();
    assert_eq!(shared, 3, "the common product is computed once: {:?}", ops(&after));
    means_the_same(&before, &after, &[integers(&[3], 5), integers(&[3], 6)]);
}

#[test]
fn a_value_that_needs_itself_is_an_error() {
    let before = module(PRODUCTS);
    let sum = call("add", &[&Pattern::wildcard(), &Pattern::wildcard()]);
    let mut context = PatternContext::new();
    context.add(&sum);
    let error = rewrite_bindings(
        &mut BlockBuilder::new(),
        &context,
        &mut |found, _| {
            let var = found.var(&sum).cloned().unwrap();
            Ok(vec![(var.clone(), op("nn.relu", &[&Expr::var(&var)]))])
        },
        &main_of(&before),
    );
    assert_eq!(error.unwrap_err().to_string(), "the new value of `s` needs `s` itself");
}

#[test]
fn a_rewriter_that_declines_leaves_the_function() {
    let before = module(PRODUCTS);
    let mut context = PatternContext::new();
    context.add(&Pattern::op("add").unwrap());
    let main = rewrite_bindings(&mut BlockBuilder::new(), &context, &mut |_, _| Ok(Vec::new()), &main_of(&before));
    assert!(main.unwrap().is_none());
}
