//! Programs of any size.

use tilewright_ir::Attrs;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, CmpOp, Expr, ForKind, Intrinsic, IterKind, IterVar, Param, PrimFunc, Range, Stmt, StmtKind,
    Var,
};
use tilewright_tensor::DataType;

pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The largest size that is measured.
    pub(crate) size: usize,
    pub(crate) program: fn(usize) -> PrimFunc,
}

const F32: DataType = DataType::F32;
const I32: DataType = DataType::I32;
const I64: DataType = DataType::I64;

/// Elements of most buffers.
const N: i64 = 64;

pub(crate) const FAMILIES: &[Family] = &[
    Family { name: "loads", size: 500, program: loads },
    Family { name: "exps", size: 800, program: exps },
    Family { name: "statements", size: 2_000, program: statements },
    Family { name: "gathers", size: 1_000, program: gathers },
    Family { name: "loops", size: 500, program: loops },
    Family { name: "nest", size: 200, program: nest },
    Family { name: "ifs", size: 200, program: ifs },
    Family { name: "dataIfs", size: 1_000, program: data_ifs },
    Family { name: "terms", size: 10_000, program: terms },
    Family { name: "indexTerms", size: 1_000, program: index_terms },
    Family { name: "squares", size: 400, program: squares },
    Family { name: "letSquares", size: 400, program: let_squares },
    Family { name: "exprLets", size: 400, program: expr_lets },
    Family { name: "choices", size: 400, program: choices },
    Family { name: "guardedDag", size: 400, program: guarded_dag },
    Family { name: "selects", size: 1_000, program: selects },
    Family { name: "buffers", size: 300, program: buffers },
    Family { name: "temporaries", size: 500, program: temporaries },
    Family { name: "blocks", size: 1_000, program: blocks },
    Family { name: "reductions", size: 300, program: reductions },
    Family { name: "vectors", size: 300, program: vectors },
    Family { name: "parallel", size: 300, program: parallel },
    Family { name: "stencils", size: 200, program: stencils },
    Family { name: "scalars", size: 1_000, program: scalars },
];

fn buffer(name: &str, dtype: DataType) -> Buffer {
    Buffer::new(name, vec![Expr::i64(N)], dtype)
}

fn load(buffer: &Buffer, at: &Expr) -> Expr {
    Expr::load(buffer, vec![at.clone()]).unwrap()
}

fn store(buffer: &Buffer, at: &Expr, value: &Expr) -> Stmt {
    Stmt::store(buffer, vec![at.clone()], value).unwrap()
}

fn index(name: &str) -> Var {
    Var::new(name, I64)
}

fn number(i: usize) -> Expr {
    Expr::float(i as f64, F32)
}

/// A place that differs from number to number.
fn at(i: usize) -> Expr {
    Expr::i64(i as i64 % N)
}

fn over(kind: ForKind, body: impl FnOnce(&Expr) -> Stmt) -> Stmt {
    let var = index("i");
    let body = body(&Expr::var(&var));
    Stmt::for_loop(&var, Expr::i64(0), Expr::i64(N), kind, body)
}

fn greater(a: &Expr, b: &Expr) -> Expr {
    Expr::compare(CmpOp::Gt, a, b).unwrap()
}

fn function(buffers: &[&Buffer], temporaries: &[Buffer], body: Stmt) -> PrimFunc {
    let params = buffers.iter().map(|buffer| Param::buffer(buffer)).collect();
    PrimFunc::with_root(params, Attrs::new(), temporaries.to_vec(), body, Default::default())
}

/// A function of `A` and `B`.
fn two(body: impl FnOnce(&Buffer, &Buffer) -> Stmt) -> PrimFunc {
    let (a, b) = (buffer("A", F32), buffer("B", F32));
    let body = body(&a, &b);
    function(&[&a, &b], &[], body)
}

/// `B[i] = value(A[i])` for all `i`.
fn pointwise(value: impl FnOnce(&Expr) -> Expr) -> PrimFunc {
    two(|a, b| over(ForKind::Serial, |i| store(b, i, &value(&load(a, i)))))
}

/// `B[i] = C[C[C[…i…]]]`.
fn loads(depth: usize) -> PrimFunc {
    let (b, c) = (buffer("B", I32), buffer("C", I32));
    let nested = |i: &Expr| (0..depth).fold(i.clone(), |at, _| load(&c, &at));
    let body = over(ForKind::Serial, |i| store(&b, i, &nested(i)));
    function(&[&b, &c], &[], body)
}

fn exps(depth: usize) -> PrimFunc {
    pointwise(|x| (0..depth).fold(x.clone(), |x, _| Expr::call(Intrinsic::Exp, &[x]).unwrap()))
}

fn statements(count: usize) -> PrimFunc {
    two(|a, b| Stmt::seq((0..count).map(|i| store(b, &at(i), &(&load(a, &at(i + 7)) + &number(i))))))
}

/// Statements that each need a check of a loaded index.
fn gathers(count: usize) -> PrimFunc {
    let (a, b, c) = (buffer("A", F32), buffer("B", F32), buffer("C", I32));
    let gather = |i: usize| store(&b, &at(i), &load(&a, &load(&c, &at(i + 3))));
    function(&[&a, &b, &c], &[], Stmt::seq((0..count).map(gather)))
}

fn loops(count: usize) -> PrimFunc {
    let each = |a: &Buffer, b: &Buffer, k: usize| over(ForKind::Serial, |i| store(b, i, &(&load(a, i) + &number(k))));
    two(|a, b| Stmt::seq((0..count).map(|k| each(a, b, k))))
}

fn nest(depth: usize) -> PrimFunc {
    two(|a, b| {
        let vars: Vec<Var> = (0..depth).map(|i| index(&format!("i{i}"))).collect();
        let sum = vars.iter().fold(Expr::i64(0), |sum, var| &sum + &Expr::var(var));
        let at = Expr::binary(BinOp::FloorMod, &sum, &Expr::i64(N)).unwrap();
        let body = store(b, &at, &(&load(a, &at) + &number(1)));
        vars.iter().fold(body, |body, var| Stmt::for_loop(var, Expr::i64(0), Expr::i64(2), ForKind::Serial, body))
    })
}

/// Choices inside of each other, on the loop's variable.
fn ifs(depth: usize) -> PrimFunc {
    two(|a, b| {
        over(ForKind::Serial, |i| {
            (0..depth).fold(store(b, i, &load(a, i)), |body, k| {
                let condition = greater(&(i * (k as i64 + 1)), &Expr::i64(k as i64 % 50));
                StmtKind::If { condition, then: body, otherwise: None }.into()
            })
        })
    })
}

/// Choices inside of each other, on data.
fn data_ifs(depth: usize) -> PrimFunc {
    two(|a, b| {
        (0..depth).fold(store(b, &at(0), &load(a, &at(1))), |body, k| {
            let condition = greater(&load(a, &at(k)), &number(k));
            StmtKind::If { condition, then: body, otherwise: None }.into()
        })
    })
}

fn terms(count: usize) -> PrimFunc {
    two(|a, b| {
        let sum = (1..count).fold(load(a, &at(0)), |sum, i| &sum + &(&load(a, &at(i)) * &number(i)));
        store(b, &at(0), &sum)
    })
}

/// An index of many terms.
fn index_terms(count: usize) -> PrimFunc {
    two(|a, b| {
        over(ForKind::Serial, |i| {
            let term = |k: usize| Expr::binary(BinOp::FloorDiv, i, &Expr::i64(k as i64 + 1)).unwrap();
            let sum = (1..count).fold(i.clone(), |sum, k| &sum + &term(k));
            let at = Expr::binary(BinOp::FloorMod, &sum, &Expr::i64(N)).unwrap();
            store(b, i, &load(a, &at))
        })
    })
}

/// `x = x * x + x`, as a shared expression.
fn squares(count: usize) -> PrimFunc {
    pointwise(|x| (0..count).fold(x.clone(), |x, _| &(&x * &x) + &x))
}

/// The same by statements.
fn let_squares(count: usize) -> PrimFunc {
    two(|a, b| {
        over(ForKind::Serial, |i| {
            let vars: Vec<Var> = (0..=count).map(|k| Var::new(format!("x{k}"), F32)).collect();
            let of = |k: usize| Expr::var(&vars[k]);
            let last = store(b, i, &of(count));
            (0..=count).rev().fold(last, |body, k| {
                let value = if k == 0 { load(a, i) } else { &(&of(k - 1) * &of(k - 1)) + &of(k - 1) };
                StmtKind::Let { var: vars[k].clone(), value, body }.into()
            })
        })
    })
}

/// The same by `Let` inside of an expression.
fn expr_lets(count: usize) -> PrimFunc {
    pointwise(|x| {
        let vars: Vec<Var> = (0..=count).map(|k| Var::new(format!("x{k}"), F32)).collect();
        let of = |k: usize| Expr::var(&vars[k]);
        (0..=count).rev().fold(of(count), |body, k| {
            let value = if k == 0 { x.clone() } else { &(&of(k - 1) * &of(k - 1)) + &of(k - 1) };
            Expr::bind(&vars[k], &value, &body).unwrap()
        })
    })
}

/// `x = x if A[i] > k else x + A[i]`, evaluated where needed only.
fn choices(count: usize) -> PrimFunc {
    pointwise(|a| {
        (0..count).fold(a.clone(), |x, k| {
            let condition = greater(a, &number(k));
            Expr::call(Intrinsic::IfThenElse, &[condition, x.clone(), &x + a]).unwrap()
        })
    })
}

/// The same with loaded indices, each checked where it is used.
fn guarded_dag(count: usize) -> PrimFunc {
    let (b, c) = (buffer("B", I32), buffer("C", I32));
    let value = |i: &Expr| {
        (0..count).fold(load(&c, i), |x, k| {
            let condition = greater(&load(&c, i), &Expr::int(k as i64, I32));
            Expr::call(Intrinsic::IfThenElse, &[condition, load(&c, &x), x]).unwrap()
        })
    };
    let body = over(ForKind::Serial, |i| store(&b, i, &value(i)));
    function(&[&b, &c], &[], body)
}

fn selects(count: usize) -> PrimFunc {
    pointwise(|a| {
        (0..count).fold(a.clone(), |x, k| Expr::select(&greater(&x, &number(k)), &(&x * a), &(&x + a)).unwrap())
    })
}

fn buffers(count: usize) -> PrimFunc {
    let all: Vec<Buffer> = (0..count).map(|i| buffer(&format!("B{i}"), F32)).collect();
    let step = |pair: &[Buffer]| over(ForKind::Serial, |i| store(&pair[1], i, &(&load(&pair[0], i) + &number(1))));
    function(&all.iter().collect::<Vec<_>>(), &[], Stmt::seq(all.windows(2).map(step)))
}

fn temporaries(count: usize) -> PrimFunc {
    let (a, b) = (buffer("A", F32), buffer("B", F32));
    let inner: Vec<Buffer> = (0..count).map(|i| buffer(&format!("T{i}"), F32)).collect();
    let all: Vec<&Buffer> = [&a].into_iter().chain(&inner).chain([&b]).collect();
    let step = |pair: &[&Buffer]| {
        over(ForKind::Serial, |i| {
            let mirrored = &Expr::i64(N - 1) - i;
            store(pair[1], i, &(&load(pair[0], &mirrored) + &number(1)))
        })
    };
    let body = Stmt::seq(all.windows(2).map(step));
    function(&[&a, &b], &inner, body)
}

/// A block over one axis of this kind, in its loop.
fn block(
    name: &str,
    kind: IterKind,
    init: impl FnOnce(&Expr) -> Option<Stmt>,
    body: impl FnOnce(&Expr) -> Stmt,
) -> Stmt {
    let var = index("v");
    let axis = Expr::var(&var);
    let (init, body) = (init(&axis), body(&axis));
    let mut block = Block {
        name: name.into(),
        iters: vec![IterVar { var, domain: Range::up_to(Expr::i64(N)), kind }],
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations: Attrs::new(),
        init,
        body,
        origins: Default::default(),
    };
    let regions = tilewright_ir::regions::block_regions(&block);
    (block.reads, block.writes) = (regions.reads, regions.writes);
    over(ForKind::Serial, |i| StmtKind::Block { values: vec![i.clone()], predicate: Expr::bool(true), block }.into())
}

/// Elementwise blocks, each on a temporary of its own.
fn blocks(count: usize) -> PrimFunc {
    let (a, b) = (buffer("A", F32), buffer("B", F32));
    let inner: Vec<Buffer> = (0..count).map(|i| buffer(&format!("T{i}"), F32)).collect();
    let all: Vec<&Buffer> = [&a].into_iter().chain(&inner).chain([&b]).collect();
    let step = |pair: &[&Buffer]| {
        let value = |v: &Expr| &load(pair[0], v) * &number(2);
        block("step", IterKind::Spatial, |_| None, |v| store(pair[1], v, &value(v)))
    };
    let body = Stmt::seq(all.windows(2).map(step));
    function(&[&a, &b], &inner, body)
}

fn reductions(count: usize) -> PrimFunc {
    two(|a, b| {
        Stmt::seq((0..count).map(|k| {
            let sum = |v: &Expr| store(b, &at(k), &(&load(b, &at(k)) + &load(a, v)));
            block("sum", IterKind::Reduce, |_| Some(store(b, &at(k), &number(0))), sum)
        }))
    })
}

fn vectors(count: usize) -> PrimFunc {
    let each = |a: &Buffer, b: &Buffer, k: usize| {
        over(ForKind::Vectorized, |i| store(b, i, &Expr::call(Intrinsic::Exp, &[&load(a, i) + &number(k)]).unwrap()))
    };
    two(|a, b| Stmt::seq((0..count).map(|k| each(a, b, k))))
}

fn parallel(count: usize) -> PrimFunc {
    let each = |a: &Buffer, b: &Buffer, k: usize| over(ForKind::Parallel, |i| store(b, i, &(&load(a, i) + &number(k))));
    two(|a, b| Stmt::seq((0..count).map(|k| each(a, b, k))))
}

/// Loops whose ends have conditions of their own.
fn stencils(count: usize) -> PrimFunc {
    let each = |a: &Buffer, b: &Buffer, k: usize| {
        over(ForKind::Serial, |i| {
            let shift = 1 + k as i64 % 5;
            let inside = Expr::compare(CmpOp::Ge, i, &Expr::i64(shift)).unwrap();
            let value = Expr::call(Intrinsic::IfThenElse, &[inside, load(a, &(i - shift)), number(0)]).unwrap();
            store(b, i, &value)
        })
    };
    two(|a, b| Stmt::seq((0..count).map(|k| each(a, b, k))))
}

/// Statements that name scalars by `Let`, one after the other.
fn scalars(count: usize) -> PrimFunc {
    two(|a, b| {
        (0..count).rev().fold(Stmt::nothing(), |rest, k| {
            let var = Var::new(format!("s{k}"), F32);
            let use_it = store(b, &at(k), &(&Expr::var(&var) + &number(k)));
            StmtKind::Let { var, value: load(a, &at(k)), body: Stmt::seq([use_it, rest]) }.into()
        })
    })
}
