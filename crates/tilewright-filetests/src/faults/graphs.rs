//! Faults of graphs: in the bindings, the calls and the attributes of graph functions.

use tilewright::Tensor;
use tilewright::ir::node::rewrite;
use tilewright::ir::relax::{self, BindingValue, Constant};
use tilewright::ir::tir::attr_names;
use tilewright::ir::{Attr, IRModule};

use super::{first, graphs};

/// In the first call with two that differ.
pub(super) fn swapped_arguments(module: &IRModule) -> IRModule {
    first(module, swapped_call)
}

fn swapped_call(expr: &relax::Expr) -> Option<relax::Expr> {
    match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args }
            if args.len() > 1 && args[0].as_var() != args[1].as_var() =>
        {
            let mut args = args.clone();
            args.swap(0, 1);
            let (callee, attrs, sinfo_args) = (callee.clone(), attrs.clone(), sinfo_args.clone());
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Call { callee, args, attrs, sinfo_args }))
        }
        _ => None,
    }
}

/// In a call inside of a function that fusion has made.
pub(super) fn swapped_inside(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        if function.attrs.contains_key("Primitive") {
            function.body = rewrite(&function.body, swapped_call).unwrap_or_else(|| function.body.clone());
        }
    })
}

pub(super) fn no_fusion_mark(module: &IRModule) -> IRModule {
    graphs(module, |function| drop(function.attrs.remove("Primitive")))
}

/// A result that overwrites an argument overwrites another one.
pub(super) fn lost_alias(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee: relax::Callee::TirInplace { function, results }, args, attrs, sinfo_args } => {
            let results = results.iter().map(|argument| argument.map(|argument| (argument + 1) % args.len())).collect();
            let callee = relax::Callee::TirInplace { function: function.clone(), results };
            let (args, attrs, sinfo_args) = (args.clone(), attrs.clone(), sinfo_args.clone());
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Call { callee, args, attrs, sinfo_args }))
        }
        _ => None,
    })
}

pub(super) fn changed_constant(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Constant(Constant(tensor)) => {
            let mut bytes = tensor.as_bytes().ok()?.to_vec();
            // The byte with the sign and the leading exponent bits of the first element.
            *bytes.get_mut(tensor.dtype().element_bytes() - 1)? ^= 0x80;
            Tensor::from_bytes(tensor.dtype(), tensor.shape(), &bytes).ok().map(relax::Expr::constant)
        }
        _ => None,
    })
}

/// The offsets of planned tensors are all 0.
pub(super) fn overlapping_tensors(module: &IRModule) -> IRModule {
    let changed = rewrite(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args } => {
            let mut moved = attrs.clone();
            let offset = moved.get_mut("offset").filter(|offset| offset.as_int() != Some(0))?;
            *offset = Attr::Int(0);
            let (callee, args, sinfo_args) = (callee.clone(), args.clone(), sinfo_args.clone());
            let kind = relax::ExprKind::Call { callee, args, attrs: moved, sinfo_args };
            Some(relax::Expr::raw(expr.struct_info.clone(), kind))
        }
        _ => None,
    });
    changed.unwrap_or_else(|| module.clone())
}

/// In the first tuple of two fields or more.
pub(super) fn swapped_fields(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Tuple(fields) if fields.len() > 1 => {
            let mut fields = fields.clone();
            fields.swap(0, 1);
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Tuple(fields)))
        }
        _ => None,
    })
}

/// The first projection of a tuple of several fields takes the next field.
pub(super) fn another_field(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match (&expr.kind, &expr.struct_info) {
        (relax::ExprKind::TupleGet { tuple, index }, info) => match &tuple.struct_info {
            relax::StructInfo::Tuple(fields) if fields.len() > 1 => {
                let index = (index + 1) % fields.len();
                let kind = relax::ExprKind::TupleGet { tuple: tuple.clone(), index };
                Some(relax::Expr::raw(info.clone(), kind))
            }
            _ => None,
        },
        _ => None,
    })
}

/// The first shape that is a value and has two dimensions or more begins with its second.
pub(super) fn another_dimension(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Shape(dims) if dims.len() > 1 => {
            let mut dims = dims.clone();
            dims[0] = dims[1].clone();
            Some(relax::Expr::raw(expr.struct_info.clone(), relax::ExprKind::Shape(dims)))
        }
        _ => None,
    })
}

/// The first view begins four bytes late.
pub(super) fn shifted_view(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args } => {
            let mut shifted = attrs.clone();
            *shifted.get_mut("relative_byte_offset")? = Attr::Int(4);
            let (callee, args, sinfo_args) = (callee.clone(), args.clone(), sinfo_args.clone());
            let kind = relax::ExprKind::Call { callee, args, attrs: shifted, sinfo_args };
            Some(relax::Expr::raw(expr.struct_info.clone(), kind))
        }
        _ => None,
    })
}

/// The first number that is read of a heap is read from the next slot.
pub(super) fn another_slot(module: &IRModule) -> IRModule {
    first(module, |expr: &relax::Expr| match &expr.kind {
        relax::ExprKind::Call { callee, args, attrs, sinfo_args } => {
            let mut moved = attrs.clone();
            let slot = moved.get_mut("slot")?;
            *slot = Attr::Int(slot.as_int()? + 1);
            let (callee, args, sinfo_args) = (callee.clone(), args.clone(), sinfo_args.clone());
            let kind = relax::ExprKind::Call { callee, args, attrs: moved, sinfo_args };
            Some(relax::Expr::raw(expr.struct_info.clone(), kind))
        }
        _ => None,
    })
}

/// The last value whose sizes are matched is not.
pub(super) fn dropped_match(module: &IRModule) -> IRModule {
    use tilewright::ir::op::{Builtin, Legalize, MachineOp};
    let matches = |value: &BindingValue| match value {
        BindingValue::Expr(value) => match &value.kind {
            relax::ExprKind::Call { callee: relax::Callee::Op(op), .. } => {
                matches!(op.legalize, Legalize::Machine(MachineOp::Builtin(Builtin::MatchShape)))
            }
            _ => false,
        },
        BindingValue::MatchCast { .. } => false,
    };
    graphs(module, |function| {
        for block in function.body.blocks.iter_mut().rev() {
            if let Some(at) = block.bindings.iter().rposition(|binding| matches(&binding.value)) {
                block.bindings.remove(at);
                return;
            }
        }
    })
}

/// No block is one of dataflow, and no variable is hidden in one.
pub(super) fn still_plain(module: &IRModule) -> IRModule {
    let shown = |var: &relax::Var| var.dataflow.then(|| relax::Var::new(var.name.clone(), var.struct_info.clone()));
    let module = rewrite(module, shown).unwrap_or_else(|| module.clone());
    graphs(&module, |function| function.body.blocks.iter_mut().for_each(|block| block.dataflow = false))
}

/// The first two of the last block.
pub(super) fn swapped_bindings(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        if let Some(block) = function.body.blocks.last_mut().filter(|block| block.bindings.len() > 1) {
            block.bindings.swap(0, 1);
        }
    })
}

/// The last call is not made any more.
pub(super) fn dropped_binding(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        let bindings = function.body.blocks.iter_mut().rev().map(|block| &mut block.bindings);
        for bindings in bindings {
            let is_call = |value: &BindingValue| matches!(value, BindingValue::Expr(e) if matches!(e.kind, relax::ExprKind::Call { .. }));
            if let Some(at) = bindings.iter().rposition(|binding| is_call(&binding.value)) {
                bindings.remove(at);
                return;
            }
        }
    })
}

/// Every check is only another name.
pub(super) fn dropped_cast(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        for binding in function.body.blocks.iter_mut().flat_map(|block| &mut block.bindings) {
            if let BindingValue::MatchCast { value, .. } = &binding.value {
                binding.value = BindingValue::Expr(value.clone());
            }
        }
    })
}

/// The first tensor that dies does so one binding earlier.
pub(super) fn early_kill(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        for block in &mut function.body.blocks {
            let kills = |binding: &relax::Binding| matches!(&binding.value, BindingValue::Expr(e) if is_kill(e));
            if let Some(at) = block.bindings.iter().position(kills).filter(|at| *at > 0) {
                return block.bindings.swap(at - 1, at);
            }
        }
    })
}

fn is_kill(value: &relax::Expr) -> bool {
    use tilewright::ir::op::{Legalize, MachineOp};
    let relax::ExprKind::Call { callee: relax::Callee::Op(op), .. } = &value.kind else { return false };
    matches!(op.legalize, Legalize::Machine(MachineOp::Kill))
}

pub(super) fn still_pure(module: &IRModule) -> IRModule {
    graphs(module, |function| function.pure = true)
}

pub(super) fn lost_symbol(module: &IRModule) -> IRModule {
    graphs(module, |function| drop(function.attrs.remove(attr_names::GLOBAL_SYMBOL)))
}

pub(super) fn still_dataflow(module: &IRModule) -> IRModule {
    graphs(module, |function| {
        if let Some(block) = function.body.blocks.first_mut() {
            block.dataflow = true;
        }
    })
}
