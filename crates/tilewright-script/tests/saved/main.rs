//! Saving, loading, equality and hash of random modules.
//!
//! `UPDATE_EXPECT=1` writes the corpus of `tilewright-ir`'s `json_fuzz` anew.

#[path = "../random/mod.rs"]
mod random;

use std::path::Path as FilePath;

use tilewright_expr::node::{AnyHandle, EqCx, IrNode, Mapper, Path, Step, walk_some};
use tilewright_expr::{Expr, ExprKind};
use tilewright_ir::IRModule;
use tilewright_ir::json::{Node, load, save};
use tilewright_ir::op::OpTable;
use tilewright_ir::relax;
use tilewright_ir::verify::{Form, verify};
use tilewright_script::print::{Marks, PrintOptions, Target, mismatch_report, print_module, print_node};
use tilewright_tensor::DataType;

use random::Generator;

const MODULES: u64 = 300;

fn read(text: &str) -> Node {
    load(text.as_bytes(), OpTable(tilewright_ops::lookup)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn modules(seed: u64) -> impl Iterator<Item = IRModule> {
    (0..MODULES).map(move |number| Generator::new(seed + number).module())
}

#[test]
fn saved_ir_is_loaded_unchanged() {
    for module in modules(1) {
        assert!(verify(&module, Form::Any).is_ok(), "{}", verify(&module, Form::Any).unwrap_err());
        let node = Node::from(module.clone());
        let text = save(&node);
        let back = read(&text);
        assert_eq!(node.compare(&back), Ok(()), "{text}");
        assert_eq!(node.structural_hash(), back.structural_hash(), "{text}");
        assert_eq!(save(&back), text);
        let options = PrintOptions { show_meta: true, ..PrintOptions::default() };
        assert_eq!(print_node(&back, &options), print_module(&module, &options));
        assert_eq!(nodes(&back), nodes(&node), "as many nodes, each shared as often");
    }
}

/// How many nodes there are, and how many are met more than once.
fn nodes(node: &Node) -> (usize, usize) {
    struct Count {
        met: std::collections::BTreeMap<usize, usize>,
    }
    impl tilewright_expr::node::Visitor for Count {
        fn visit(&mut self, node: &dyn AnyHandle) {
            let times = self.met.entry(node.address()).or_default();
            *times += 1;
            if *times == 1 {
                node.visit_inside(self);
            }
        }
    }
    let mut count = Count { met: std::collections::BTreeMap::new() };
    node.visit_children(&mut count);
    (count.met.len(), count.met.values().filter(|times| **times > 1).count())
}

#[test]
fn pieces_are_saved_by_themselves() {
    for module in modules(1_000).take(60) {
        let mut pieces = Vec::new();
        walk_some(&module, |handle| {
            pieces.extend(handle.downcast::<Expr>().map(|expr| Node::Scalar(expr.clone())));
            pieces.extend(handle.downcast::<relax::Expr>().map(|expr| Node::Relax(expr.clone())));
            pieces.extend(handle.downcast::<tilewright_ir::tir::Stmt>().map(|stmt| Node::Stmt(stmt.clone())));
            pieces.extend(handle.downcast::<relax::Var>().map(|var| Node::Info(var.struct_info.clone())));
            true
        });
        for piece in pieces.iter().step_by(7) {
            let text = save(piece);
            assert_eq!(save(&read(&text)), text);
        }
    }
}

/// The way to each scalar constant of a module, by parts, where nothing on it is shared.
fn constants(root: &dyn IrNode) -> Vec<(Path, usize)> {
    fn go(part: &dyn IrNode, path: &mut Vec<Step>, found: &mut Vec<(Path, usize)>) {
        if let Some(handle) = part.as_handle() {
            if let Some(expr) = handle.downcast::<Expr>()
                && matches!(expr.kind, ExprKind::Int(_))
            {
                found.push((Path(path.clone()), handle.address()));
                return;
            }
            // A variable is compared where it is bound, which is not always its first occurrence.
            let is_variable = handle.downcast::<relax::Var>().is_some()
                || handle.downcast::<tilewright_expr::Buffer>().is_some()
                || handle.downcast::<tilewright_expr::Var>().is_some();
            if is_variable || handle.is_shared() {
                return;
            }
        }
        let mut parts = Vec::new();
        part.parts(&mut |step, part| parts.push((step, part)));
        for (step, part) in parts {
            path.push(step);
            go(part, path, found);
            path.pop();
        }
    }
    let mut found = Vec::new();
    go(root, &mut Vec::new(), &mut found);
    found
}

/// Replaces the node at an address.
struct Replace {
    address: usize,
    by: Expr,
    times: usize,
}

impl Mapper for Replace {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if node.address() == self.address {
            self.times += 1;
            return Some(Box::new(self.by.clone()));
        }
        // A node with identity is replaced with all of its uses, or not at all.
        let by_identity = node.downcast::<Expr>().is_none()
            && node.downcast::<relax::Expr>().is_none()
            && node.downcast::<tilewright_ir::tir::Stmt>().is_none();
        if by_identity { None } else { node.map_inside(self) }
    }
}

#[test]
fn a_changed_node_is_found_at_its_place() {
    let mut planted = 0;
    for module in modules(2_000).take(100) {
        let node = Node::from(module.clone());
        for (path, address) in constants(&module) {
            let (nodes, _) = path.follow(&module);
            let Some(handle) = nodes.last().and_then(|node| node.as_handle()) else { panic!("{path} leads nowhere") };
            let Some(old) = handle.downcast::<Expr>().cloned() else { panic!("{path} leads elsewhere") };
            let value = old.as_int().unwrap_or_default();
            let by = Expr::int(if value == 0 { 1 } else { 0 }, old.dtype);
            let mut replace = Replace { address, by, times: 0 };
            let Some(changed) = module.map_children(&mut replace) else { continue };
            if replace.times > 1 {
                continue;
            }
            planted += 1;
            let changed = Node::from(changed);
            let mismatch = node.compare(&changed).expect_err("a change that is not found");
            assert_eq!(mismatch.left, path.then(Step::field("value")), "{}", mismatch.right);
            assert_eq!(mismatch.right, mismatch.left);
            if planted % 50 == 0 {
                let report = mismatch_report(&node, &changed, &mismatch);
                assert!(report.lines().any(|line| line.trim_start().starts_with('^')), "{report}");
            }
        }
    }
    assert!(planted > 500, "only {planted} changes were planted");
}

#[test]
fn every_part_may_be_underlined() {
    for module in modules(3_000).take(10) {
        let plain = print_module(&module, &PrintOptions::default());
        for (path, _) in constants(&module).into_iter().take(40) {
            let marks = Marks { underline: vec![Target::Path(path)], ..Marks::default() };
            let text = print_module(&module, &PrintOptions { marks, ..PrintOptions::default() });
            let is_caret = |line: &&str| !line.is_empty() && line.trim_start().chars().all(|c| c == '^' || c == ' ');
            let rest: Vec<&str> = text.lines().filter(|line| line.trim().is_empty() || !is_caret(line)).collect();
            assert_eq!(rest, plain.lines().collect::<Vec<_>>());
        }
    }
}

#[test]
fn other_modules_are_unequal() {
    let all: Vec<(IRModule, String)> =
        modules(4_000).take(60).map(|module| (module.clone(), save(&module.into()))).collect();
    for ((a, text_a), (b, text_b)) in all.iter().zip(all.iter().skip(1)) {
        assert!(text_a == text_b || EqCx::compare(a, b).is_err());
    }
}

/// The corpus that damaged texts are made from.
#[test]
fn the_corpus_is_that_of_the_generator() {
    if std::env::var_os("UPDATE_EXPECT").is_none() {
        return;
    }
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../tilewright-ir/tests/json_fuzz/corpus");
    let mut written = 0;
    for module in modules(5_000) {
        let text = save(&Node::from(module));
        if text.len() < 12_000 {
            std::fs::write(folder.join(format!("module_{written:02}.json")), text).unwrap();
            written += 1;
        }
        if written == 16 {
            break;
        }
    }
    let tensor = tilewright_tensor::Tensor::from_vec(&[2, 3], vec![1i8, -2, 3, 4, 5, 6]).unwrap();
    let nodes = [
        Node::Relax(relax::Expr::constant(tensor)),
        Node::Info(relax::StructInfo::tensor_of(&[2, 3], DataType::F32)),
        Node::List(vec![Node::Scalar(Expr::i64(2)), Node::Attr(tilewright_ir::Attr::None)]),
    ];
    for (number, node) in nodes.iter().enumerate() {
        std::fs::write(folder.join(format!("piece_{number}.json")), save(node)).unwrap();
    }
}
