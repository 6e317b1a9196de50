//! Random PrimFuncs.

use tilewright_expr::{Buffer, CmpOp, Expr, Range, Scope, Var};
use tilewright_ir::Attrs;
use tilewright_ir::relax::Constant;
use tilewright_ir::tir::{
    Block, BufferRegion, ForKind, IterKind, IterVar, MatchBuffer, Param, PrimFunc, Stmt, StmtKind,
};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use super::Generator;
use super::scalar::Scoped;

impl Generator {
    pub(super) fn prim_func(&mut self, name: &str) -> PrimFunc {
        let mut scope = Scoped::default();
        let mut params = Vec::new();
        let rows =
            if self.chance(4) { Var::size(self.name(), DataType::I32) } else { Var::new(self.name(), DataType::I32) };
        let columns = Var::new(self.name(), DataType::I32);
        if self.chance(2) {
            params.push(Param::scalar(&rows));
            scope.ints.push(rows.clone());
        }
        for _ in 0..self.below(3) + 1 {
            let dims = [Expr::i32(16), Expr::i32(4), Expr::var(&rows), Expr::var(&columns)];
            let shape: Vec<_> = (0..self.below(3)).map(|_| self.pick(&dims)).collect();
            let dtype = self.pick(&[DataType::F32, DataType::I32]);
            let plain = Buffer::new(self.name(), shape, dtype);
            let buffer = self.details(&plain);
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

    /// The buffer with one thing that few buffers have.
    fn details(&mut self, buffer: &Buffer) -> Buffer {
        let rank = buffer.rank();
        match self.below(16) {
            0 => buffer.derive(|b| b.align = 64),
            1 => buffer.derive(|b| b.strides = (0..rank).map(|_| Expr::i32(3)).collect()),
            2 => buffer.derive(|b| b.elem_offset = Some(Expr::i32(8))),
            3 => buffer
                .derive(|b| (b.elem_offset, b.offset_factor) = (Some(Expr::var(&Var::new("o", DataType::I32))), 4)),
            4 if rank > 1 => buffer.derive(|b| b.axis_separators = vec![1]),
            5 => buffer.derive(|b| b.scope = Scope::Tagged("global.texture".into())),
            6 => buffer.derive(|b| b.broadcasts = true),
            _ => buffer.clone(),
        }
    }

    fn statements(&mut self, scope: &mut Scoped, depth: usize, blocks: bool) -> Stmt {
        let count = if self.chance(12) { 0 } else { self.below(3) + 1 };
        Stmt::seq((0..count).map(|_| self.statement(&mut scope.clone(), depth, blocks)))
    }

    fn statement(&mut self, scope: &mut Scoped, depth: usize, blocks: bool) -> Stmt {
        if depth == 0 {
            return self.store(scope);
        }
        match self.below(12) {
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
            6 => self.allocation(scope, depth),
            7 => StmtKind::Assert { condition: self.condition(scope, 2), message: "no \"good\"".into() }.into(),
            8 => self.attribute(scope, depth, blocks),
            9 => StmtKind::Evaluate(if self.chance(2) { self.builtin(scope) } else { self.int(scope, 2) }).into(),
            10 => {
                let buffer = Buffer::new(self.name(), vec![Expr::i32(3)], DataType::F32);
                let values = vec![1.5f32, -0.0, self.below(9) as f32];
                let data = Constant(Tensor::from_vec(&[3], values).unwrap());
                let mut inner = scope.clone();
                inner.constants.push(buffer.clone());
                StmtKind::AllocateConst { buffer, data, body: self.statements(&mut inner, depth - 1, blocks) }.into()
            }
            _ => {
                StmtKind::While { condition: self.condition(scope, 1), body: self.statements(scope, depth - 1, blocks) }
                    .into()
            }
        }
    }

    fn allocation(&mut self, scope: &mut Scoped, depth: usize) -> Stmt {
        let buffer = Buffer::new(self.name(), vec![Expr::i32(8)], self.pick(&[DataType::F32, DataType::I32]));
        let known = self.pick(&scope.buffers);
        let buffer = if self.chance(4) && known.dtype == buffer.dtype {
            // A view of memory that is there already.
            buffer.derive(|b| (b.data, b.scope) = (known.data.clone(), known.scope.clone()))
        } else {
            let scope = self.pick(&[Scope::Local, Scope::Shared]);
            buffer.derive(|b| b.scope = scope)
        };
        scope.buffers.push(buffer.clone());
        StmtKind::Allocate { buffer, body: self.statements(scope, depth - 1, false) }.into()
    }

    fn attribute(&mut self, scope: &mut Scoped, depth: usize, blocks: bool) -> Stmt {
        let node = match scope.ints.first() {
            Some(var) if self.chance(2) => Expr::var(var),
            _ => Expr::var(&self.pick(&scope.buffers).data),
        };
        let value = if self.chance(2) { self.int(scope, 1) } else { Expr::str("auto") };
        let key = self.pick(&["pragma_unroll", "my \"key\"", "double_buffer_scope"]).into();
        StmtKind::Attr { node, key, value, body: self.statements(scope, depth - 1, blocks) }.into()
    }

    fn for_loop(&mut self, scope: &mut Scoped, depth: usize, blocks: bool) -> Stmt {
        let min = if self.chance(3) { self.int(scope, 1) } else { Expr::i32(0) };
        let kind = match self.below(6) {
            0 => ForKind::Parallel,
            1 => ForKind::Vectorized,
            2 => ForKind::Unrolled,
            3 if self.chance(2) => ForKind::ThreadBinding("threadIdx.x".into()),
            _ => ForKind::Serial,
        };
        let constant = kind == ForKind::Unrolled || !self.chance(3);
        let extent = if constant { Expr::i32(4) } else { self.int(scope, 1) };
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
            let kind = self.pick(&[IterKind::Spatial, IterKind::Reduce, IterKind::Opaque, IterKind::Scan]);
            let min = if self.chance(4) { 2 } else { 0 };
            let domain = Range::new(Expr::i32(min), Expr::i32(4));
            values.push(self.int(&outer, 1));
            iters.push(IterVar { var, domain, kind });
        }
        scope.ints.extend(iters.iter().map(|iter| iter.var.clone()));
        let init = if iters.iter().any(|i| i.kind == IterKind::Reduce) { Some(self.store(scope)) } else { None };
        let reads = (0..self.below(3)).map(|_| self.region(scope)).collect();
        let writes = (0..self.below(2)).map(|_| self.region(scope)).collect();
        let (mut alloc_buffers, mut match_buffers) = (Vec::new(), Vec::new());
        if self.chance(4) {
            let temporary = Buffer::new(self.name(), vec![Expr::i32(4)], DataType::F32);
            scope.buffers.push(temporary.clone());
            alloc_buffers.push(temporary);
        }
        if self.chance(4) {
            let matched = self.match_buffer(&outer);
            scope.buffers.push(matched.buffer.clone());
            match_buffers.push(matched);
        }
        let predicate = if self.chance(4) { self.condition(&outer, 1) } else { Expr::bool(true) };
        let block = Block {
            name: self.name().into(),
            iters,
            alloc_buffers,
            match_buffers,
            reads,
            writes,
            annotations: if self.chance(4) { self.attrs(1) } else { Attrs::new() },
            init,
            body: self.statements(scope, depth - 1, true),
            origins: Origins::default(),
        };
        StmtKind::Block { values, predicate, block }.into()
    }

    /// A view of a region, with the offset and strides that it finds there.
    fn match_buffer(&mut self, scope: &Scoped) -> MatchBuffer {
        let source = self.region(scope);
        let rank = source.region.len();
        let (shape, own_strides) = (vec![Expr::i32(1); rank], self.chance(2));
        let buffer = Buffer::new(self.name(), shape, source.buffer.dtype).derive(|b| {
            b.scope = source.buffer.scope.clone();
            if own_strides {
                let fresh = |name: &str| Expr::var(&Var::new(name, DataType::I32));
                b.strides = (0..rank).map(|_| fresh("s")).collect();
                b.elem_offset = Some(fresh("o"));
            }
        });
        MatchBuffer { buffer, source }
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
}
