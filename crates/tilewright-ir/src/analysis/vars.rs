//! Variables of graphs: which there are, what they are bound to, and where they are used.

use std::sync::Arc;

use tilewright_expr::ForeignCallee;
use tilewright_expr::node::{AnyHandle, IrNode, VarId, Visitor, walk};
use tilewright_support::{OrderedMap, Set, with_stack};

use crate::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, Var,
};

/// The variables that are used in `root` (a function, a sequence, an expression) and bound outside of it. Each once.
pub fn free_vars<N: IrNode>(root: &N) -> Vec<Var> {
    let bound: Set<VarId> = bound_vars(root).iter().map(Var::id).collect();
    all_vars(root).into_iter().filter(|var| !bound.contains(&var.id())).collect()
}

/// The variables that are bound in `root`, by bindings and as parameters. Each once.
pub fn bound_vars<N: IrNode>(root: &N) -> Vec<Var> {
    let mut found = Vec::new();
    each_definition(root, &mut |definition| match definition {
        Definition::Params(params) => found.extend(params.iter().cloned()),
        Definition::Binding(binding) => found.push(binding.var.clone()),
    });
    once(found)
}

/// The variables that occur in `root`, bound or used. Each once.
pub fn all_vars<N: IrNode>(root: &N) -> Vec<Var> {
    let mut found = Vec::new();
    walk(root, |var: &Var| found.push(var.clone()));
    once(found)
}

/// The variables whose values are used in `root`, wherever they are bound. Each once.
pub fn used_vars<N: IrNode>(root: &N) -> Vec<Var> {
    let mut found = Vec::new();
    walk(root, |expr: &Expr| found.extend(expr.as_var().cloned()));
    once(found)
}

/// The symbolic dimensions that `root` defines: by parameters, and by casts that match. Each once.
pub fn defined_symbolic_vars<N: IrNode>(root: &N) -> Vec<tilewright_expr::Var> {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    each_definition(root, &mut |definition| {
        let infos: Vec<&StructInfo> = match &definition {
            Definition::Params(params) => params.iter().map(|param| &param.struct_info).collect(),
            Definition::Binding(Binding { value: BindingValue::MatchCast { struct_info, .. }, .. }) => {
                vec![struct_info]
            }
            Definition::Binding(_) => Vec::new(),
        };
        let dims = infos.into_iter().flat_map(super::definable_dims);
        found.extend(dims.filter(|dim| seen.insert(dim.id())).cloned());
    });
    found
}

/// The symbolic dimensions that `root` uses and does not define. Each once.
pub fn free_symbolic_vars<N: IrNode>(root: &N) -> Vec<tilewright_expr::Var> {
    let mut seen: Set<VarId> = defined_symbolic_vars(root).iter().map(tilewright_expr::Var::id).collect();
    let mut found = Vec::new();
    walk(root, |var: &tilewright_expr::Var| {
        if seen.insert(var.id()) {
            found.push(var.clone());
        }
    });
    found
}

/// The functions of the module that `root` names. Each once.
pub fn all_global_vars<N: IrNode>(root: &N) -> Vec<GlobalVar> {
    let mut found: OrderedMap<Arc<str>, GlobalVar> = OrderedMap::default();
    let mut note = |global: &GlobalVar| {
        found.entry(global.name.clone()).or_insert_with(|| global.clone());
    };
    walk(root, |expr: &Expr| match &expr.kind {
        ExprKind::GlobalVar(global)
        | ExprKind::Call { callee: Callee::Tir(global) | Callee::TirInplace { function: global, .. }, .. } => {
            note(global);
        }
        _ => {}
    });
    walk(root, |expr: &tilewright_expr::Expr| {
        if let tilewright_expr::ExprKind::Foreign { callee: ForeignCallee::Function(name), .. } = &expr.kind {
            let called = || GlobalVar { name: name.clone(), signature: StructInfo::Object };
            found.entry(name.clone()).or_insert_with(called);
        }
    });
    found.into_values().collect()
}

/// The names of the functions of the module that `root` names. Each once.
pub fn used_global_vars<N: IrNode>(root: &N) -> Vec<Arc<str>> {
    all_global_vars(root).into_iter().map(|global| global.name).collect()
}

fn once(vars: Vec<Var>) -> Vec<Var> {
    let mut seen = Set::default();
    vars.into_iter().filter(|var| seen.insert(var.id())).collect()
}

/// The bound value of each variable of the function, closures and branches included; of a `match_cast` the operand.
pub fn var_to_value(function: &Function) -> OrderedMap<Var, Expr> {
    let mut found = OrderedMap::default();
    each_binding(&function.body, &mut |binding| {
        found.insert(binding.var.clone(), value_of(binding).clone());
    });
    found
}

/// The bindings of the function by the names of their variables.
pub fn name_to_binding(function: &Function) -> OrderedMap<Arc<str>, Vec<Binding>> {
    let mut found: OrderedMap<Arc<str>, Vec<Binding>> = OrderedMap::default();
    each_binding(&function.body, &mut |binding| {
        found.entry(binding.var.name.clone()).or_default().push(binding.clone());
    });
    found
}

/// Of each variable that the block uses or binds the variables whose bindings use it, and which variables leave it.
pub fn udchain(block: &BindingBlock) -> UseChain {
    let mut chain = UseChain::default();
    for binding in &block.bindings {
        chain.users.entry(binding.var.clone()).or_default();
        walk(&binding.value, |var: &Var| {
            let users = chain.users.entry(var.clone()).or_default();
            if users.last() != Some(&binding.var) {
                users.push(binding.var.clone());
            }
        });
        if !binding.var.dataflow {
            chain.outputs.push(binding.var.clone());
        }
    }
    chain
}

/// The answer of [`udchain`].
#[derive(Clone, Debug, Default)]
pub struct UseChain {
    /// The users of each variable, in the order of the text.
    pub users: OrderedMap<Var, Vec<Var>>,
    /// The outputs of the block.
    pub outputs: Vec<Var>,
}

/// The function without unused bindings without effects, in blocks of both kinds, branches and closures.
pub fn remove_all_unused(function: &Function) -> Function {
    let mut needed = Set::default();
    let body = without_unused(&function.body, &mut needed);
    Function { body, ..function.clone() }
}

/// Goes through the sequence from its end: a binding is needed where something needed uses it, or where it has an
/// effect.
fn without_unused(seq: &SeqExpr, needed: &mut Set<VarId>) -> SeqExpr {
    need(&seq.result, needed);
    let mut blocks: Vec<BindingBlock> = Vec::new();
    for block in seq.blocks.iter().rev() {
        let mut kept = Vec::new();
        for binding in block.bindings.iter().rev() {
            if !needed.contains(&binding.var.id()) && may_be_dropped(binding) {
                continue;
            }
            let binding = inside_without_unused(binding, needed);
            need(&binding.value, needed);
            kept.push(binding);
        }
        if !kept.is_empty() {
            kept.reverse();
            blocks.push(BindingBlock { dataflow: block.dataflow, bindings: kept });
        }
    }
    blocks.reverse();
    SeqExpr { blocks, result: seq.result.clone() }
}

fn need<N: IrNode>(node: &N, needed: &mut Set<VarId>) {
    walk(node, |var: &Var| {
        needed.insert(var.id());
    });
}

/// A `match_cast` stops the program where it does not hold, and may define dimensions: it stays.
fn may_be_dropped(binding: &Binding) -> bool {
    match &binding.value {
        BindingValue::Expr(value) => super::effects::find_impure_call(value).is_none(),
        BindingValue::MatchCast { .. } => false,
    }
}

fn inside_without_unused(binding: &Binding, needed: &mut Set<VarId>) -> Binding {
    let BindingValue::Expr(value) = &binding.value else { return binding.clone() };
    let kind = match &value.kind {
        ExprKind::If { condition, then, otherwise } => {
            let then = with_stack(|| without_unused(then, needed));
            let otherwise = with_stack(|| without_unused(otherwise, needed));
            ExprKind::If { condition: condition.clone(), then, otherwise }
        }
        ExprKind::Function(function) => {
            let body = with_stack(|| without_unused(&function.body, needed));
            ExprKind::Function(Box::new(Function { body, ..(**function).clone() }))
        }
        _ => return binding.clone(),
    };
    let value = Expr::raw(value.struct_info.clone(), kind);
    Binding { value: BindingValue::Expr(value), ..binding.clone() }
}

/// The value of a binding, cast or not.
pub fn value_of(binding: &Binding) -> &Expr {
    match &binding.value {
        BindingValue::Expr(value) | BindingValue::MatchCast { value, .. } => value,
    }
}

/// Calls `f` for each binding of the sequence, in the order of the text, those in branches and closures before the one
/// that holds them.
pub fn each_binding(seq: &SeqExpr, f: &mut dyn FnMut(&Binding)) {
    each_definition(seq, &mut |definition| {
        if let Definition::Binding(binding) = definition {
            f(binding);
        }
    });
}

/// The definitions of variables.
enum Definition<'d> {
    Params(&'d [Var]),
    Binding(&'d Binding),
}

/// Calls `f` for the parameters of each function and each binding in a node.
fn each_definition<N: IrNode>(root: &N, f: &mut dyn FnMut(Definition<'_>)) {
    let mut finder = Finder { seen: Set::default(), f };
    let any: &dyn std::any::Any = root;
    if let Some(function) = any.downcast_ref::<Function>() {
        finder.function(function);
    } else if let Some(seq) = any.downcast_ref::<SeqExpr>() {
        finder.seq(seq);
    } else if let Some(block) = any.downcast_ref::<BindingBlock>() {
        finder.block(block);
    } else {
        root.visit_children(&mut finder);
    }
}

struct Finder<'f> {
    seen: Set<usize>,
    f: &'f mut dyn FnMut(Definition<'_>),
}

impl Finder<'_> {
    fn function(&mut self, function: &Function) {
        (self.f)(Definition::Params(&function.params));
        self.seq(&function.body);
    }

    fn seq(&mut self, seq: &SeqExpr) {
        seq.blocks.iter().for_each(|block| self.block(block));
        seq.result.visit_children(self);
    }

    fn block(&mut self, block: &BindingBlock) {
        for binding in &block.bindings {
            binding.value.visit_children(self);
            (self.f)(Definition::Binding(binding));
        }
    }
}

impl Visitor for Finder<'_> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        let Some(expr) = node.downcast::<Expr>() else { return };
        if node.is_shared() && !self.seen.insert(node.address()) {
            return;
        }
        with_stack(|| match &expr.kind {
            ExprKind::If { condition, then, otherwise } => {
                condition.visit_children(self);
                self.seq(then);
                self.seq(otherwise);
            }
            ExprKind::Function(function) => self.function(function),
            _ => node.visit_inside(self),
        });
    }
}
