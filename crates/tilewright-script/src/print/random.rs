//! Random well-formed modules of both levels, for tests.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, ForeignCallee, Intrinsic, Range, Scope, Var};
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{self, Binding, BindingBlock, BindingValue, SeqExpr, StructInfo};
use tilewright_ir::tir::{
    Block, BufferRegion, ForKind, IterKind, IterVar, Param, PrimFunc, Stmt, StmtKind, attr_names,
};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

/// Names that meet each other, words of Python, and no identifiers.
const NAMES: [&str; 8] = ["x", "i", "x_1", "lv", "lambda", "T", "a.b", "cls"];

/// Makes modules from a seed.
pub(super) struct Generator {
    state: u64,
    /// Whether the function being made calls something with side effects.
    impure: bool,
}

/// What is in scope in a PrimFunc.
#[derive(Clone, Default)]
struct Scoped {
    ints: Vec<Var>,
    buffers: Vec<Buffer>,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, impure: false }
    }

    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 20) as usize % end
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<X: Clone>(&mut self, items: &[X]) -> X {
        items[self.below(items.len())].clone()
    }

    fn name(&mut self) -> &'static str {
        self.pick(&NAMES)
    }

    fn attrs(&mut self, depth: usize) -> Attrs {
        (0..self.below(3)).map(|_| (self.name().into(), self.attr(depth))).collect()
    }

    fn attr(&mut self, depth: usize) -> Attr {
        match self.below(if depth == 0 { 7 } else { 9 }) {
            0 => Attr::None,
            1 => Attr::Bool(self.chance(2)),
            2 => Attr::Int(self.below(9) as i64 - 4),
            3 => Attr::Float(tilewright_expr::node::FloatBits(self.pick(&[0.5, -1e30, f64::INFINITY]))),
            4 => Attr::str(self.pick(&["", "a\"b\\", "ü\n"])),
            5 => Attr::DType(DataType::I8.with_lanes(4)),
            6 => Attr::Expr(self.pick(&[Expr::i64(3), Expr::i32(3), Expr::float(2.0, DataType::F32)])),
            7 => Attr::Array((0..self.below(3)).map(|_| self.attr(depth - 1)).collect()),
            _ => Attr::Map(self.attrs(depth - 1)),
        }
    }

    pub(super) fn module(&mut self) -> IRModule {
        let mut module = IRModule::new();
        if self.chance(4) {
            module.attrs = self.attrs(1);
        }
        let mut callable = Vec::new();
        for i in 0..self.below(3) {
            let name = format!("f{i}");
            let function = self.prim_func(&name);
            callable.push(module.insert(name, function));
        }
        for i in 0..self.below(2) + 1 {
            let name = format!("g{i}");
            let function = self.function(&name);
            module.insert(name, function);
        }
        module
    }

    fn symbol(&mut self, name: &str) -> Attrs {
        let mut attrs = self.attrs(2);
        if !self.chance(3) {
            attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(name));
        }
        attrs
    }

    fn prim_func(&mut self, name: &str) -> PrimFunc {
        let mut scope = Scoped::default();
        let mut params = Vec::new();
        let (rows, columns) = (Var::new(self.name(), DataType::I32), Var::new(self.name(), DataType::I32));
        if self.chance(2) {
            params.push(Param::scalar(&rows));
            scope.ints.push(rows.clone());
        }
        for _ in 0..self.below(3) + 1 {
            let dims = [Expr::i32(16), Expr::i32(4), Expr::var(&rows), Expr::var(&columns)];
            let shape: Vec<_> = (0..self.below(3)).map(|_| self.pick(&dims)).collect();
            let dtype = self.pick(&[DataType::F32, DataType::I32]);
            let mut buffer = Buffer::new(self.name(), shape, dtype);
            if self.chance(5) {
                buffer = buffer.derive(|b| b.align = 64);
            }
            params.push(Param::buffer(&buffer));
            scope.buffers.push(buffer);
        }
        let attrs = self.symbol(name);
        if self.chance(3) {
            let body = self.statements(&mut scope, 3, false);
            return PrimFunc { params, attrs, body, origins: Origins::default() };
        }
        let local = Buffer::new(self.name(), vec![Expr::i32(8)], DataType::F32);
        let local = if self.chance(2) { local.derive(|b| b.scope = Scope::Local) } else { local };
        scope.buffers.push(local.clone());
        let body = self.statements(&mut scope, 3, true);
        PrimFunc::with_root(params, attrs, vec![local], body, Origins::default())
    }

    fn statements(&mut self, scope: &mut Scoped, depth: usize, blocks: bool) -> Stmt {
        let count = self.below(3) + 1;
        Stmt::seq((0..count).map(|_| self.statement(&mut scope.clone(), depth, blocks)))
    }

    fn statement(&mut self, scope: &mut Scoped, depth: usize, blocks: bool) -> Stmt {
        if depth == 0 {
            return self.store(scope);
        }
        match self.below(9) {
            0..=2 => self.store(scope),
            3 => self.for_loop(scope, depth, blocks),
            4 => StmtKind::If {
                condition: self.condition(scope, 2),
                then: self.statements(&mut scope.clone(), depth - 1, blocks),
                otherwise: if self.chance(2) { Some(self.statements(scope, depth - 1, blocks)) } else { None },
            }
            .into(),
            5 => {
                let value = self.int(scope, 2);
                let var = Var::new(self.name(), DataType::I32);
                scope.ints.push(var.clone());
                StmtKind::Let { var, value, body: self.statements(scope, depth - 1, blocks) }.into()
            }
            6 if blocks => self.block(scope, depth),
            6 => {
                let buffer = Buffer::new(self.name(), vec![Expr::i32(8)], self.pick(&[DataType::F32, DataType::I32]));
                let buffer = buffer.derive(|b| b.scope = Scope::Local);
                scope.buffers.push(buffer.clone());
                StmtKind::Allocate { buffer, body: self.statements(scope, depth - 1, blocks) }.into()
            }
            7 => StmtKind::Assert { condition: self.condition(scope, 2), message: "no \"good\"".into() }.into(),
            _ => {
                StmtKind::While { condition: self.condition(scope, 1), body: self.statements(scope, depth - 1, blocks) }
                    .into()
            }
        }
    }

    fn for_loop(&mut self, scope: &mut Scoped, depth: usize, blocks: bool) -> Stmt {
        let min = if self.chance(3) { self.int(scope, 1) } else { Expr::i32(0) };
        let extent = if self.chance(3) { self.int(scope, 1) } else { Expr::i32(4) };
        let kind = match self.below(6) {
            0 => ForKind::Parallel,
            1 => ForKind::Vectorized,
            2 => ForKind::Unrolled,
            3 if self.chance(2) => ForKind::ThreadBinding("threadIdx.x".into()),
            _ => ForKind::Serial,
        };
        let annotations = if self.chance(4) { self.attrs(1) } else { Attrs::new() };
        let var = Var::new(self.name(), DataType::I32);
        scope.ints.push(var.clone());
        let body = self.statements(scope, depth - 1, blocks);
        StmtKind::For { var, min, extent, kind, annotations, body }.into()
    }

    fn block(&mut self, scope: &mut Scoped, depth: usize) -> Stmt {
        let outer = scope.clone();
        let (mut iters, mut values) = (Vec::new(), Vec::new());
        for _ in 0..self.below(3) {
            let var = Var::new(self.name(), DataType::I32);
            let kind = self.pick(&[IterKind::Spatial, IterKind::Reduce, IterKind::Opaque]);
            let min = if self.chance(4) { 2 } else { 0 };
            let domain = Range::new(Expr::i32(min), Expr::i32(4));
            values.push(self.int(&outer, 1));
            iters.push(IterVar { var, domain, kind });
        }
        scope.ints.extend(iters.iter().map(|iter| iter.var.clone()));
        let init = if iters.iter().any(|i| i.kind == IterKind::Reduce) { Some(self.store(scope)) } else { None };
        let temporary = Buffer::new(self.name(), vec![Expr::i32(4)], DataType::F32);
        let alloc_buffers = if self.chance(4) { vec![temporary.clone()] } else { Vec::new() };
        let reads = (0..self.below(3)).map(|_| self.region(scope)).collect();
        let writes = (0..self.below(2)).map(|_| self.region(scope)).collect();
        if !alloc_buffers.is_empty() {
            scope.buffers.push(temporary);
        }
        let predicate = if self.chance(4) { self.condition(&outer, 1) } else { Expr::bool(true) };
        let block = Block {
            name: self.name().into(),
            iters,
            alloc_buffers,
            match_buffers: Vec::new(),
            reads,
            writes,
            annotations: if self.chance(4) { self.attrs(1) } else { Attrs::new() },
            init,
            body: self.statements(scope, depth - 1, true),
            origins: Origins::default(),
        };
        StmtKind::Block { values, predicate, block }.into()
    }

    fn region(&mut self, scope: &Scoped) -> BufferRegion {
        let buffer = self.pick(&scope.buffers);
        let region = (0..buffer.rank())
            .map(|_| {
                let extent = if self.chance(2) { Expr::i32(1) } else { Expr::i32(3) };
                Range::new(self.int(scope, 1), extent)
            })
            .collect();
        BufferRegion { buffer, region }
    }

    fn store(&mut self, scope: &Scoped) -> Stmt {
        let buffer = self.pick(&scope.buffers);
        let indices: Vec<_> = (0..buffer.rank()).map(|_| self.int(scope, 2)).collect();
        let value = if buffer.dtype == DataType::F32 { self.float(scope, 3) } else { self.int(scope, 3) };
        if buffer.rank() == 1 && self.chance(4) {
            let ramp = Expr::ramp(&indices[0], &Expr::i32(1), 4).unwrap();
            // Not of the same nodes: a variable that is bound in one of them is bound once.
            let other = Expr::ramp(&self.int(scope, 2), &Expr::i32(1), 4).unwrap();
            let predicate = self.chance(2).then(|| Expr::compare(CmpOp::Lt, &other, &Expr::i32(7)).unwrap());
            return Stmt::store_where(&buffer, vec![ramp], &value, predicate).unwrap();
        }
        Stmt::store(&buffer, indices, &value).unwrap()
    }

    fn int(&mut self, scope: &Scoped, depth: usize) -> Expr {
        if depth == 0 || self.chance(3) {
            return match scope.ints.as_slice() {
                [] => Expr::i32(self.below(7) as i32 - 3),
                ints if self.chance(2) => Expr::var(&self.pick(ints)),
                _ => Expr::i32(self.below(7) as i32 - 3),
            };
        }
        let (a, b) = (self.int(scope, depth - 1), self.int(scope, depth - 1));
        match self.below(8) {
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
            _ => Expr::call(Intrinsic::IfThenElse, &[self.condition(scope, depth - 1), a, b]).unwrap(),
        }
    }

    fn foreign(&mut self, scope: &Scoped, depth: usize) -> Expr {
        let callee = self.pick(&[
            ForeignCallee::Extern("f".into()),
            ForeignCallee::Packed("my.function".into()),
            ForeignCallee::Llvm("llvm.f".into()),
        ]);
        let mut args = vec![self.float(scope, depth - 1), self.int(scope, depth - 1)];
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

    fn float(&mut self, scope: &Scoped, depth: usize) -> Expr {
        if depth == 0 || self.chance(4) {
            let value = self.pick(&[0.0, -0.0, 0.1, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
            return Expr::float(value, DataType::F32);
        }
        match self.below(8) {
            0 | 1 => match scope.buffers.iter().find(|b| b.dtype == DataType::F32).cloned() {
                Some(buffer) => {
                    let indices = (0..buffer.rank()).map(|_| self.int(scope, depth - 1)).collect();
                    Expr::load(&buffer, indices).unwrap()
                }
                None => Expr::float(2.5, DataType::F32),
            },
            2 => {
                let value = self.int(scope, depth - 1);
                if value.as_int().is_some() {
                    Expr::float(1.0, DataType::F32)
                } else {
                    value.cast(DataType::F32).unwrap()
                }
            }
            3 | 4 => {
                let floats: Vec<_> = Intrinsic::ALL
                    .iter()
                    .copied()
                    .filter(|i| {
                        let operands = vec![DataType::F32; i.arity()];
                        i.result(&operands) == Some(DataType::F32)
                    })
                    .collect();
                let intrinsic = self.pick(&floats);
                let args: Vec<_> = (0..intrinsic.arity()).map(|_| self.float(scope, depth - 1)).collect();
                Expr::call(intrinsic, &args).unwrap()
            }
            5 => self.foreign(scope, depth),
            _ => {
                let op = self.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Max, BinOp::FloorDiv]);
                Expr::binary(op, &self.float(scope, depth - 1), &self.float(scope, depth - 1)).unwrap()
            }
        }
    }

    fn condition(&mut self, scope: &Scoped, depth: usize) -> Expr {
        if depth == 0 {
            return Expr::bool(self.chance(2));
        }
        let op = self.pick(&CmpOp::ALL);
        match self.below(4) {
            0 => self.condition(scope, depth - 1).not().unwrap(),
            1 => {
                let op = self.pick(&[BinOp::And, BinOp::Or]);
                Expr::binary(op, &self.condition(scope, depth - 1), &self.condition(scope, depth - 1)).unwrap()
            }
            _ => Expr::compare(op, &self.int(scope, depth - 1), &self.int(scope, depth - 1)).unwrap(),
        }
    }

    fn function(&mut self, name: &str) -> relax::Function {
        self.impure = false;
        let n = Expr::var(&Var::new(self.name(), DataType::I64));
        let dims = [n.clone(), Expr::i64(4), &n * 2, &n + 1];
        let rows = self.pick(&dims);
        let info = StructInfo::tensor(vec![n, rows], DataType::F32);
        let params: Vec<_> = (0..self.below(3) + 1).map(|_| relax::Var::new(self.name(), info.clone())).collect();
        let condition = relax::Var::new("c", StructInfo::tensor_of(&[], DataType::BOOL));
        let mut values: Vec<relax::Expr> = params.iter().map(relax::Expr::var).collect();
        let mut blocks = Vec::new();
        for _ in 0..self.below(3) + 1 {
            let dataflow = self.chance(2);
            if !dataflow && blocks.last().is_some_and(|b: &BindingBlock| !b.dataflow) {
                continue;
            }
            blocks.push(self.binding_block(&mut values, &condition, &info, dataflow));
        }
        let result = if self.chance(3) {
            relax::Expr::tuple((0..self.below(3)).map(|_| self.pick(&values)).collect())
        } else {
            self.pick(&values)
        };
        let ret = result.struct_info.clone();
        let mut params = params;
        params.push(condition);
        let attrs = self.symbol(name);
        let body = SeqExpr { blocks, result };
        relax::Function {
            params,
            body,
            ret,
            pure: !self.chance(if self.impure { 2 } else { 4 }),
            attrs,
            origins: Origins::default(),
        }
    }

    fn binding_block(
        &mut self,
        values: &mut Vec<relax::Expr>,
        condition: &relax::Var,
        info: &StructInfo,
        dataflow: bool,
    ) -> BindingBlock {
        let mut inside = values.clone();
        let mut bindings = Vec::new();
        for _ in 0..self.below(3) + 1 {
            let value = self.graph(&inside, condition, info, dataflow);
            let hidden = dataflow && self.chance(2);
            let (name, info) = (self.name(), value.struct_info.clone());
            let var = if hidden { relax::Var::dataflow(name, info) } else { relax::Var::new(name, info) };
            let used = relax::Expr::var(&var);
            if matches!(used.struct_info, StructInfo::Tensor { .. }) {
                inside.push(used.clone());
                if !hidden {
                    values.push(used);
                }
            }
            let value = match &value.struct_info {
                StructInfo::Tensor { .. } if value.as_var().is_some() && self.chance(2) => {
                    BindingValue::MatchCast { struct_info: value.struct_info.clone(), value }
                }
                _ => BindingValue::Expr(value),
            };
            bindings.push(Binding { value, var, origins: Origins::default() });
        }
        BindingBlock { dataflow, bindings }
    }

    fn graph(
        &mut self,
        values: &[relax::Expr],
        condition: &relax::Var,
        info: &StructInfo,
        dataflow: bool,
    ) -> relax::Expr {
        let cx = InferCx::default();
        let op = |name: &str, args| {
            relax::Expr::call_op(&cx, tilewright_ops::lookup(name).unwrap(), args, Attrs::new()).unwrap()
        };
        match self.below(if dataflow { 6 } else { 8 }) {
            0 => op("nn.relu", vec![self.pick(values)]),
            1 => {
                let x = self.pick(values);
                op("add", vec![x.clone(), x])
            }
            2 => relax::Expr::call_dps_packed("env.f", vec![self.pick(values)], vec![info.clone(); self.below(2) + 1])
                .unwrap(),
            3 => relax::Expr::tuple(vec![self.pick(values), relax::Expr::str("a"), relax::Expr::prim(Expr::i64(-2))]),
            4 => {
                let constant = if self.chance(2) {
                    Tensor::scalar(self.pick(&[0.1f32, -3e30, 0.0]))
                } else {
                    Tensor::from_vec(&[3], vec![1i8, -2, self.below(5) as i8]).unwrap()
                };
                relax::Expr::constant(constant)
            }
            5 => self.pick(values),
            6 => {
                self.impure = true;
                relax::Expr::call_packed("env.g", vec![self.pick(values)], vec![info.clone(); self.below(3)])
            }
            _ => {
                let mut branch = || {
                    let mut inner = values.to_vec();
                    let block = self.binding_block(&mut inner, condition, info, false);
                    SeqExpr { blocks: vec![block], result: self.pick(&inner) }
                };
                let (then, otherwise) = (branch(), branch());
                relax::Expr::conditional(relax::Expr::var(condition), then, otherwise).unwrap()
            }
        }
    }
}
