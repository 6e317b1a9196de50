//! Random scalar expressions of a given type.

use tilewright_expr::{BinOp, Buffer, Builtin, CmpOp, Expr, ForeignCallee, Intrinsic, Var};
use tilewright_tensor::DataType;

use super::Generator;

/// The values in scope in a PrimFunc.
#[derive(Clone, Default, Debug)]
pub(super) struct Scoped {
    /// Of type `int32`.
    pub(super) ints: Vec<Var>,
    pub(super) buffers: Vec<Buffer>,
    /// Read-only memory of type `float32`.
    pub(super) constants: Vec<Buffer>,
}

const INTS: [DataType; 4] = [DataType::I8, DataType::I64, DataType::U8, DataType::U64];
const FLOATS: [DataType; 3] = [DataType::F16, DataType::BF16, DataType::F64];

impl Generator {
    /// An `int32`.
    pub(super) fn int(&mut self, scope: &Scoped, depth: usize) -> Expr {
        if depth == 0 || self.chance(3) {
            return match scope.ints.as_slice() {
                [] => Expr::i32(self.below(7) as i32 - 3),
                ints if self.chance(2) => Expr::var(&self.pick(ints)),
                _ => Expr::i32(self.below(7) as i32 - 3),
            };
        }
        let (a, b) = (self.int(scope, depth - 1), self.int(scope, depth - 1));
        match self.below(12) {
            0..=4 => {
                let op = self.pick(&BinOp::ALL);
                if op.takes(DataType::I32) { Expr::binary(op, &a, &b).unwrap() } else { &a - &b }
            }
            5 => Expr::select(&self.condition(scope, depth - 1), &a, &b).unwrap(),
            6 => {
                let var = Var::new(self.name(), DataType::I32);
                let mut inner = scope.clone();
                inner.ints.push(var.clone());
                Expr::bind(&var, &a, &self.int(&inner, depth - 1)).unwrap()
            }
            7 => Expr::call(Intrinsic::IfThenElse, &[self.condition(scope, depth - 1), a, b]).unwrap(),
            8 => {
                let op = self.pick(&[Intrinsic::Popcount, Intrinsic::Clz, Intrinsic::Abs]);
                Expr::call(op, &[a]).unwrap()
            }
            9 => self.other_int(depth - 1).cast(DataType::I32).unwrap(),
            10 => {
                let vectors = vec![Expr::ramp(&a, &Expr::i32(1), 4).unwrap(), b.broadcast(4).unwrap()];
                Expr::shuffle(vectors, vec![self.below(8)]).unwrap()
            }
            _ => self.float(scope, depth - 1).reinterpret(DataType::I32).unwrap(),
        }
    }

    /// An expression of some integer type but `int32`.
    fn other_int(&mut self, depth: usize) -> Expr {
        let dtype = self.pick(&INTS);
        let values: &[i64] = match dtype {
            DataType::I8 => &[-128, 127, 3],
            DataType::U8 => &[0, 255],
            DataType::U64 => &[0, -1, 7],
            _ => &[i64::MIN, i64::MAX, 5],
        };
        let constant = Expr::int(self.pick(values), dtype);
        if depth == 0 {
            return constant;
        }
        let other = self.other_int(0).cast(dtype).unwrap();
        let ops: Vec<_> = BinOp::ALL.into_iter().filter(|op| op.takes(dtype)).collect();
        Expr::binary(self.pick(&ops), &other, &constant).unwrap()
    }

    fn foreign(&mut self, scope: &Scoped, depth: usize) -> Expr {
        let callee = self.pick(&[
            ForeignCallee::Extern("f".into()),
            ForeignCallee::PureExtern("g".into()),
            ForeignCallee::Packed("my.function".into()),
            ForeignCallee::Llvm("llvm.f".into()),
        ]);
        let mut args = vec![self.float(scope, depth - 1), self.int(scope, depth - 1)];
        if !matches!(callee, ForeignCallee::Llvm(_)) {
            args.push(Expr::str(self.pick(&["", "text", "\"\n"])));
        }
        if let Some(buffer) = scope.buffers.first().cloned() {
            let indices = (0..buffer.rank()).map(|_| self.int(scope, depth - 1)).collect();
            args.push(Expr::address_of(&buffer, indices).unwrap());
        }
        let bits = Expr::foreign(DataType::I32, callee.clone(), args);
        if self.chance(2) {
            bits.reinterpret(DataType::F32).unwrap()
        } else {
            Expr::foreign(DataType::F32, callee, vec![])
        }
    }

    /// An operation of some target, as a statement evaluates it.
    pub(super) fn builtin(&mut self, scope: &Scoped) -> Expr {
        if self.chance(16) {
            // The first function of every module.
            let args = vec![self.float(scope, 1), self.int(scope, 1)];
            return Expr::foreign(DataType::VOID, ForeignCallee::Function("copy".into()), args);
        }
        let row = self.pick(Builtin::ALL);
        let count = row.min + self.below(row.max.min(row.min + 2) - row.min + 1);
        let operand = |generator: &mut Self, at: usize| match row.name {
            "tvm_storage_sync" if at == 0 => Expr::str("shared"),
            "assume" => generator.condition(scope, 1),
            _ => generator.int(scope, 1),
        };
        let operands: Vec<_> = (0..count).map(|at| operand(self, at)).collect();
        let types: Vec<_> = operands.iter().map(|operand| operand.dtype).collect();
        let dtype = row.result_type(DataType::F16, &types);
        Expr::foreign(dtype, ForeignCallee::Builtin(row.name.into()), operands)
    }

    /// A `float32`.
    pub(super) fn float(&mut self, scope: &Scoped, depth: usize) -> Expr {
        if depth == 0 || self.chance(4) {
            let value = self.pick(&[0.0, -0.0, 0.1, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
            return Expr::float(value, DataType::F32);
        }
        match self.below(9) {
            0 | 1 => self.load(scope, depth),
            2 => {
                let value = self.int(scope, depth - 1);
                if value.as_int().is_some() {
                    Expr::float(1.0, DataType::F32)
                } else {
                    value.cast(DataType::F32).unwrap()
                }
            }
            3 | 4 => {
                let floats = |i: &Intrinsic| i.result(&vec![DataType::F32; i.arity()]) == Some(DataType::F32);
                let floats: Vec<_> = Intrinsic::ALL.iter().copied().filter(floats).collect();
                let intrinsic = self.pick(&floats);
                let args: Vec<_> = (0..intrinsic.arity()).map(|_| self.float(scope, depth - 1)).collect();
                Expr::call(intrinsic, &args).unwrap()
            }
            5 => self.foreign(scope, depth),
            6 => {
                let dtype = self.pick(&FLOATS);
                let constant = Expr::float(self.pick(&[0.5, -2.0, f64::INFINITY, f64::NAN]), dtype);
                let other = self.float(scope, depth - 1).cast(dtype).unwrap();
                Expr::binary(BinOp::Add, &other, &constant).unwrap().cast(DataType::F32).unwrap()
            }
            _ => {
                let ops: Vec<_> = BinOp::ALL.into_iter().filter(|op| op.takes(DataType::F32)).collect();
                Expr::binary(self.pick(&ops), &self.float(scope, depth - 1), &self.float(scope, depth - 1)).unwrap()
            }
        }
    }

    fn load(&mut self, scope: &Scoped, depth: usize) -> Expr {
        let known = scope.buffers.iter().chain(&scope.constants);
        let known: Vec<_> = known.filter(|buffer| buffer.dtype == DataType::F32).cloned().collect();
        if known.is_empty() {
            return Expr::float(2.5, DataType::F32);
        }
        let buffer = self.pick(&known);
        let mut indices: Vec<_> = (0..buffer.rank()).map(|_| self.int(scope, depth - 1)).collect();
        if buffer.rank() == 0 || !self.chance(4) {
            return Expr::load(&buffer, indices).unwrap();
        }
        let last = indices.len() - 1;
        indices[last] = Expr::ramp(&indices[last], &Expr::i32(1), 4).unwrap();
        let predicate = self.chance(2).then(|| {
            let lanes = Expr::ramp(&self.int(scope, 1), &Expr::i32(1), 4).unwrap();
            Expr::compare(CmpOp::Lt, &lanes, &Expr::i32(7)).unwrap()
        });
        let vector = Expr::load_where(&buffer, indices, predicate).unwrap();
        Expr::shuffle(vec![vector], vec![self.below(4)]).unwrap()
    }

    /// A scalar bool.
    pub(super) fn condition(&mut self, scope: &Scoped, depth: usize) -> Expr {
        if depth == 0 {
            return Expr::bool(self.chance(2));
        }
        let op = self.pick(&CmpOp::ALL);
        match self.below(7) {
            0 => self.condition(scope, depth - 1).not().unwrap(),
            1 => {
                let op = self.pick(&[BinOp::And, BinOp::Or, BinOp::BitXor, BinOp::Min]);
                Expr::binary(op, &self.condition(scope, depth - 1), &self.condition(scope, depth - 1)).unwrap()
            }
            2 => {
                let test = self.pick(&[Intrinsic::IsNan, Intrinsic::IsInf, Intrinsic::IsFinite]);
                Expr::call(test, &[self.float(scope, depth - 1)]).unwrap()
            }
            3 => Expr::compare(op, &self.float(scope, depth - 1), &self.float(scope, depth - 1)).unwrap(),
            _ => Expr::compare(op, &self.int(scope, depth - 1), &self.int(scope, depth - 1)).unwrap(),
        }
    }
}
