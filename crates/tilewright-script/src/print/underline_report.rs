//! Any piece of IR as text, and the report of where two pieces differ.

use std::fmt::Write;

use tilewright_expr::node::{IrNode, Mismatch, Path, Saver};
use tilewright_ir::json::{self, Node};
use tilewright_ir::relax::{Expr as GraphExpr, ExprKind};
use tilewright_ir::tir::{Buffer, Expr, Stmt, Var};

use super::underline::{Marks, Target};
use super::{
    Namespace, PrintOptions, Printer, print_expr, print_function, print_graph_expr, print_module, print_prim_func,
};

/// Texts of more lines are shown only around the difference.
const LONG: usize = 60;
/// The maximum number of lines shown of them.
const CONTEXT: usize = 8;

/// Any piece of IR as text. Paths of marks begin at the piece.
pub fn print_node(node: &Node, options: &PrintOptions) -> String {
    match node {
        Node::Module(module) => print_module(module, options),
        Node::PrimFunc { name, function } => print_prim_func(name, function, options),
        Node::Function { name, function } => print_function(name, function, options),
        _ => print_part(node, options),
    }
}

fn print_part(node: &Node, options: &PrintOptions) -> String {
    let mut p = Printer::of(options, node.solid().unwrap_or(node));
    let graph_level = !matches!(
        node,
        Node::Scalar(_)
            | Node::Var(_)
            | Node::Range(_)
            | Node::IterVar(_)
            | Node::Buffer(_)
            | Node::Region(_)
            | Node::MatchBuffer(_)
            | Node::Stmt(_)
            | Node::Block(_)
    );
    p.graph_level = graph_level;
    p.without_module = true;
    let statement =
        matches!(node, Node::Stmt(_) | Node::Block(_) | Node::MatchBuffer(_) | Node::BindingBlock(_) | Node::Seq(_));
    if statement || options.verbose_expr {
        p.declare_free(node);
        if !statement {
            p.doc.line();
        }
    }
    match node {
        Node::Scalar(expr) => p.scalar(expr),
        Node::Var(var) => p.variable(var),
        Node::Range(range) => {
            p.qualified(Namespace::Module, "Range");
            p.range_arguments(range);
        }
        Node::Buffer(buffer) if options.verbose_expr => {
            let name = p.buffer(buffer);
            p.doc.text(&name);
        }
        Node::Block(block) => p.block_alone(block),
        Node::IterVar(iter) => p.iter_var(iter),
        Node::Buffer(buffer) => {
            p.qualified(Namespace::Tir, "Buffer");
            p.doc.open("(");
            p.buffer_details(buffer, super::buffers::DefaultDType::Written);
            p.doc.close(")");
        }
        Node::Region(region) => p.region(region),
        Node::MatchBuffer(matched) => p.matched_region(matched),
        Node::Stmt(stmt) => p.statement_alone(stmt),
        Node::Info(info) => p.info(info),
        Node::Relax(expr) => match &expr.kind {
            ExprKind::GlobalVar(global) => {
                p.qualified(Namespace::Module, "GlobalVar");
                p.doc.write(format_args!("(\"{}\")", global.name));
            }
            _ => p.graph(expr),
        },
        Node::GraphVar(var) => {
            let name = p.graph_name(var);
            p.doc.text(&name);
        }
        Node::BindingBlock(block) => p.binding_blocks(std::slice::from_ref(block)),
        Node::Seq(seq) => {
            p.binding_blocks(&seq.blocks);
            p.doc.line();
            p.graph(&seq.result);
        }
        Node::Attr(attr) => p.attr(Namespace::Relax, attr),
        Node::List(items) => {
            let texts: Vec<_> = items.iter().map(|item| print_node(item, &PrintOptions::default())).collect();
            return texts.join("\n");
        }
        Node::Op(name) => p.doc.text(name),
        other => return json::save(other),
    }
    p.marked_text().trim_start_matches('\n').to_owned()
}

/// The first difference of two pieces of IR: the path in each, the values there, and the text with that underlined.
pub fn mismatch_report(left: &Node, right: &Node, mismatch: &Mismatch) -> String {
    let mut report = String::from("StructuralEqual check failed, caused by lhs at ");
    side(&mut report, left, &mismatch.left);
    report.push_str("\nand rhs at ");
    side(&mut report, right, &mismatch.right);
    report
}

fn side(report: &mut String, node: &Node, path: &Path) {
    let _ = write!(report, "{path}");
    let value = value_at(node, path);
    if !value.is_empty() {
        let _ = write!(report, ", {value}");
    }
    let mut marks = Marks { underline: vec![Target::Path(path.clone())], ..Marks::default() };
    let print = |marks: Marks| print_node(node, &PrintOptions { marks, ..PrintOptions::default() });
    let mut text = print(marks.clone());
    if text.lines().count() > LONG {
        marks.context_lines = Some(CONTEXT);
        text = print(marks);
    }
    let _ = write!(report, ":\n{}", text.trim_matches('\n'));
}

/// The value at the end of a path, in short: empty if the underlined text shows it better.
fn value_at(node: &Node, path: &Path) -> String {
    let (nodes, found) = path.follow(node);
    let (true, Some(part)) = (found, nodes.last()) else {
        return "where there is nothing".to_owned();
    };
    if let Some(handle) = part.as_handle() {
        let text = match handle.downcast::<Expr>() {
            Some(expr) => print_expr(expr),
            None if handle.downcast::<Stmt>().is_some() => return String::new(),
            None => match (handle.downcast::<GraphExpr>(), handle.downcast::<Buffer>(), handle.downcast::<Var>()) {
                (Some(expr), ..) => print_graph_expr(expr),
                (_, Some(buffer), _) => buffer.name.to_string(),
                (_, _, Some(var)) => format!("{}: {}", var.name, var.dtype),
                _ => return String::new(),
            },
        };
        return if text.lines().count() == 1 && text.len() <= 80 { format!("`{text}`") } else { String::new() };
    }
    let mut is_leaf = true;
    part.parts(&mut |_, _| is_leaf = false);
    let text = if is_leaf { Saver::text_of(*part) } else { String::new() };
    if text.len() <= 80 { text } else { String::new() }
}
