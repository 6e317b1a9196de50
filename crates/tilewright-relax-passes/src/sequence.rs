//! Walking and rebuilding the bindings of Relax functions.

use tilewright_expr::node::rewrite;
use tilewright_ir::op::InferError;
use tilewright_ir::pass::PassError;
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Expr, ExprKind, Function, SeqExpr, StructInfo, Var};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Diagnostics, Origins, with_stack};

/// Gives the diagnostic the origin of a binding or function, if it has none; of several lines the first.
pub(crate) fn located(diagnostic: Diagnostic, origins: &Origins) -> Diagnostic {
    match (&diagnostic.span, origins.headline().first()) {
        (None, Some(span)) => diagnostic.at(span.clone()),
        _ => diagnostic,
    }
}

/// An internal error.
pub(crate) fn defect(error: &InferError) -> Diagnostic {
    Diagnostic::error("TW0604", format!("the compiler made a mistake: {error}"))
        .note("this is a defect of Tilewright: please report it with the module")
}

/// The module with each Relax function replaced by what `f` makes of it. All errors are reported, not only the first.
pub(crate) fn map_functions(
    pass: &'static str,
    module: &IRModule,
    mut f: impl FnMut(&Function, &mut Diagnostics) -> Function,
) -> Result<IRModule, PassError> {
    let mut diagnostics = Diagnostics::default();
    let mut mapped = module.clone();
    for (name, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function {
            mapped.insert(name.clone(), f(function, &mut diagnostics));
        }
    }
    if diagnostics.has_errors() { Err(PassError { pass, diagnostics }) } else { Ok(mapped) }
}

/// The module with references to functions that say what the functions now say of themselves.
pub(crate) fn with_renewed_references(pass: &'static str, module: &IRModule) -> Result<IRModule, PassError> {
    let renewed = |expr: &Expr| match &expr.kind {
        ExprKind::GlobalVar(global) => module.global_var(&global.name).map(|global| Expr::global(&global)),
        _ => None,
    };
    map_functions(pass, module, |function, _| rewrite(function, renewed).unwrap_or_else(|| function.clone()))
}

/// A pass over the bindings of a sequence.
pub(crate) trait Rebuild {
    /// Adds the replacement of the binding to `out`. Sequences inside its value are rebuilt already.
    fn binding(&mut self, binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>>;

    /// Whether a dataflow block stays one.
    fn keeps_dataflow(&self) -> bool {
        true
    }
}

/// Emits the bindings that replace one binding.
pub(crate) struct Emitter<'o> {
    pub(crate) dataflow: bool,
    pub(crate) origins: &'o Origins,
    pub(crate) out: &'o mut Vec<Binding>,
}

impl Emitter<'_> {
    /// A new variable of the value.
    pub(crate) fn bind(&mut self, value: Expr) -> Expr {
        let var = self.var(if self.dataflow { "lv" } else { "gv" }, &value.struct_info);
        self.out.push(Binding::new(var.clone(), value, self.origins.clone()));
        Expr::var(&var)
    }

    /// A variable of this name, checked when the program runs: the value has to have the struct info.
    pub(crate) fn match_cast(&mut self, name: String, value: Expr, struct_info: StructInfo) -> Expr {
        let var = self.var(name, &struct_info);
        let value = BindingValue::MatchCast { value, struct_info };
        self.out.push(Binding { var: var.clone(), value, origins: self.origins.clone() });
        Expr::var(&var)
    }

    fn var(&self, name: impl Into<std::sync::Arc<str>>, info: &StructInfo) -> Var {
        if self.dataflow { Var::dataflow(name, info.clone()) } else { Var::new(name, info.clone()) }
    }
}

/// The sequence rebuilt, sequences inside it first; empty blocks vanish, plain neighbours become one block.
pub(crate) fn rebuild(seq: &SeqExpr, how: &mut dyn Rebuild, diagnostics: &mut Diagnostics) -> SeqExpr {
    let mut blocks: Vec<BindingBlock> = Vec::new();
    for block in &seq.blocks {
        let mut bindings = Vec::new();
        for binding in &block.bindings {
            let mut binding = binding.clone();
            match &mut binding.value {
                BindingValue::Expr(value) | BindingValue::MatchCast { value, .. } => {
                    if let Some(inside) = rebuild_inside(value, how, diagnostics) {
                        *value = inside;
                    }
                }
            }
            let origins = binding.origins.clone();
            if let Err(error) = how.binding(binding, block.dataflow, &mut bindings) {
                diagnostics.push(located(*error, &origins));
            }
        }
        push_block(&mut blocks, BindingBlock { dataflow: block.dataflow && how.keeps_dataflow(), bindings });
    }
    SeqExpr { blocks, result: seq.result.clone() }
}

/// Adds a block, unless it is empty; adjacent plain blocks are merged.
pub(crate) fn push_block(blocks: &mut Vec<BindingBlock>, block: BindingBlock) {
    match blocks.last_mut() {
        _ if block.bindings.is_empty() => {}
        Some(last) if !last.dataflow && !block.dataflow => last.bindings.extend(block.bindings),
        _ => blocks.push(block),
    }
}

/// The expression with the sequences in it rebuilt: branches, and bodies of functions.
fn rebuild_inside(value: &Expr, how: &mut dyn Rebuild, diagnostics: &mut Diagnostics) -> Option<Expr> {
    map_inside(value, &mut |seq| rebuild(seq, how, diagnostics))
}

/// The expression with others for the sequences right inside it: branches, and bodies of functions. Nothing where it
/// holds none.
pub(crate) fn map_inside(value: &Expr, f: &mut dyn FnMut(&SeqExpr) -> SeqExpr) -> Option<Expr> {
    let kind = match &value.kind {
        ExprKind::If { condition, then, otherwise } => {
            let (then, otherwise) = with_stack(|| (f(then), f(otherwise)));
            ExprKind::If { condition: condition.clone(), then, otherwise }
        }
        ExprKind::Function(function) => {
            let body = with_stack(|| f(&function.body));
            ExprKind::Function(Box::new(Function { body, ..(**function).clone() }))
        }
        _ => return None,
    };
    Some(Expr::raw(value.struct_info.clone(), kind))
}

/// The sequence with others for its blocks, those of sequences inside it first.
pub(crate) fn map_blocks(seq: &SeqExpr, f: &mut dyn FnMut(BindingBlock) -> Vec<BindingBlock>) -> SeqExpr {
    let mut blocks = Vec::new();
    for block in &seq.blocks {
        let mut block = block.clone();
        for binding in &mut block.bindings {
            if let BindingValue::Expr(value) = &mut binding.value
                && let Some(changed) = map_inside(value, &mut |seq| map_blocks(seq, f))
            {
                *value = changed;
            }
        }
        f(block).into_iter().for_each(|block| push_block(&mut blocks, block));
    }
    SeqExpr { blocks, result: seq.result.clone() }
}

/// The sequence with another list of bindings for each dataflow block.
pub(crate) fn map_dataflow(seq: &SeqExpr, f: &mut dyn FnMut(Vec<Binding>) -> Vec<Binding>) -> SeqExpr {
    map_blocks(seq, &mut |block| match block.dataflow {
        true => vec![BindingBlock { dataflow: true, bindings: f(block.bindings) }],
        false => vec![block],
    })
}

/// The known value of a variable, if no check is in between.
pub(crate) fn bound_value(binding: &Binding) -> Option<&Expr> {
    match &binding.value {
        BindingValue::Expr(value) => Some(value),
        BindingValue::MatchCast { .. } => None,
    }
}

/// The sequence with other calls for those that `f` changes: values of bindings, also of sequences inside it.
pub(crate) fn map_calls(seq: &SeqExpr, f: &mut dyn FnMut(&Expr) -> Option<Expr>) -> SeqExpr {
    map_blocks(seq, &mut |mut block| {
        for binding in &mut block.bindings {
            if let BindingValue::Expr(value) | BindingValue::MatchCast { value, .. } = &mut binding.value
                && let Some(changed) = f(value)
            {
                *value = changed;
            }
        }
        vec![block]
    })
}
