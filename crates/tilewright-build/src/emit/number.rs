//! Scalar expressions over symbolic dimensions → operations on slots.

use tilewright_expr as scalar;
use tilewright_expr::node::AnyHandle;
use tilewright_expr::{BinOp, CmpOp, Intrinsic};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;
use tilewright_vm_program::{Dim, Instruction, Literal, MathOp, Reg, ScalarOp};

use super::{Emitter, Result, refuse};

/// The numbers of shared nodes of one expression, by address.
type Memo = Map<usize, Dim>;

impl Emitter<'_, '_> {
    /// The value of an expression, as a value.
    pub(super) fn prim(&mut self, value: &scalar::Expr) -> Result<Reg> {
        let literal = match &value.kind {
            scalar::ExprKind::Int(number) if value.dtype.is_bool() => Literal::Bool(*number != 0),
            scalar::ExprKind::Int(number) => Literal::Int(*number),
            scalar::ExprKind::Float(number) => Literal::Float(number.0),
            _ => {
                let number = self.dim(value)?;
                return Ok(self.code.make_scalar(value.dtype, number));
            }
        };
        Ok(self.code.load_literal(literal))
    }

    pub(super) fn shape(&mut self, dims: &[scalar::Expr]) -> Result<Vec<Dim>> {
        dims.iter().map(|dim| self.dim(dim)).collect()
    }

    /// The number that an expression over symbolic dimensions is at run time.
    pub(crate) fn dim(&mut self, expr: &scalar::Expr) -> Result<Dim> {
        self.number(&mut Memo::default(), expr)
    }

    /// Exchanges the numbers that symbolic dimensions have here for others.
    pub(crate) fn swap_dims(&mut self, dims: &mut Map<scalar::Var, Dim>) {
        std::mem::swap(&mut self.scope.dims, dims);
    }

    fn number(&mut self, memo: &mut Memo, expr: &scalar::Expr) -> Result<Dim> {
        use scalar::ExprKind as S;
        match &expr.kind {
            S::Int(value) => return Ok(Dim::Const(*value)),
            S::Float(value) => return Ok(Dim::Const(value.0.to_bits() as i64)),
            S::Var(var) => {
                return match self.scope.dims.get(var) {
                    Some(dim) => Ok(*dim),
                    None => refuse(format!("symbolic dimension `{}` has no value here", var.name)),
                };
            }
            _ if !expr.dtype.is_scalar() => return refuse("a vector is not a value of a graph"),
            _ => {}
        }
        if let Some(known) = memo.get(&expr.address()) {
            return Ok(*known);
        }
        let number = with_stack(|| self.operation(memo, expr))?;
        memo.insert(expr.address(), number);
        Ok(number)
    }

    fn operation(&mut self, memo: &mut Memo, expr: &scalar::Expr) -> Result<Dim> {
        use scalar::ExprKind as S;
        match &expr.kind {
            S::Binary(op, a, b) => self.apply(memo, binary(*op), a.dtype, &[a, b]),
            S::Compare(op, a, b) => self.apply(memo, comparison(*op), a.dtype, &[a, b]),
            S::Not(value) => self.apply(memo, ScalarOp::Not, DataType::BOOL, &[value]),
            S::Select { condition, then, otherwise } => {
                self.apply(memo, ScalarOp::Select, then.dtype, &[condition, then, otherwise])
            }
            S::Cast(value) if value.dtype == expr.dtype => self.number(memo, value),
            S::Cast(value) => self.apply(memo, ScalarOp::Cast(expr.dtype), value.dtype, &[value]),
            S::Let { var, value, body } => {
                let value = self.number(memo, value)?;
                let outer = self.scope.dims.insert(var.clone(), value);
                // What is shared with another body may depend on the variable.
                let result = self.number(&mut Memo::default(), body);
                match outer {
                    Some(outer) => self.scope.dims.insert(var.clone(), outer),
                    None => self.scope.dims.remove(var),
                };
                result
            }
            S::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [condition, then, otherwise] => self.choice(memo, condition, then, otherwise),
                _ => refuse("`if_then_else` takes 3 operands"),
            },
            S::Call { intrinsic, args } => {
                let Some(op) = MathOp::ALL.into_iter().find(|op| op.name() == intrinsic.name()) else {
                    return refuse(format!("`{}` is not known to the machine", intrinsic.name()));
                };
                let dtype = args.first().map_or(expr.dtype, |arg| arg.dtype);
                self.apply(memo, ScalarOp::Math(op), dtype, &args.iter().collect::<Vec<_>>())
            }
            other => refuse(format!("a value of a graph cannot be computed from {other:?}")),
        }
    }

    fn apply(&mut self, memo: &mut Memo, op: ScalarOp, dtype: DataType, args: &[&scalar::Expr]) -> Result<Dim> {
        let args = args.iter().map(|arg| self.number(memo, arg)).collect::<Result<Vec<_>>>()?;
        Ok(self.code.compute("size", op, dtype, &args))
    }

    /// Computes only the operand that is taken: the other one may divide by zero.
    fn choice(
        &mut self,
        memo: &mut Memo,
        condition: &scalar::Expr,
        then: &scalar::Expr,
        otherwise: &scalar::Expr,
    ) -> Result<Dim> {
        let condition = self.number(memo, condition)?;
        let condition = self.code.make_scalar(DataType::BOOL, condition);
        let dst = self.code.slot("size");
        let to_else = self.code.branch(condition);
        self.arm(memo, dst, then)?;
        let to_end = self.code.goto();
        self.code.land(to_else);
        self.arm(memo, dst, otherwise)?;
        self.code.land(to_end);
        Ok(Dim::Slot(dst))
    }

    /// Values that are computed in an arm are unknown after it.
    fn arm(&mut self, memo: &Memo, dst: u32, value: &scalar::Expr) -> Result<()> {
        let number = self.number(&mut memo.clone(), value)?;
        self.code.push(Instruction::Compute { dst, op: ScalarOp::Copy, dtype: value.dtype, args: vec![number] });
        Ok(())
    }
}

pub(crate) fn binary(op: BinOp) -> ScalarOp {
    match op {
        BinOp::Add => ScalarOp::Add,
        BinOp::Sub => ScalarOp::Sub,
        BinOp::Mul => ScalarOp::Mul,
        BinOp::Div => ScalarOp::Div,
        BinOp::Mod => ScalarOp::Mod,
        BinOp::FloorDiv => ScalarOp::FloorDiv,
        BinOp::FloorMod => ScalarOp::FloorMod,
        BinOp::Min => ScalarOp::Min,
        BinOp::Max => ScalarOp::Max,
        BinOp::And | BinOp::BitAnd => ScalarOp::And,
        BinOp::Or | BinOp::BitOr => ScalarOp::Or,
        BinOp::BitXor => ScalarOp::Xor,
        BinOp::Shl => ScalarOp::Shl,
        BinOp::Shr => ScalarOp::Shr,
    }
}

pub(crate) fn comparison(op: CmpOp) -> ScalarOp {
    match op {
        CmpOp::Eq => ScalarOp::Equal,
        CmpOp::Ne => ScalarOp::NotEqual,
        CmpOp::Lt => ScalarOp::Less,
        CmpOp::Le => ScalarOp::LessEqual,
        CmpOp::Gt => ScalarOp::Greater,
        CmpOp::Ge => ScalarOp::GreaterEqual,
    }
}
