//! Small PrimFuncs, made with constructors.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Range, Var};
use tilewright_interp::{Arg, InterpCx, InterpError};
use tilewright_ir::tir::{
    Block, BufferRegion, ForKind, IterKind, IterVar, Param, PrimFunc, Stmt, StmtKind, attr_names,
};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

pub(crate) const F32: DataType = DataType::F32;

pub(crate) fn f32(value: f64) -> Expr {
    Expr::float(value, F32)
}

pub(crate) fn i(value: i64) -> Expr {
    Expr::i64(value)
}

pub(crate) fn buffer(name: &str, shape: &[i64]) -> Buffer {
    Buffer::new(name, shape.iter().map(|&d| i(d)).collect(), F32)
}

pub(crate) fn index(name: &str) -> Var {
    Var::new(name, DataType::I64)
}

pub(crate) fn at(buffer: &Buffer, indices: &[&Var]) -> Expr {
    Expr::load(buffer, indices.iter().map(|v| Expr::var(v)).collect()).unwrap()
}

pub(crate) fn put(buffer: &Buffer, indices: &[&Var], value: &Expr) -> Stmt {
    Stmt::store(buffer, indices.iter().map(|v| Expr::var(v)).collect(), value).unwrap()
}

pub(crate) fn points(buffer: &Buffer, indices: &[&Var]) -> BufferRegion {
    let region = indices.iter().map(|v| Range::new(Expr::var(v), i(1))).collect();
    BufferRegion { buffer: buffer.clone(), region }
}

pub(crate) fn attrs(name: &str) -> Attrs {
    Attrs::from([(attr_names::GLOBAL_SYMBOL.into(), Attr::str(name)), (attr_names::NOALIAS.into(), Attr::Bool(true))])
}

/// The loops of a block: one for each axis, with this kind.
pub(crate) fn nest(block: Block, kinds: &[ForKind]) -> Stmt {
    let loops: Vec<Var> =
        block.iters.iter().map(|iter| Var::new(format!("{}_loop", iter.var.name), DataType::I64)).collect();
    let extents: Vec<Expr> = block.iters.iter().map(|iter| iter.domain.extent.clone()).collect();
    let values = loops.iter().map(Expr::var).collect();
    let mut stmt: Stmt = StmtKind::Block { values, predicate: Expr::bool(true), block }.into();
    for ((var, extent), kind) in loops.iter().zip(extents).zip(kinds).rev() {
        stmt = Stmt::for_loop(var, i(0), extent, kind.clone(), stmt);
    }
    stmt
}

pub(crate) fn block(
    name: &str,
    axes: &[(&Var, i64, IterKind)],
    reads: Vec<BufferRegion>,
    writes: Vec<BufferRegion>,
    init: Option<Stmt>,
    body: Stmt,
) -> Block {
    let iters = axes
        .iter()
        .map(|&(var, extent, kind)| IterVar { var: var.clone(), domain: Range::new(i(0), i(extent)), kind })
        .collect();
    Block {
        name: name.into(),
        iters,
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads,
        writes,
        annotations: Attrs::new(),
        init,
        body,
        origins: Origins::default(),
    }
}

/// A function whose root block allocates `temporaries`.
pub(crate) fn function(name: &str, params: &[&Buffer], temporaries: &[&Buffer], body: Stmt) -> PrimFunc {
    let params = params.iter().map(|b| Param::buffer(b)).collect();
    let temporaries = temporaries.iter().map(|&b| b.clone()).collect();
    PrimFunc::with_root(params, attrs(name), temporaries, body, Origins::default())
}

/// The parts of a matrix product, so that a test can plant a fault in one.
pub(crate) struct Matmul {
    pub(crate) a: Buffer,
    pub(crate) b: Buffer,
    pub(crate) c: Buffer,
    pub(crate) sizes: [i64; 3],
    pub(crate) kinds: [IterKind; 3],
    pub(crate) loops: [ForKind; 3],
    pub(crate) init: bool,
    /// Uses `a[k, i]` in place of `a[i, k]`: the swapped operand.
    pub(crate) swapped: bool,
    /// Declares the element after the one that is read.
    pub(crate) shifted_region: bool,
}

impl Matmul {
    pub(crate) fn new(n: i64, m: i64, k: i64) -> Self {
        use IterKind::{Reduce, Spatial};
        Self {
            a: buffer("A", &[n, k]),
            b: buffer("B", &[k, m]),
            c: buffer("C", &[n, m]),
            sizes: [n, m, k],
            kinds: [Spatial, Spatial, Reduce],
            loops: [ForKind::Serial, ForKind::Serial, ForKind::Serial],
            init: true,
            swapped: false,
            shifted_region: false,
        }
    }

    pub(crate) fn stmt(&self) -> Stmt {
        let [vi, vj, vk] = ["vi", "vj", "vk"].map(index);
        let product = if self.swapped {
            Expr::binary(BinOp::Mul, &at(&self.a, &[&vk, &vi]), &at(&self.b, &[&vk, &vj])).unwrap()
        } else {
            Expr::binary(BinOp::Mul, &at(&self.a, &[&vi, &vk]), &at(&self.b, &[&vk, &vj])).unwrap()
        };
        let sum = Expr::binary(BinOp::Add, &at(&self.c, &[&vi, &vj]), &product).unwrap();
        let mut read_a = points(&self.a, &if self.swapped { [&vk, &vi] } else { [&vi, &vk] });
        if self.shifted_region {
            read_a.region[1].min = &read_a.region[1].min + 1;
        }
        let axes: Vec<_> =
            [&vi, &vj, &vk].into_iter().zip(self.sizes).zip(self.kinds).map(|((v, n), k)| (v, n, k)).collect();
        let block = block(
            "matmul",
            &axes,
            vec![read_a, points(&self.b, &[&vk, &vj])],
            vec![points(&self.c, &[&vi, &vj])],
            self.init.then(|| put(&self.c, &[&vi, &vj], &f32(0.0))),
            put(&self.c, &[&vi, &vj], &sum),
        );
        nest(block, &self.loops)
    }

    pub(crate) fn function(&self) -> PrimFunc {
        function("matmul", &[&self.a, &self.b, &self.c], &[], self.stmt())
    }
}

/// `b = max(a, 0)` over one dimension.
pub(crate) fn relu(a: &Buffer, b: &Buffer, extent: i64, kind: ForKind) -> Stmt {
    let v = index("v");
    let value = Expr::binary(BinOp::Max, &at(a, &[&v]), &f32(0.0)).unwrap();
    let block = block(
        "relu",
        &[(&v, extent, IterKind::Spatial)],
        vec![points(a, &[&v])],
        vec![points(b, &[&v])],
        None,
        put(b, &[&v], &value),
    );
    nest(block, &[kind])
}

/// Numbers that are no small integers, with both signs.
pub(crate) fn data(shape: &[i64], seed: u64) -> Tensor {
    let mut random = tilewright_interp::Random::new(seed);
    let count = shape.iter().product::<i64>() as usize;
    let values = (0..count).map(|_| (random.bits() >> 40) as f32 / 16_777_216.0 * 4.0 - 2.0).collect();
    Tensor::from_vec::<f32>(shape, values).unwrap()
}

pub(crate) fn filled(shape: &[i64], value: f32) -> Tensor {
    Tensor::from_vec::<f32>(shape, vec![value; shape.iter().product::<i64>() as usize]).unwrap()
}

/// Runs the function on the inputs and a destination of garbage, which it returns.
pub(crate) fn run(function: &PrimFunc, inputs: &[&Tensor], out: &[i64], seed: u64) -> Result<Tensor, InterpError> {
    let out = filled(out, f32::NAN);
    let mut args: Vec<Arg> = inputs.iter().map(|&t| t.into()).collect();
    args.push(Arg::Destination(out.clone()));
    InterpCx::new(seed).run_prim_func(function, &args)?;
    Ok(out)
}

/// `a if condition else b`, lazily.
pub(crate) fn if_then_else(condition: &Expr, a: &Expr, b: &Expr) -> Expr {
    Expr::call(Intrinsic::IfThenElse, &[condition.clone(), a.clone(), b.clone()]).unwrap()
}

pub(crate) fn less(a: &Expr, b: &Expr) -> Expr {
    Expr::compare(CmpOp::Lt, a, b).unwrap()
}
