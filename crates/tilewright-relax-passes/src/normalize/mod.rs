//! `Normalize`: every intermediate value gets a variable.
//!
//! Afterwards an argument of a call, a field of a tuple, a condition and a result is an *operand*: a variable, a
//! constant, a shape, a scalar, a string, a data type, a function's name, or a tuple of operands. What was nested is
//! bound before its use, in the same block, in the order of evaluation.

use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_ir::verify::Form;
use tilewright_support::{Map, Origins, with_stack};

use crate::sequence::{map_functions, push_block};

/// Binds every intermediate value to a variable.
#[derive(Clone, Copy, Debug)]
pub struct Normalize;

const NAME: &str = "Normalize";

impl Pass for Normalize {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| normalized(function))
    }
}

/// The function in normal form.
pub(crate) fn normalized(function: &Function) -> Function {
    Function { body: sequence(&function.body), ..function.clone() }
}

fn sequence(seq: &SeqExpr) -> SeqExpr {
    let mut blocks = Vec::new();
    for block in &seq.blocks {
        let mut cx = BlockCx::new(block.dataflow);
        for binding in &block.bindings {
            cx.origins = binding.origins.clone();
            let value = match &binding.value {
                BindingValue::Expr(value) => BindingValue::Expr(cx.value(value)),
                BindingValue::MatchCast { value, struct_info } => {
                    BindingValue::MatchCast { value: cx.operand(value), struct_info: struct_info.clone() }
                }
            };
            cx.bindings.push(Binding { value, ..binding.clone() });
        }
        push_block(&mut blocks, BindingBlock { dataflow: block.dataflow, bindings: cx.bindings });
    }
    let mut cx = BlockCx::new(false);
    let result = cx.operand(&seq.result);
    push_block(&mut blocks, BindingBlock { dataflow: false, bindings: cx.bindings });
    SeqExpr { blocks, result }
}

/// A block under construction.
struct BlockCx {
    dataflow: bool,
    bindings: Vec<Binding>,
    /// The origin of the binding that is being normalised.
    origins: Origins,
    /// Variables of nodes that are used more than once, by address: the module keeps the nodes alive meanwhile.
    bound: Map<*const u8, Expr>,
}

impl BlockCx {
    fn new(dataflow: bool) -> Self {
        Self { dataflow, bindings: Vec::new(), origins: Origins::default(), bound: Map::default() }
    }

    fn operands(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|e| self.operand(e)).collect()
    }

    fn operand(&mut self, expr: &Expr) -> Expr {
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::GlobalVar(_)
            | ExprKind::ExternFunc(_)
            | ExprKind::Constant(_)
            | ExprKind::Shape(_)
            | ExprKind::Prim(_)
            | ExprKind::Str(_)
            | ExprKind::DType(_) => expr.clone(),
            ExprKind::Tuple(_) => self.value(expr),
            ExprKind::Call { .. } | ExprKind::TupleGet { .. } | ExprKind::If { .. } | ExprKind::Function(_) => {
                let address = std::ptr::from_ref(&**expr).cast::<u8>();
                if let Some(var) = self.bound.get(&address) {
                    return var.clone();
                }
                let value = self.value(expr);
                let info = value.struct_info.clone();
                let var = if self.dataflow { Var::dataflow("lv", info) } else { Var::new("gv", info) };
                let reusable = value.is_pure();
                self.bindings.push(Binding::new(var.clone(), value, self.origins.clone()));
                if reusable {
                    self.bound.insert(address, Expr::var(&var));
                }
                Expr::var(&var)
            }
        }
    }

    /// The expression with operands below it.
    fn value(&mut self, expr: &Expr) -> Expr {
        let kind = with_stack(|| match &expr.kind {
            ExprKind::Call { callee: before, args, attrs, sinfo_args } => {
                let callee = match before {
                    Callee::Value(function) => Callee::Value(self.operand(function)),
                    Callee::Op(_)
                    | Callee::Tir(_)
                    | Callee::TirInplace { .. }
                    | Callee::DpsPacked(_)
                    | Callee::Packed(_) => before.clone(),
                };
                let operands = self.operands(args);
                // A call that stays is the same object: analyses of it stay valid.
                (!same_callee(before, &callee) || !all_same(args, &operands)).then(|| {
                    let (attrs, sinfo_args) = (attrs.clone(), sinfo_args.clone());
                    ExprKind::Call { callee, args: operands, attrs, sinfo_args }
                })
            }
            ExprKind::Tuple(fields) => {
                let operands = self.operands(fields);
                (!all_same(fields, &operands)).then(|| ExprKind::Tuple(operands))
            }
            ExprKind::TupleGet { tuple, index } => {
                Some(ExprKind::TupleGet { tuple: self.operand(tuple), index: *index })
            }
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.operand(condition);
                Some(ExprKind::If { condition, then: sequence(then), otherwise: sequence(otherwise) })
            }
            ExprKind::Function(function) => Some(ExprKind::Function(Box::new(normalized(function)))),
            ExprKind::Var(_)
            | ExprKind::GlobalVar(_)
            | ExprKind::ExternFunc(_)
            | ExprKind::Constant(_)
            | ExprKind::Shape(_)
            | ExprKind::Prim(_)
            | ExprKind::Str(_)
            | ExprKind::DType(_) => None,
        });
        kind.map_or_else(|| expr.clone(), |kind| Expr::raw(expr.struct_info.clone(), kind))
    }
}

/// Whether what is called is what was called before: of a value, the very same one.
fn same_callee(before: &Callee, now: &Callee) -> bool {
    match (before, now) {
        (Callee::Value(before), Callee::Value(now)) => before.same(now),
        _ => true,
    }
}

fn all_same(before: &[Expr], now: &[Expr]) -> bool {
    before.len() == now.len() && before.iter().zip(now).all(|(before, now)| before.same(now))
}
