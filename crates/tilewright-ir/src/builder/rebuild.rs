//! Normal form: writing an expression or a function anew with the builder, operands first.
//!
//! One walk serves [`BlockBuilder::normalize`] and mutators. It traverses a value in the order of evaluation, binds
//! what is nested to variables of the open block, and asks the rules for struct infos wherever a part has changed. A
//! shared node without side effects is bound once in a block.

use tilewright_expr::node::{AnyHandle, VarId, rewrite};
use tilewright_support::{Map, with_stack};

use super::infer::typed;
use super::{BlockBuilder, BuildError, Mutator};
use crate::analysis::{erase_dims, follows};
use crate::relax::{Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, Var};

/// Changes nothing.
pub(super) struct Same;

impl Mutator for Same {
    fn rewrite(&mut self, _: &mut BlockBuilder, _: &Expr) -> Result<Option<Expr>, BuildError> {
        Ok(None)
    }
}

/// Normal form.
impl BlockBuilder {
    /// The expression with operands below it, each struct info what the rules give. What was nested is emitted.
    pub fn normalize(&mut self, expr: &Expr) -> Result<Expr, BuildError> {
        let mut same = Same;
        let mut rebuild = Rebuild::new(&mut same);
        rebuild.types_all = true;
        rebuild.value(self, expr)
    }

    /// The expression as an operand: emitted, unless it is one.
    pub fn normalize_operand(&mut self, expr: &Expr) -> Result<Expr, BuildError> {
        let mut same = Same;
        let mut rebuild = Rebuild::new(&mut same);
        rebuild.types_all = true;
        rebuild.operand(self, expr)
    }
}

pub(super) struct Rebuild<'m> {
    mutator: &'m mut dyn Mutator,
    /// Whether the mutator, or a new reference, has changed anything.
    pub(super) changed: bool,
    /// Whether every expression gets its struct info anew, not only where a part has changed.
    pub(super) types_all: bool,
    /// Whether references to functions say what the builder's module says of them.
    pub(super) renews: bool,
    /// The replacements of variables whose struct info has changed.
    vars: Map<VarId, Expr>,
    /// The number of values with side effects so far.
    effects: usize,
}

impl<'m> Rebuild<'m> {
    pub(super) fn new(mutator: &'m mut dyn Mutator) -> Self {
        Self { mutator, changed: false, types_all: false, renews: false, vars: Map::default(), effects: 0 }
    }

    pub(super) fn function(
        &mut self,
        bb: &mut BlockBuilder,
        function: &Function,
        params: Vec<Var>,
    ) -> Result<Function, BuildError> {
        for (old, new) in function.params.iter().zip(&params) {
            bb.names.reserve(&new.name);
            if old != new {
                self.changed = true;
                self.vars.insert(old.id(), Expr::var(new));
            }
        }
        bb.begin_scope(&params);
        let body = self.seq(bb, &function.body);
        bb.end_scope()?;
        let body = body?;
        let found = &body.result.struct_info;
        let ret = if follows(&bb.cx, found, &function.ret) {
            function.ret.clone()
        } else {
            let dims: Vec<VarId> = params
                .iter()
                .flat_map(|param| crate::analysis::definable_dims(&param.struct_info))
                .map(|dim| dim.id())
                .collect();
            // A closure may also speak of dimensions of the function around it.
            erase_dims(found, &|dim| dims.contains(&dim.id()) || bb.defines(dim))
        };
        Ok(Function { params, body, ret, ..function.clone() })
    }

    fn seq(&mut self, bb: &mut BlockBuilder, seq: &SeqExpr) -> Result<SeqExpr, BuildError> {
        bb.begin_sequence();
        let depth = bb.sequences.len();
        let origins = bb.origins.clone();
        let written = self.seq_inside(bb, seq);
        bb.origins = origins;
        if written.is_err() {
            bb.sequences.truncate(depth - 1);
        }
        written
    }

    fn seq_inside(&mut self, bb: &mut BlockBuilder, seq: &SeqExpr) -> Result<SeqExpr, BuildError> {
        for block in &seq.blocks {
            self.block(bb, block)?;
        }
        let result = self.operand(bb, &seq.result)?;
        bb.end_sequence(&result)
    }

    fn block(&mut self, bb: &mut BlockBuilder, block: &BindingBlock) -> Result<(), BuildError> {
        if block.dataflow {
            bb.begin_dataflow()?;
        }
        for binding in &block.bindings {
            self.binding(bb, binding)?;
        }
        if block.dataflow {
            bb.end_dataflow()?;
        }
        Ok(())
    }

    fn binding(&mut self, bb: &mut BlockBuilder, binding: &Binding) -> Result<(), BuildError> {
        bb.origins = binding.origins.clone();
        bb.names.reserve(&binding.var.name);
        let written = match &binding.value {
            BindingValue::Expr(value) => {
                let new = self.value(bb, value)?;
                self.bind(bb, binding, value, new)
            }
            BindingValue::MatchCast { value, struct_info } => {
                let value = self.operand(bb, value)?;
                bb.define_dims(struct_info);
                let struct_info = struct_info.clone();
                Binding { value: BindingValue::MatchCast { value, struct_info }, ..binding.clone() }
            }
        };
        self.mutator.written(&written);
        bb.emit_binding(written)
    }

    /// The binding of the new value. Its variable is another one where the struct info is: what the variable said of
    /// the old value exactly, it says of the new one; where it said less, that stays as long as it is true.
    fn bind(&mut self, bb: &BlockBuilder, binding: &Binding, old: &Expr, new: Expr) -> Binding {
        let (var, info) = (&binding.var, &new.struct_info);
        let said_less = || !var.struct_info.equal(&old.struct_info) && follows(&bb.cx, info, &var.struct_info);
        let untouched = new.same(old) && !self.types_all;
        if untouched || info.equal(&var.struct_info) || said_less() {
            return Binding { value: BindingValue::Expr(new), ..binding.clone() };
        }
        let renamed = var.with_struct_info(info.clone());
        self.vars.insert(var.id(), Expr::var(&renamed));
        // A function that calls itself does so by its variable.
        let new = match &new.kind {
            ExprKind::Function(_) => {
                let used = |expr: &Expr| (expr.as_var() == Some(var)).then(|| Expr::var(&renamed));
                rewrite(&new, used).unwrap_or(new)
            }
            _ => new,
        };
        Binding { value: BindingValue::Expr(new), var: renamed, origins: binding.origins.clone() }
    }

    /// The expression as an operand.
    pub(super) fn operand(&mut self, bb: &mut BlockBuilder, expr: &Expr) -> Result<Expr, BuildError> {
        if let ExprKind::Var(var) = &expr.kind {
            return Ok(self.vars.get(&var.id()).cloned().unwrap_or_else(|| expr.clone()));
        }
        let shared = expr.is_shared();
        if shared && let Some((_, operand)) = bb.block()?.shared.get(&expr.address()) {
            return Ok(operand.clone());
        }
        let before = self.effects;
        let value = self.value(bb, expr)?;
        let operand = if is_operand(&value) {
            value
        } else {
            let dataflow = bb.in_dataflow();
            Expr::var(&bb.bind_new(value, None, dataflow)?)
        };
        if shared && self.effects == before {
            bb.block()?.shared.insert(expr.address(), (expr.clone(), operand.clone()));
        }
        Ok(operand)
    }

    fn operands(&mut self, bb: &mut BlockBuilder, exprs: &[Expr]) -> Result<Vec<Expr>, BuildError> {
        exprs.iter().map(|expr| self.operand(bb, expr)).collect()
    }

    /// The expression with operands below it, after the mutator.
    pub(super) fn value(&mut self, bb: &mut BlockBuilder, expr: &Expr) -> Result<Expr, BuildError> {
        if expr.as_var().is_some() {
            return self.operand(bb, expr);
        }
        let value = with_stack(|| self.with_operands(bb, expr))?;
        if !value.is_pure() {
            self.effects += 1;
        }
        match self.mutator.rewrite(bb, &value)? {
            Some(new) if !new.same(&value) => {
                self.changed = true;
                bb.normalize(&self.renamed(&new))
            }
            _ => Ok(value),
        }
    }

    /// The expression with variables that have another struct info now.
    fn renamed(&self, expr: &Expr) -> Expr {
        if self.vars.is_empty() {
            return expr.clone();
        }
        let renamed = |expr: &Expr| expr.as_var().and_then(|var| self.vars.get(&var.id())).cloned();
        rewrite(expr, renamed).unwrap_or_else(|| expr.clone())
    }

    fn with_operands(&mut self, bb: &mut BlockBuilder, expr: &Expr) -> Result<Expr, BuildError> {
        let kind = match &expr.kind {
            ExprKind::Call { callee, args, attrs, sinfo_args } => ExprKind::Call {
                callee: self.callee(bb, callee)?,
                args: self.operands(bb, args)?,
                attrs: attrs.clone(),
                sinfo_args: sinfo_args.clone(),
            },
            ExprKind::Tuple(fields) => ExprKind::Tuple(self.operands(bb, fields)?),
            ExprKind::TupleGet { tuple, index } => {
                ExprKind::TupleGet { tuple: self.operand(bb, tuple)?, index: *index }
            }
            ExprKind::If { condition, then, otherwise } => ExprKind::If {
                condition: self.operand(bb, condition)?,
                then: self.seq(bb, then)?,
                otherwise: self.seq(bb, otherwise)?,
            },
            ExprKind::Function(function) => {
                let written = self.function(bb, function, function.params.clone())?;
                ExprKind::Function(Box::new(written))
            }
            ExprKind::GlobalVar(global) if self.renews => {
                return Ok(match bb.module.global_var(&global.name) {
                    Some(now) if !now.signature.equal(&global.signature) => {
                        self.changed = true;
                        Expr::global(&now)
                    }
                    _ => expr.clone(),
                });
            }
            _ => return Ok(expr.clone()),
        };
        if !self.types_all && same_parts(&expr.kind, &kind) {
            return Ok(expr.clone());
        }
        let new = typed(&bb.cx, kind, &expr.struct_info)?;
        let unchanged = same_parts(&expr.kind, &new.kind) && new.struct_info.equal(&expr.struct_info);
        Ok(if unchanged { expr.clone() } else { new })
    }

    fn callee(&mut self, bb: &mut BlockBuilder, callee: &Callee) -> Result<Callee, BuildError> {
        Ok(match callee {
            Callee::Value(function) => Callee::Value(self.operand(bb, function)?),
            Callee::Tir(global) if self.renews => match bb.module.global_var(&global.name) {
                Some(now) => Callee::Tir(now),
                None => callee.clone(),
            },
            _ => callee.clone(),
        })
    }
}

/// Whether both are of one kind over the very same parts. Functions and branches are compared block by block.
fn same_parts(old: &ExprKind, new: &ExprKind) -> bool {
    let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b));
    match (old, new) {
        (
            ExprKind::Call { callee: f, args: a, attrs: x, sinfo_args: s },
            ExprKind::Call { callee: g, args: b, attrs: y, sinfo_args: t },
        ) => {
            let callees = match (f, g) {
                (Callee::Value(f), Callee::Value(g)) => f.same(g),
                (Callee::Tir(f), Callee::Tir(g)) => f.name == g.name && f.signature.equal(&g.signature),
                _ => std::mem::discriminant(f) == std::mem::discriminant(g),
            };
            callees && all(a, b) && x.len() == y.len() && s.len() == t.len()
        }
        (ExprKind::Tuple(a), ExprKind::Tuple(b)) => all(a, b),
        (ExprKind::TupleGet { tuple: a, .. }, ExprKind::TupleGet { tuple: b, .. }) => a.same(b),
        (
            ExprKind::If { condition: a, then: x, otherwise: y },
            ExprKind::If { condition: b, then: z, otherwise: w },
        ) => a.same(b) && same_seq(x, z) && same_seq(y, w),
        (ExprKind::Function(f), ExprKind::Function(g)) => f.params == g.params && same_seq(&f.body, &g.body),
        _ => false,
    }
}

fn same_seq(a: &SeqExpr, b: &SeqExpr) -> bool {
    let same_value = |a: &BindingValue, b: &BindingValue| match (a, b) {
        (BindingValue::Expr(a), BindingValue::Expr(b))
        | (BindingValue::MatchCast { value: a, .. }, BindingValue::MatchCast { value: b, .. }) => a.same(b),
        _ => false,
    };
    let same_block = |a: &BindingBlock, b: &BindingBlock| {
        let pairs = || a.bindings.iter().zip(&b.bindings);
        a.bindings.len() == b.bindings.len() && pairs().all(|(a, b)| a.var == b.var && same_value(&a.value, &b.value))
    };
    a.result.same(&b.result)
        && a.blocks.len() == b.blocks.len()
        && a.blocks.iter().zip(&b.blocks).all(|(a, b)| same_block(a, b))
}

/// Whether the expression may be an operand in normal form. Fields of a tuple are checked by its constructor.
fn is_operand(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { .. } | ExprKind::TupleGet { .. } | ExprKind::If { .. } | ExprKind::Function(_) => false,
        ExprKind::Var(_)
        | ExprKind::GlobalVar(_)
        | ExprKind::ExternFunc(_)
        | ExprKind::Constant(_)
        | ExprKind::Tuple(_)
        | ExprKind::Shape(_)
        | ExprKind::Prim(_)
        | ExprKind::Str(_)
        | ExprKind::DType(_) => true,
    }
}
