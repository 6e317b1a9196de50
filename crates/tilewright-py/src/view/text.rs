//! Nodes as text.

use std::sync::Arc;

use tilewright::arith::Analyzer;
use tilewright::expr::Expr;
use tilewright::ir::relax::BindingBlock;
use tilewright::script::print::{self, PrintOptions};

use super::Node;
use crate::structure;

/// A node as TVMScript; what is no expression, statement or function of the script is written as its constructor.
pub(crate) fn script(node: &Node, options: &PrintOptions) -> String {
    let ranges = |ranges: &[tilewright::expr::Range]| {
        let each = |range: &tilewright::expr::Range| match range.extent.as_int() {
            Some(1) => print::print_expr(&range.min),
            _ => {
                let end = Expr::binary(tilewright::expr::BinOp::Add, &range.min, &range.extent);
                let end = end.map_or_else(|_| range.extent.clone(), |end| Analyzer::new().simplify(&end));
                format!("{}:{}", print::print_expr(&range.min), print::print_expr(&end))
            }
        };
        ranges.iter().map(each).collect::<Vec<_>>().join(", ")
    };
    match node {
        Node::Binding(binding) => {
            let block = BindingBlock { dataflow: false, bindings: vec![(**binding).clone()] };
            script(&Node::BindingBlock(Arc::new(block)), options)
        }
        Node::Scalar(_)
        | Node::Stmt(_)
        | Node::PrimFunc(..)
        | Node::Function(..)
        | Node::Info(_)
        | Node::Relax(_)
        | Node::BindingBlock(_)
        | Node::Block(_)
        | Node::Range(_)
        | Node::IterVar(_)
        | Node::MatchBuffer(_)
        | Node::Seq(_) => print::print_node(&structure::saved_node(node), options).trim_end_matches('\n').to_owned(),
        Node::Buffer(_) | Node::Region(_) if options.verbose_expr => {
            print::print_node(&structure::saved_node(node), options).trim_end_matches('\n').to_owned()
        }
        Node::Buffer(buffer) => buffer.name.to_string(),
        Node::Region(region) => format!("{}[{}]", region.buffer.name, ranges(&region.region)),
        Node::VDevice(device) => {
            format!("I.vdevice(\"{}\", {}, \"{}\")", device.target, device.id, device.memory_scope)
        }
        Node::DummyInfo => "I.dummy_global_info()".to_owned(),
        Node::Arith(arith) => super::arith::text(arith),
        Node::Te(part) => super::te::text(part),
        Node::Op(name) => format!("{}.Op(\"{name}\")", options.prefixes.ir),
    }
}
