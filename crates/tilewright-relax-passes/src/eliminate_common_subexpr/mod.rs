//! `EliminateCommonSubexpr`: equal values are computed once.
//!
//! A binding whose value is pure and equal to that of an earlier binding that dominates it becomes an alias of the
//! earlier variable ([`crate::CanonicalizeBindings`] removes it). Values from before a conditional are available inside
//! its branches; values from inside a branch are not available after it. A function with calls that overwrite
//! arguments, or may do so, stays as it is.

use std::sync::Arc;

use tilewright_expr::node::{EqCx, HashCx, VarId, rewrite, walk};
use tilewright_ir::IRModule;
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_ir::verify::Form;
use tilewright_support::{Map, with_stack};

use crate::normalize::normalized;
use crate::operand::Operand;
use crate::sequence::{map_functions, push_block};

/// Computes equal values once.
#[derive(Clone, Copy, Debug, Default)]
pub struct EliminateCommonSubexpr {
    /// Only calls are shared, tuples and their fields are not.
    pub call_only: bool,
}

const NAME: &str = "EliminateCommonSubexpr";

impl EliminateCommonSubexpr {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "What has been computed is not computed again.",
        params: &[ParamDef {
            name: "call_only",
            kind: ParamKind::Bool,
            default: AttrDefault::Bool(false),
            doc: "Whether only results of calls are shared, and not tuples and their fields.",
        }],
        make: |args| Ok(Arc::new(Self { call_only: args.flag("call_only") })),
    };
}

impl Pass for EliminateCommonSubexpr {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| {
            let function = normalized(function);
            if overwrites(&function) {
                return function;
            }
            let known = &mut Known { call_only: self.call_only, ..Known::default() };
            let body = known.sequence(&function.body);
            Function { body, ..function }
        })
    }
}

/// Whether the function may overwrite values: then equal values cannot share memory.
pub(crate) fn overwrites(function: &Function) -> bool {
    let mut found = false;
    walk(function, |expr: &Expr| {
        // A packed function, or one that is not pure, may write what it is given.
        found |= match &expr.kind {
            ExprKind::Call { callee: Callee::TirInplace { .. } | Callee::Packed(_), .. } => true,
            ExprKind::Call { callee: Callee::Value(_), .. } => !expr.is_pure(),
            _ => false,
        };
    });
    found
}

/// The hash key of a value: callee, attributes and arguments. Equal values have equal keys, few others do.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    what: Arc<str>,
    attrs: u64,
    operands: Vec<Operand>,
}

/// Values and aliases of one sort of variables.
#[derive(Default)]
struct Table {
    values: Map<Key, Vec<(Expr, Var)>>,
    /// Aliases.
    names: Map<VarId, Var>,
}

/// The available values in a sequence.
#[derive(Default)]
struct Known<'o> {
    call_only: bool,
    /// Those of the enclosing sequence.
    outer: Option<&'o Known<'o>>,
    visible: Table,
    /// Those of the dataflow variables of this block.
    dataflow: Table,
}

impl Known<'_> {
    fn inside(&self) -> Known<'_> {
        Known { outer: Some(self), ..self.empty() }
    }

    fn empty(&self) -> Known<'static> {
        Known { call_only: self.call_only, ..Known::default() }
    }

    fn sequence(&mut self, seq: &SeqExpr) -> SeqExpr {
        let mut blocks = Vec::new();
        for block in &seq.blocks {
            let bindings = block.bindings.iter().map(|binding| self.binding(binding)).collect();
            push_block(&mut blocks, BindingBlock { dataflow: block.dataflow, bindings });
            self.dataflow = Table::default();
        }
        SeqExpr { blocks, result: self.named(&seq.result) }
    }

    fn binding(&mut self, binding: &Binding) -> Binding {
        let value = match &binding.value {
            BindingValue::MatchCast { value, struct_info } => {
                let value = BindingValue::MatchCast { value: self.named(value), struct_info: struct_info.clone() };
                return Binding { value, ..binding.clone() };
            }
            BindingValue::Expr(value) => self.value(value),
        };
        let shared = !self.call_only || matches!(value.kind, ExprKind::Call { .. });
        let Some(key) = key(&value).filter(|_| shared) else {
            return Binding { value: BindingValue::Expr(value), ..binding.clone() };
        };
        let value = match self.earlier(&key, &value) {
            Some(var) => {
                self.table(&var).names.insert(binding.var.id(), var.clone());
                Expr::var(&var)
            }
            None => {
                let entry = (value.clone(), binding.var.clone());
                self.table(&binding.var).values.entry(key).or_default().push(entry);
                value
            }
        };
        Binding { value: BindingValue::Expr(value), ..binding.clone() }
    }

    fn table(&mut self, var: &Var) -> &mut Table {
        if var.dataflow { &mut self.dataflow } else { &mut self.visible }
    }

    /// The tables from the innermost scope outwards.
    fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::successors(Some(self), |known| known.outer).flat_map(|known| [&known.dataflow, &known.visible])
    }

    fn earlier(&self, key: &Key, value: &Expr) -> Option<Var> {
        let same = |(known, _): &&(Expr, Var)| EqCx::compare(known, value).is_ok();
        let found = self.tables().filter_map(|table| table.values.get(key)).flatten().find(same);
        found.map(|(_, var)| var.clone())
    }

    fn named(&self, expr: &Expr) -> Expr {
        let name = |e: &Expr| {
            let var = e.as_var()?.id();
            self.tables().find_map(|table| table.names.get(&var)).map(Expr::var)
        };
        rewrite(expr, name).unwrap_or_else(|| expr.clone())
    }

    fn value(&self, value: &Expr) -> Expr {
        match &value.kind {
            ExprKind::If { condition, then, otherwise } => {
                let branch = |seq: &SeqExpr| with_stack(|| self.inside().sequence(seq));
                let kind =
                    ExprKind::If { condition: self.named(condition), then: branch(then), otherwise: branch(otherwise) };
                Expr::raw(value.struct_info.clone(), kind)
            }
            // Values inside a closure stay there: it may run often, or never.
            ExprKind::Function(function) => {
                let body = with_stack(|| self.empty().sequence(&function.body));
                let function = Function { body, ..(**function).clone() };
                self.named(&Expr::raw(value.struct_info.clone(), ExprKind::Function(Box::new(function))))
            }
            _ => self.named(value),
        }
    }
}

/// `None` for values that are not shared.
fn key(value: &Expr) -> Option<Key> {
    let of = |exprs: &[Expr]| exprs.iter().map(Operand::of).collect();
    match &value.kind {
        ExprKind::Call { callee, args, attrs, .. } if value.is_pure() => {
            let what = match callee {
                Callee::Op(op) => op.name.into(),
                Callee::Tir(global) => global.name.clone(),
                Callee::DpsPacked(name) => name.clone(),
                Callee::Value(_) => "".into(),
                Callee::TirInplace { .. } | Callee::Packed(_) => return None,
            };
            Some(Key { what, attrs: HashCx::hash(attrs), operands: of(args) })
        }
        ExprKind::TupleGet { tuple, index } => {
            Some(Key { what: index.to_string().into(), attrs: 0, operands: vec![Operand::of(tuple)] })
        }
        ExprKind::Tuple(fields) => Some(Key { what: "()".into(), attrs: 0, operands: of(fields) }),
        _ => None,
    }
}
