//! Random graphs, binding by binding through the block builder.

use std::sync::LazyLock;

use tilewright::ir::builder::{BlockBuilder, BuildError};
use tilewright::ir::op::{ArgKind, InferCx, OpRef};
use tilewright::ir::relax::{Callee, Expr, ExprKind, Function, GlobalVar, StructInfo, TensorShape, Var};
use tilewright::ir::{Attrs, IRModule};
use tilewright::{DataType, SourceFile, Tensor, parse_module};
use tilewright_interp::Random;

use super::DIM;
use super::calls::{call, is_small, pick};
use crate::run::{COPY, LAST};

/// PrimFuncs that graphs call: several blocks, a symbolic dimension, a reduction, a scalar argument, an overwritten
/// argument.
const KERNELS: &str = r#"
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        B = T.match_buffer(b, (n, 4), "float32")
        C = T.alloc_buffer((n, 4), "float32")
        for i, j in T.grid(n, 4):
            with T.block("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + T.float32(1)
        for i, j in T.grid(n, 4):
            with T.block("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = C[vi, 3 - vj] * T.float32(2)

    @T.prim_func(private=True)
    def rows(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        B = T.match_buffer(b, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i, j, k in T.grid(n, 4, 4):
            with T.block("rows"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = T.max(C[vi, vj], A[vi, vk] - B[vi, vj])

    @T.prim_func(private=True)
    def overwrite(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        for i, j in T.grid(n, 4):
            with T.block("negate"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = T.float32(1) - A[vi, vj]

    @T.prim_func(private=True)
    def two(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        B = T.match_buffer(b, (n, 4), "float32")
        C = T.match_buffer(c, (4, n), "float32")
        for i, j in T.grid(n, 4):
            with T.block("both"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, 3 - vj]
                C[vj, vi] = T.abs(A[vi, vj])
"#;

/// The operators that random graphs call: pure ones with a formula.
pub fn operators() -> Vec<OpRef> {
    let takes = |kind: ArgKind| !matches!(kind, ArgKind::Function | ArgKind::Condition | ArgKind::Values);
    tilewright::ops::all()
        .filter(|op| op.properties.pure && op.legalize.is_prim_func())
        .filter(|op| op.args.iter().all(|arg| takes(arg.kind)))
        .collect()
}

static KERNEL_MODULE: LazyLock<Result<IRModule, String>> =
    LazyLock::new(|| parse_module(&SourceFile::new("kernels.py", KERNELS)).map_err(|found| found.to_string()));

/// The module of a seed: `main`, a private function that it calls, and the PrimFuncs.
pub fn module(seed: u64) -> Result<IRModule, BuildError> {
    let kernels = KERNEL_MODULE.as_ref().map_err(|found| BuildError::State(found.clone()))?;
    let mut writer = Writer {
        builder: BlockBuilder::with_module(kernels.clone()),
        random: Random::new(seed),
        known: Vec::new(),
        helper: None,
        operators: operators(),
    };
    let helper = writer.helper()?;
    writer.helper = Some(helper);
    writer.main()?;
    writer.builder.finalize()
}

struct Writer {
    builder: BlockBuilder,
    random: Random,
    /// The tensors in scope.
    known: Vec<Expr>,
    helper: Option<GlobalVar>,
    operators: Vec<OpRef>,
}

/// `(n, 4)` of float32, with a dimension of its own.
fn rows_info(dim: &tilewright::expr::Var) -> StructInfo {
    StructInfo::tensor(vec![tilewright::expr::Expr::var(dim), tilewright::expr::Expr::i64(4)], DataType::F32)
}

fn new_dim() -> tilewright::expr::Var {
    tilewright::expr::Var::new(DIM, DataType::I64)
}

impl Writer {
    fn helper(&mut self) -> Result<GlobalVar, BuildError> {
        let info = rows_info(&new_dim());
        let (a, unused, b) = (Var::new("a", info.clone()), Var::new("unused", info.clone()), Var::new("b", info));
        self.known = vec![Expr::var(&a), Expr::var(&b)];
        self.builder.begin_function_with("helper", vec![a.clone(), unused, b], Attrs::new(), true);
        self.dataflow(3)?;
        let result = self.known_like(&a.struct_info);
        let all = Expr::tuple(vec![result, pick(&mut self.random, &self.known).unwrap_or_else(|| Expr::var(&a))]);
        self.builder.emit_func_output(&all)
    }

    fn main(&mut self) -> Result<(), BuildError> {
        let info = rows_info(&new_dim());
        let params = [
            Var::new("p", StructInfo::tensor_of(&[], DataType::BOOL)),
            Var::new("x", info.clone()),
            Var::new("y", info),
            Var::new("w", StructInfo::tensor_of(&[4, 4], DataType::F32)),
            Var::new("v", StructInfo::tensor_of(&[4], DataType::F32)),
            Var::new("m", StructInfo::tensor_of(&[3, 4], DataType::BOOL)),
            Var::new("k", StructInfo::tensor_of(&[3, 4], DataType::I64)),
            Var::new("s", StructInfo::tensor_of(&[], DataType::F32)),
            Var::new("i", StructInfo::tensor_of(&[1, 2, 5, 5], DataType::F32)),
        ];
        self.known = params.iter().map(Expr::var).collect();
        let impure = self.random.below(3) == 0;
        let attrs = Attrs::from([("global_symbol".into(), tilewright::ir::Attr::str("main"))]);
        self.builder.begin_function_with("main", params.to_vec(), attrs, !impure);
        for _ in 0..1 + self.random.below(3) {
            let count = 2 + self.random.below(6);
            match self.random.below(3) {
                0 => self.plain(count, &params[0], impure)?,
                _ => self.dataflow(count)?,
            }
        }
        let results = (0..1 + self.random.below(4)).filter_map(|_| pick(&mut self.random, &self.known)).collect();
        self.builder.emit_func_output(&Expr::tuple(results)).map(|_| ())
    }

    /// A dataflow block; some of its values leave it.
    fn dataflow(&mut self, count: usize) -> Result<(), BuildError> {
        let before = self.known.len();
        self.builder.begin_dataflow()?;
        for _ in 0..count {
            self.value()?;
        }
        let mut outputs = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            if let Some(value) = pick(&mut self.random, &self.known) {
                outputs.push(Expr::var(&self.builder.emit_output(&value)?));
            }
        }
        self.builder.end_dataflow()?;
        self.known.truncate(before);
        self.known.extend(outputs);
        Ok(())
    }

    /// Bindings of a plain block, with branches, function values and effects among them.
    fn plain(&mut self, count: usize, condition: &Var, impure: bool) -> Result<(), BuildError> {
        for _ in 0..count {
            match self.random.below(6) {
                0 => self.branches(condition)?,
                1 => self.function_value()?,
                2 if impure => {
                    let Some(value) = pick(&mut self.random, &self.known) else { continue };
                    let info = value.struct_info.clone();
                    self.keep(&Expr::call_packed(LAST, vec![value], vec![info]))?;
                }
                _ => self.value()?,
            }
        }
        Ok(())
    }

    fn branches(&mut self, condition: &Var) -> Result<(), BuildError> {
        let Some(like) = pick(&mut self.random, &self.known) else { return Ok(()) };
        let mut branches = Vec::new();
        for _ in 0..2 {
            let before = self.known.len();
            self.builder.begin_sequence();
            for _ in 0..1 + self.random.below(3) {
                self.value()?;
            }
            let result = self.known_like(&like.struct_info);
            branches.push(self.builder.end_sequence(&result)?);
            self.known.truncate(before);
        }
        if let (Some(otherwise), Some(then)) = (branches.pop(), branches.pop()) {
            self.keep(&Expr::conditional(Expr::var(condition), then, otherwise)?)?;
        }
        Ok(())
    }

    /// A function that uses values around it, and a call of it.
    fn function_value(&mut self) -> Result<(), BuildError> {
        let Some(like) = pick(&mut self.random, &self.known) else { return Ok(()) };
        let param = Var::new("q", like.struct_info.clone());
        let before = self.known.len();
        self.builder.begin_sequence();
        self.known.push(Expr::var(&param));
        self.value()?;
        let result = self.known_like(&param.struct_info);
        let body = self.builder.end_sequence(&result)?;
        self.known.truncate(before);
        let ret = body.result.struct_info.clone();
        let params = vec![param];
        let function = Function { params, body, ret, pure: true, attrs: Attrs::new(), origins: Default::default() };
        let closure = self.builder.emit(&Expr::raw(function.signature(), ExprKind::Function(Box::new(function))))?;
        let call = Expr::call_value(self.builder.infer_cx(), Expr::var(&closure), vec![like])?;
        self.keep(&call)
    }

    /// One value more.
    fn value(&mut self) -> Result<(), BuildError> {
        let made = match self.random.below(10) {
            0 => self.kernel()?,
            1 => self.helped()?,
            2 => pick(&mut self.random, &self.known)
                .map(|value| {
                    let info = vec![value.struct_info.clone()];
                    Expr::call_dps_packed(COPY, vec![value], info)
                })
                .transpose()?,
            3 => return self.cast(),
            4 => Some(self.constant()?),
            _ => self.operator(),
        };
        match made {
            Some(value) => self.keep(&value),
            None => Ok(()),
        }
    }

    fn operator(&mut self) -> Option<Expr> {
        (0..6).find_map(|_| {
            let op = self.operators[self.random.below(self.operators.len())];
            call(self.builder.infer_cx(), &mut self.random, op, &self.known).filter(has_loops)
        })
    }

    fn constant(&mut self) -> Result<Expr, BuildError> {
        let numbers: Vec<f32> = (0..4).map(|_| self.random.below(9) as f32 - 4.0).collect();
        let tensor = Tensor::from_vec(&[4], numbers).map_err(|error| BuildError::State(error.to_string()))?;
        Ok(Expr::constant(tensor))
    }

    /// The known type of a value, repeated with less information.
    fn cast(&mut self) -> Result<(), BuildError> {
        let Some(value) = pick(&mut self.random, &self.known) else { return Ok(()) };
        let info = value.struct_info.clone();
        let less = match (&info, info.dims()) {
            (StructInfo::Tensor { dtype, .. }, Some(dims)) => {
                StructInfo::tensor_with(TensorShape::Rank(dims.len()), *dtype)
            }
            _ => return Ok(()),
        };
        let vague = self.builder.emit_match_cast(&value, less)?;
        let var = self.builder.emit_match_cast(&Expr::var(&vague), info)?;
        self.known.push(Expr::var(&var));
        Ok(())
    }

    /// A value of `(n, 4)`, if there is one.
    fn rows(&mut self) -> Option<Expr> {
        let is_rows = |value: &&Expr| match (value.struct_info.dims(), value.struct_info.dtype()) {
            (Some([n, four]), Some(DataType::F32)) => n.as_var().is_some() && four.as_int() == Some(4),
            _ => false,
        };
        let rows: Vec<&Expr> = self.known.iter().filter(is_rows).collect();
        rows.get(self.random.below(rows.len())).copied().cloned()
    }

    fn kernel(&mut self) -> Result<Option<Expr>, BuildError> {
        let (Some(a), Some(b)) = (self.rows(), self.rows()) else { return Ok(None) };
        let out = a.struct_info.clone();
        let (name, args, results) = match self.random.below(3) {
            0 => ("twice", vec![a], vec![out]),
            1 => ("rows", vec![a, b], vec![out]),
            _ => {
                let mut dims = out.dims().map(<[_]>::to_vec).unwrap_or_default();
                dims.reverse();
                ("two", vec![a], vec![out, StructInfo::tensor(dims, DataType::F32)])
            }
        };
        let Some(function) = self.builder.get().global_var(name) else { return Ok(None) };
        Ok(Some(Expr::call_tir(self.builder.infer_cx(), function, args, results)?))
    }

    fn helped(&mut self) -> Result<Option<Expr>, BuildError> {
        let (Some(a), Some(b), Some(c)) = (self.rows(), self.rows(), self.rows()) else { return Ok(None) };
        let Some(helper) = self.helper.clone() else { return Ok(None) };
        Ok(Some(Expr::call_value(self.builder.infer_cx(), Expr::global(&helper), vec![a, b, c])?))
    }

    /// Binds the value; of a tuple, its fields are known then.
    fn keep(&mut self, value: &Expr) -> Result<(), BuildError> {
        let var = Expr::var(&self.builder.emit(value)?);
        let fields = match &var.struct_info {
            StructInfo::Tuple(fields) => fields.len(),
            _ => {
                self.known.push(var);
                return Ok(());
            }
        };
        for index in 0..fields {
            let field = self.builder.emit(&Expr::tuple_get(var.clone(), index)?)?;
            if is_small(&field.struct_info) {
                self.known.push(Expr::var(&field));
            }
        }
        Ok(())
    }

    /// The last known value of this kind; there is one wherever one was taken from what is known.
    fn known_like(&self, info: &StructInfo) -> Expr {
        let same = |value: &&Expr| value.struct_info.equal(info);
        self.known.iter().rev().find(same).or(self.known.last()).cloned().unwrap_or_else(|| Expr::tuple(Vec::new()))
    }
}

/// Whether there are loops of the call: a type can be inferred for more calls.
fn has_loops(call: &Expr) -> bool {
    match &call.kind {
        ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } => {
            Expr::call_op(&InferCx::for_loops(), *op, args.clone(), attrs.clone()).is_ok()
        }
        _ => true,
    }
}
