//! The walk over the bindings of a function.

use tilewright_expr::node::VarId;
use tilewright_ir::IRModule;
use tilewright_ir::analysis::{BaseCheck, struct_info_base_check};
use tilewright_ir::op::{InferError, Legalize, MachineOp};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, Var,
};
use tilewright_ops::shapes::dim_text;
use tilewright_support::{Map, with_stack};

use super::heap::{Heap, Look};
use super::{erased, is_symbolic};

type Result<T> = std::result::Result<T, InferError>;

/// The replacements of variables whose types have changed.
type Names = Map<VarId, Expr>;

/// The function of the module without symbolic dimensions.
pub(super) fn function(module: &mut IRModule, function: &Function) -> Result<Function> {
    let heap = Heap::new(module, &function.origins);
    lowered(Lower { heap, names: Names::default() }, function)
}

fn lowered(mut lower: Lower<'_>, function: &Function) -> Result<Function> {
    let params: Vec<Var> = function.params.iter().map(|param| lower.renamed(param, &param.struct_info)).collect();
    for look in [Look::First, Look::Second] {
        for (index, (param, old)) in params.iter().zip(&function.params).enumerate() {
            let label = format!("argument {index} (\"{}\")", param.name);
            lower.heap.matched(&Expr::var(param), &old.struct_info, &label, look)?;
        }
    }
    let ret = erased(&function.ret);
    let body = lower.sequence(&function.body, Some(&ret))?;
    lower.heap.finished(Function { params, body, ret, ..function.clone() })
}

struct Lower<'m> {
    heap: Heap<'m>,
    names: Names,
}

impl Lower<'_> {
    /// The variable with the info without symbolic dimensions.
    fn renamed(&mut self, var: &Var, info: &StructInfo) -> Var {
        let info = erased(info);
        if info.equal(&var.struct_info) {
            return var.clone();
        }
        let renamed = var.with_struct_info(info);
        self.names.insert(var.id(), Expr::var(&renamed));
        renamed
    }

    /// The sequence, its result of this type if one is given.
    fn sequence(&mut self, seq: &SeqExpr, wanted: Option<&StructInfo>) -> Result<SeqExpr> {
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            self.heap.origins = binding.origins.clone();
            self.binding(binding)?;
        }
        let mut result = self.operand(&seq.result)?;
        if let Some(wanted) = wanted.filter(|wanted| !self.is(&result, wanted)) {
            // Facts about a size by its symbol still hold, but cannot be derived from types any more.
            let var = Var::new("result", wanted.clone());
            let value = BindingValue::MatchCast { value: result, struct_info: wanted.clone() };
            result = Expr::var(&var);
            self.heap.out.push(Binding { value, var, origins: self.heap.origins.clone() });
        }
        let bindings = std::mem::take(&mut self.heap.out);
        let blocks = if bindings.is_empty() { Vec::new() } else { vec![BindingBlock { dataflow: false, bindings }] };
        Ok(SeqExpr { blocks, result })
    }

    fn branch(&mut self, seq: &SeqExpr) -> Result<SeqExpr> {
        let (outside, slots) = (std::mem::take(&mut self.heap.out), self.heap.slots.clone());
        let branch = with_stack(|| self.sequence(seq, None));
        (self.heap.out, self.heap.slots) = (outside, slots);
        branch
    }

    fn is(&self, value: &Expr, info: &StructInfo) -> bool {
        struct_info_base_check(&self.heap.cx, info, &value.struct_info) == BaseCheck::Pass
    }

    fn binding(&mut self, binding: &Binding) -> Result<()> {
        match &binding.value {
            BindingValue::MatchCast { value, struct_info } => self.cast(binding, value, struct_info),
            BindingValue::Expr(value) => {
                if let ExprKind::Function(function) = &value.kind {
                    // It may call itself.
                    self.renamed(&binding.var, &function.signature());
                }
                let lowered = self.value(value)?;
                let said = erased(&binding.var.struct_info);
                let info = if self.is(&lowered, &said) { said } else { lowered.struct_info.clone() };
                let var = match self.names.get(&binding.var.id()).and_then(Expr::as_var) {
                    Some(var) => var.clone(),
                    None => self.renamed(&binding.var, &info),
                };
                self.heap.out.push(Binding::new(var.clone(), lowered, binding.origins.clone()));
                match unvouched(value) {
                    Some(who) => self.matched(&var, &value.struct_info, &format!("the result of {who}")),
                    None => Ok(()),
                }
            }
        }
    }

    fn cast(&mut self, binding: &Binding, value: &Expr, info: &StructInfo) -> Result<()> {
        let label = cast_label(&binding.var, value, info);
        let (value, struct_info) = (self.operand(value)?, erased(info));
        let var = self.renamed(&binding.var, &binding.var.struct_info);
        let value = BindingValue::MatchCast { value, struct_info };
        self.heap.out.push(Binding { value, var: var.clone(), origins: binding.origins.clone() });
        self.matched(&var, info, &label)
    }

    fn matched(&mut self, var: &Var, info: &StructInfo, label: &str) -> Result<()> {
        let value = Expr::var(var);
        self.heap.matched(&value, info, label, Look::First)?;
        self.heap.matched(&value, info, label, Look::Second)
    }

    fn value(&mut self, value: &Expr) -> Result<Expr> {
        let kind = match &value.kind {
            ExprKind::Shape(dims) => return self.heap.shape(dims),
            ExprKind::Prim(number) if is_symbolic(number) => return self.heap.scalar(number),
            ExprKind::Call { callee: Callee::Op(op), args, .. }
                if matches!(op.legalize, Legalize::Machine(MachineOp::CallPrimFunc)) =>
            {
                return self.prim_func(args);
            }
            ExprKind::Call { callee, args, attrs, sinfo_args } => ExprKind::Call {
                callee: match callee {
                    Callee::Value(function) => Callee::Value(self.operand(function)?),
                    _ => callee.clone(),
                },
                args: self.operands(args)?,
                attrs: attrs.clone(),
                sinfo_args: sinfo_args.iter().map(erased).collect(),
            },
            ExprKind::TupleGet { tuple, index } => ExprKind::TupleGet { tuple: self.operand(tuple)?, index: *index },
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.operand(condition)?;
                ExprKind::If { condition, then: self.branch(then)?, otherwise: self.branch(otherwise)? }
            }
            ExprKind::Function(function) => {
                let names = self.names.clone();
                let function = with_stack(|| lowered(Lower { heap: self.heap.inside(function)?, names }, function))?;
                ExprKind::Function(Box::new(function))
            }
            _ => return self.operand(value),
        };
        self.heap.typed(kind, &erased(&value.struct_info))
    }

    fn operand(&mut self, operand: &Expr) -> Result<Expr> {
        match &operand.kind {
            ExprKind::Var(var) => Ok(self.names.get(&var.id()).cloned().unwrap_or_else(|| operand.clone())),
            // The types of PrimFuncs have dimensions of their own.
            ExprKind::GlobalVar(global) => Ok(match self.heap.is_graph(global) {
                true => {
                    let signature = erased(&global.signature);
                    Expr::global(&GlobalVar { signature, ..global.clone() })
                }
                false => operand.clone(),
            }),
            ExprKind::Tuple(fields) => Ok(Expr::tuple(with_stack(|| self.operands(fields))?)),
            ExprKind::Shape(dims) if dims.iter().any(is_symbolic) => {
                let shape = self.heap.shape(dims)?;
                Ok(self.heap.bind("sizes", shape))
            }
            ExprKind::Prim(number) if is_symbolic(number) => {
                let number = self.heap.scalar(number)?;
                Ok(self.heap.bind("number", number))
            }
            _ => Ok(operand.clone()),
        }
    }

    fn operands(&mut self, operands: &[Expr]) -> Result<Vec<Expr>> {
        operands.iter().map(|operand| self.operand(operand)).collect()
    }

    /// `vm.call_tir_dyn` takes scalars from the dimensions of a shape, which are not known of one any more: the call
    /// itself.
    fn prim_func(&mut self, args: &[Expr]) -> Result<Expr> {
        let (Some(function), Some(ExprKind::Tuple(fields))) = (args.first(), args.get(1).map(|given| &given.kind))
        else {
            return Err(InferError::new("the arguments of `vm.call_tir_dyn` are a tuple that is written out"));
        };
        let mut fields = fields.clone();
        if let Some(StructInfo::Shape(_)) = fields.last().map(|last| &last.struct_info) {
            let dims = fields.pop().and_then(|shape| shape.struct_info.dims().map(<[_]>::to_vec));
            let dims =
                dims.ok_or_else(|| InferError::new("the dimensions of a shape that is an argument must be known"))?;
            for dim in dims {
                fields.push(self.heap.scalar(&dim)?);
            }
        }
        let mut args = Vec::new();
        for field in fields {
            // A number that was read is a call itself.
            args.push(match &field.kind {
                ExprKind::Call { .. } => self.heap.bind("number", field),
                _ => self.operand(&field)?,
            });
        }
        let kind = ExprKind::Call {
            callee: Callee::Value(self.operand(function)?),
            args,
            attrs: Default::default(),
            sinfo_args: Vec::new(),
        };
        self.heap.typed(kind, &StructInfo::Tuple(Vec::new()))
    }
}

/// The callee, if the caller's claim about the result is unverified: the machine compared it.
fn unvouched(value: &Expr) -> Option<String> {
    let ExprKind::Call { callee, .. } = &value.kind else { return None };
    match callee {
        Callee::Packed(name) => Some(format!("packed function \"{name}\"")),
        Callee::Op(op) => {
            matches!(op.legalize, Legalize::Machine(MachineOp::Builtin(_))).then(|| format!("`{}`", op.name))
        }
        Callee::Value(function) => match &function.kind {
            ExprKind::GlobalVar(_) => None,
            ExprKind::ExternFunc(name) => Some(format!("packed function \"{name}\"")),
            _ => Some(format!("`{}`", function.as_var().map_or("a function value", |var| &*var.name))),
        },
        Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_) => None,
    }
}

/// The name of a match in errors. For constant sizes it says which have to agree.
fn cast_label(var: &Var, value: &Expr, info: &StructInfo) -> String {
    match (&value.kind, info.dims()) {
        (ExprKind::Shape(found), Some(wanted)) => {
            let [found, wanted] = [found, wanted].map(|dims| dims.iter().map(dim_text).collect::<Vec<_>>().join(", "));
            format!("\"{}\" ({found} must be {wanted})", var.name)
        }
        _ => format!("\"{}\"", var.name),
    }
}
