//! PrimFuncs that are not well-formed. The parser gives none of them; passes and programs that build IR may.

use tilewright::DataType;
use tilewright::ir::Attrs;
use tilewright::ir::relax::Constant;
use tilewright::ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ExprKind, ForKind, ForeignCallee, IterKind, IterVar, MatchBuffer,
    Param, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright::ir::verify::{Form, verify};
use tilewright::support::Origins;
use tilewright::{GlobalFunc, IRModule, Tensor};

use super::{Outcome, examples};

examples! {
    "loops.rs":
    tw0501 tw0503 tw0504 tw0505 tw0506 tw0508 tw0509 tw0510 tw0511 tw0513 tw0514 tw0515 tw0516
    tw0517 tw0518 tw0534
}

/// Verifies a module of one PrimFunc with these parameters and this body.
fn check(params: Vec<Param>, body: impl Into<Stmt>) -> Outcome {
    let function = PrimFunc::with_root(params, Attrs::new(), Vec::new(), body.into(), Origins::default());
    let mut module = IRModule::new();
    module.insert("main", GlobalFunc::from(function));
    Ok(verify(&module, Form::Any)?)
}

fn buffer(name: &str, shape: &[i64]) -> Buffer {
    Buffer::new(name, shape.iter().map(|&size| Expr::i64(size)).collect(), DataType::F32)
}

fn zero() -> Expr {
    Expr::float(0.0, DataType::F32)
}

/// A block with one axis over `a`'s four elements, which it sets to zero.
fn fill(a: &Buffer, axis: &Var) -> Result<Block, Box<dyn std::error::Error>> {
    let domain = Range::up_to(Expr::int(4, axis.dtype));
    Ok(Block {
        name: "fill".into(),
        iters: vec![IterVar { var: axis.clone(), domain, kind: IterKind::Spatial }],
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations: Attrs::new(),
        init: None,
        body: Stmt::store(a, vec![Expr::var(axis)], &zero())?,
        origins: Origins::default(),
    })
}

mod tw0501 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4]);
        let i = Var::new("i", DataType::I64);
        let body = Stmt::store(&a, vec![Expr::var(&i)], &zero())?;
        check(vec![Param::buffer(&a)], body)
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4]);
        let i = Var::new("i", DataType::I64);
        let body = Stmt::store(&a, vec![Expr::var(&i)], &zero())?;
        let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(4), ForKind::Serial, body);
        check(vec![Param::buffer(&a)], body)
    }
}

mod tw0503 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (a, b) = (buffer("A", &[4, 8]), buffer("B", &[1]));
        let load = ExprKind::Load { buffer: a.clone(), indices: vec![Expr::i64(0)], predicate: None };
        let body = Stmt::store(&b, vec![Expr::i64(0)], &Expr::raw(DataType::F32, load))?;
        check(vec![Param::buffer(&a), Param::buffer(&b)], body)
    }

    pub(super) fn right() -> Outcome {
        let (a, b) = (buffer("A", &[4, 8]), buffer("B", &[1]));
        // `Expr::load` checks what `Expr::raw` does not.
        let load = Expr::load(&a, vec![Expr::i64(0), Expr::i64(0)])?;
        let body = Stmt::store(&b, vec![Expr::i64(0)], &load)?;
        check(vec![Param::buffer(&a), Param::buffer(&b)], body)
    }
}

mod tw0504 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4]);
        let indices = vec![Expr::float(1.0, DataType::F32)];
        let store = StmtKind::Store { buffer: a.clone(), indices, value: zero(), predicate: None };
        check(vec![Param::buffer(&a)], store)
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4]);
        let indices = vec![Expr::float(1.0, DataType::F32).cast(DataType::I64)?];
        let store = StmtKind::Store { buffer: a.clone(), indices, value: zero(), predicate: None };
        check(vec![Param::buffer(&a)], store)
    }
}

mod tw0505 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4]);
        let (indices, value) = (vec![Expr::i64(0)], Expr::i32(1));
        let store = StmtKind::Store { buffer: a.clone(), indices, value, predicate: None };
        check(vec![Param::buffer(&a)], store)
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4]);
        let (indices, value) = (vec![Expr::i64(0)], Expr::i32(1).cast(a.dtype)?);
        let store = StmtKind::Store { buffer: a.clone(), indices, value, predicate: None };
        check(vec![Param::buffer(&a)], store)
    }
}

mod tw0506 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4]);
        let sum = ExprKind::Binary(BinOp::Add, zero(), Expr::i32(1));
        let body = Stmt::store(&a, vec![Expr::i64(0)], &Expr::raw(DataType::F32, sum))?;
        check(vec![Param::buffer(&a)], body)
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4]);
        // `Expr::binary` refuses operands of two types, where `Expr::raw` takes anything.
        let sum = Expr::binary(BinOp::Add, &zero(), &Expr::i32(1).cast(DataType::F32)?)?;
        let body = Stmt::store(&a, vec![Expr::i64(0)], &sum)?;
        check(vec![Param::buffer(&a)], body)
    }
}

mod tw0508 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let i = Var::new("i", DataType::I64);
        let (from, over) = (Expr::i64(0), Expr::i32(4));
        check(Vec::new(), Stmt::for_loop(&i, from, over, ForKind::Serial, Stmt::nothing()))
    }

    pub(super) fn right() -> Outcome {
        let i = Var::new("i", DataType::I64);
        let (from, over) = (Expr::i64(0), Expr::i64(4));
        check(Vec::new(), Stmt::for_loop(&i, from, over, ForKind::Serial, Stmt::nothing()))
    }
}

mod tw0509 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4]);
        let block = fill(&a, &Var::new("vi", DataType::I64))?;
        let values = Vec::new();
        check(vec![Param::buffer(&a)], StmtKind::Block { values, predicate: Expr::bool(true), block })
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4]);
        let block = fill(&a, &Var::new("vi", DataType::I64))?;
        let values = vec![Expr::i64(0)];
        check(vec![Param::buffer(&a)], StmtKind::Block { values, predicate: Expr::bool(true), block })
    }
}

mod tw0510 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4]);
        let block = fill(&a, &Var::new("vi", DataType::I64))?;
        let values = vec![Expr::i32(0)];
        check(vec![Param::buffer(&a)], StmtKind::Block { values, predicate: Expr::bool(true), block })
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4]);
        let block = fill(&a, &Var::new("vi", DataType::I64))?;
        let values = vec![Expr::i32(0).cast(DataType::I64)?];
        check(vec![Param::buffer(&a)], StmtKind::Block { values, predicate: Expr::bool(true), block })
    }
}

mod tw0511 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (a, n) = (buffer("A", &[4]), Var::new("n", DataType::I64));
        let (condition, then) = (Expr::var(&n), Stmt::store(&a, vec![Expr::i64(0)], &zero())?);
        check(vec![Param::buffer(&a), Param::scalar(&n)], StmtKind::If { condition, then, otherwise: None })
    }

    pub(super) fn right() -> Outcome {
        let (a, n) = (buffer("A", &[4]), Var::new("n", DataType::I64));
        let condition = Expr::compare(CmpOp::Ne, &Expr::var(&n), &Expr::i64(0))?;
        let then = Stmt::store(&a, vec![Expr::i64(0)], &zero())?;
        check(vec![Param::buffer(&a), Param::scalar(&n)], StmtKind::If { condition, then, otherwise: None })
    }
}

mod tw0513 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let i = Var::new("i", DataType::I64);
        let over = |body| Stmt::for_loop(&i, Expr::i64(0), Expr::i64(4), ForKind::Serial, body);
        check(Vec::new(), over(over(Stmt::nothing())))
    }

    pub(super) fn right() -> Outcome {
        let (i, j) = (Var::new("i", DataType::I64), Var::new("i", DataType::I64));
        let over = |var: &Var, body| Stmt::for_loop(var, Expr::i64(0), Expr::i64(4), ForKind::Serial, body);
        // Two variables may share a name: a variable is its identity.
        check(Vec::new(), over(&i, over(&j, Stmt::nothing())))
    }
}

mod tw0514 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4, 8]).derive(|node| node.strides = vec![Expr::i64(1)]);
        check(vec![Param::buffer(&a)], Stmt::nothing())
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4, 8]).derive(|node| node.strides = vec![Expr::i64(8), Expr::i64(1)]);
        check(vec![Param::buffer(&a)], Stmt::nothing())
    }
}

mod tw0515 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let a = buffer("A", &[4]);
        let param = Param { var: Var::new("a", DataType::I64), buffer: Some(a) };
        check(vec![param], Stmt::nothing())
    }

    pub(super) fn right() -> Outcome {
        let a = buffer("A", &[4]);
        let param = Param { var: Var::new("a", DataType::HANDLE), buffer: Some(a) };
        check(vec![param], Stmt::nothing())
    }
}

mod tw0516 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let (a, part) = (buffer("A", &[4]), buffer("part", &[1, 1]));
        let vi = Var::new("vi", DataType::I64);
        let mut block = fill(&a, &vi)?;
        let region = vec![Range::new(Expr::var(&vi), Expr::i64(1))];
        block.match_buffers = vec![MatchBuffer { buffer: part, source: BufferRegion { buffer: a.clone(), region } }];
        let values = vec![Expr::i64(0)];
        check(vec![Param::buffer(&a)], StmtKind::Block { values, predicate: Expr::bool(true), block })
    }

    pub(super) fn right() -> Outcome {
        let (a, part) = (buffer("A", &[4]), buffer("part", &[1]));
        let vi = Var::new("vi", DataType::I64);
        let mut block = fill(&a, &vi)?;
        let region = vec![Range::new(Expr::var(&vi), Expr::i64(1))];
        block.match_buffers = vec![MatchBuffer { buffer: part, source: BufferRegion { buffer: a.clone(), region } }];
        let values = vec![Expr::i64(0)];
        check(vec![Param::buffer(&a)], StmtKind::Block { values, predicate: Expr::bool(true), block })
    }
}

mod tw0517 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let data = Constant(Tensor::from_vec(&[2, 2], vec![1.0f32; 4])?);
        check(Vec::new(), StmtKind::AllocateConst { buffer: buffer("table", &[4]), data, body: Stmt::nothing() })
    }

    pub(super) fn right() -> Outcome {
        let data = Constant(Tensor::from_vec(&[4], vec![1.0f32; 4])?);
        check(Vec::new(), StmtKind::AllocateConst { buffer: buffer("table", &[4]), data, body: Stmt::nothing() })
    }
}

mod tw0518 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        let callee = ForeignCallee::Builtin("tvm_storage_sinc".into());
        let args = vec![Expr::str("shared")];
        let call = Expr::raw(DataType::HANDLE, ExprKind::Foreign { callee, args });
        check(Vec::new(), StmtKind::Evaluate(call))
    }

    pub(super) fn right() -> Outcome {
        let callee = ForeignCallee::Builtin("tvm_storage_sync".into());
        let args = vec![Expr::str("shared")];
        let call = Expr::raw(DataType::VOID, ExprKind::Foreign { callee, args });
        check(Vec::new(), StmtKind::Evaluate(call))
    }
}

mod tw0534 {
    use super::*;

    pub(super) fn wrong() -> Outcome {
        check(Vec::new(), StmtKind::Evaluate(Expr::str("shared")))
    }

    pub(super) fn right() -> Outcome {
        let callee = ForeignCallee::Builtin("tvm_storage_sync".into());
        let args = vec![Expr::str("shared")];
        check(Vec::new(), StmtKind::Evaluate(Expr::raw(DataType::VOID, ExprKind::Foreign { callee, args })))
    }
}
