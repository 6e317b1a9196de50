//! Planted faults: mistakes that passes make, applied to PrimFuncs. The interpreter catches each wherever it applies,
//! by an error or by another result.

use tilewright_expr::node::{rewrite, walk};
use tilewright_expr::{BinOp, Expr, ExprKind, Intrinsic, Scope, Var};
use tilewright_interp::{Arg, ErrorKind, InterpCx};
use tilewright_ir::tir::{Block, ForKind, IterKind, PrimFunc, Stmt, StmtKind};
use tilewright_support::Set;
use tilewright_tensor::{DataType, Tensor};

use crate::programs::*;

/// A program with the shapes of its inputs and of its result.
struct Sample {
    name: &'static str,
    function: PrimFunc,
    inputs: Vec<Vec<i64>>,
    output: Vec<i64>,
}

impl Sample {
    /// The bits of the result, or the error.
    fn run(&self, function: &PrimFunc, seed: u64) -> Result<Vec<u32>, String> {
        let inputs: Vec<Tensor> = self.inputs.iter().zip(1..).map(|(shape, seed)| data(shape, seed)).collect();
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let out = run(function, &inputs, &self.output, seed).map_err(|e| e.to_string())?;
        Ok(out.to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect())
    }
}

fn samples() -> Vec<Sample> {
    let sample = |name, function, inputs: &[&[i64]], output: &[i64]| Sample {
        name,
        function,
        inputs: inputs.iter().map(|s| s.to_vec()).collect(),
        output: output.to_vec(),
    };
    vec![
        sample("matmul", Matmul::new(4, 4, 4).function(), &[&[4, 4], &[4, 4]], &[4, 4]),
        sample("matmul of unequal sides", Matmul::new(2, 3, 5).function(), &[&[2, 5], &[5, 3]], &[2, 3]),
        sample("matmul with a separate init", decomposed_matmul(), &[&[4, 3], &[3, 4]], &[4, 4]),
        sample("distance to the row's maximum", row_distance(), &[&[3, 5]], &[3, 5]),
        sample("padding", padding(), &[&[5]], &[8]),
        sample("copy in tiles", tiled_copy(), &[&[10]], &[10]),
        sample("vector kernel", vector_kernel(), &[&[8]], &[8]),
    ]
}

/// The init in loops of its own.
fn decomposed_matmul() -> PrimFunc {
    let matmul = Matmul { init: false, ..Matmul::new(4, 4, 3) };
    let [vi, vj] = ["vi", "vj"].map(index);
    let zero = block(
        "zero",
        &[(&vi, 4, IterKind::Spatial), (&vj, 4, IterKind::Spatial)],
        vec![],
        vec![points(&matmul.c, &[&vi, &vj])],
        None,
        put(&matmul.c, &[&vi, &vj], &f32(0.0)),
    );
    let body = Stmt::seq([nest(zero, &[ForKind::Parallel, ForKind::Serial]), matmul.stmt()]);
    function("matmul", &[&matmul.a, &matmul.b, &matmul.c], &[], body)
}

/// `B[i, j] = max(A[i, :]) - A[i, j]`, with the maximum in a temporary.
fn row_distance() -> PrimFunc {
    let (a, t, b) = (buffer("A", &[3, 5]), buffer("T", &[3]), buffer("B", &[3, 5]));
    let [vi, vk, ui, uj] = ["vi", "vk", "ui", "uj"].map(index);
    let lowest = f32(f64::NEG_INFINITY);
    let max = block(
        "max",
        &[(&vi, 3, IterKind::Spatial), (&vk, 5, IterKind::Reduce)],
        vec![points(&a, &[&vi, &vk])],
        vec![points(&t, &[&vi])],
        Some(put(&t, &[&vi], &lowest)),
        put(&t, &[&vi], &Expr::binary(BinOp::Max, &at(&t, &[&vi]), &at(&a, &[&vi, &vk])).unwrap()),
    );
    let difference = Expr::binary(BinOp::Sub, &at(&t, &[&ui]), &at(&a, &[&ui, &uj])).unwrap();
    let distance = block(
        "distance",
        &[(&ui, 3, IterKind::Spatial), (&uj, 5, IterKind::Spatial)],
        vec![points(&t, &[&ui]), points(&a, &[&ui, &uj])],
        vec![points(&b, &[&ui, &uj])],
        None,
        put(&b, &[&ui, &uj], &difference),
    );
    let serial = [ForKind::Serial, ForKind::Serial];
    function("distance", &[&a, &b], &[&t], Stmt::seq([nest(max, &serial), nest(distance, &serial)]))
}

/// `B[i] = A[i] if i < 5 else 0` over 8 elements.
fn padding() -> PrimFunc {
    let (a, b, v) = (buffer("A", &[5]), buffer("B", &[8]), index("v"));
    let value = if_then_else(&less(&Expr::var(&v), &i(5)), &at(&a, &[&v]), &f32(0.0));
    let pad = block(
        "pad",
        &[(&v, 8, IterKind::Spatial)],
        vec![points(&a, &[&v])],
        vec![points(&b, &[&v])],
        None,
        put(&b, &[&v], &value),
    );
    function("pad", &[&a, &b], &[], nest(pad, &[ForKind::Parallel]))
}

/// 10 elements in tiles of 4, the last one cut off by a predicate.
fn tiled_copy() -> PrimFunc {
    let (a, b, v) = (buffer("A", &[10]), buffer("B", &[10]), index("v"));
    let [outer, inner] = ["outer", "inner"].map(index);
    let copy = block(
        "copy",
        &[(&v, 10, IterKind::Spatial)],
        vec![points(&a, &[&v])],
        vec![points(&b, &[&v])],
        None,
        put(&b, &[&v], &at(&a, &[&v])),
    );
    let at = &(&Expr::var(&outer) * 4) + &Expr::var(&inner);
    let stmt = StmtKind::Block { predicate: less(&at, &i(10)), values: vec![at], block: copy }.into();
    let stmt = Stmt::for_loop(&inner, i(0), i(4), ForKind::Vectorized, stmt);
    function("copy", &[&a, &b], &[], Stmt::for_loop(&outer, i(0), i(3), ForKind::Serial, stmt))
}

/// Flat form: vectors, a local buffer and a masked store.
fn vector_kernel() -> PrimFunc {
    let (a, b) = (buffer("A", &[8]), buffer("B", &[8]));
    let local = buffer("acc", &[4]).derive(|b| b.scope = Scope::Local);
    let lanes = |base: i64| Expr::ramp(&i(base), &i(1), 4).unwrap();
    let load = |b: &_, base| Expr::load(b, vec![lanes(base)]).unwrap();
    let double = Expr::binary(BinOp::Sub, &load(&a, 0), &load(&a, 4)).unwrap();
    let low = Expr::compare(tilewright_expr::CmpOp::Lt, &lanes(0), &i(2)).unwrap();
    let body = Stmt::seq([
        Stmt::store(&local, vec![lanes(0)], &double).unwrap(),
        Stmt::store(&b, vec![lanes(0)], &load(&local, 0)).unwrap(),
        Stmt::store(&b, vec![lanes(4)], &load(&a, 0)).unwrap(),
        Stmt::store_where(&b, vec![lanes(4)], &load(&local, 0), Some(low)).unwrap(),
    ]);
    let body = StmtKind::Allocate { buffer: local, body }.into();
    PrimFunc { body, ..function("kernel", &[&a, &b], &[], Stmt::nothing()) }
}

/// A fault: the function with the mistake, where it applies.
type Fault = fn(&PrimFunc) -> Option<PrimFunc>;

const FAULTS: [(&str, Fault); 17] = [
    ("dropped init", |f| blocks(f, |b| b.init.take().is_some())),
    ("init with another value", |f| blocks(f, another_init)),
    ("reduce axis called spatial", |f| blocks(f, |b| rename_axis(b, IterKind::Reduce, IterKind::Spatial))),
    ("spatial axis of a reduction called reduce", |f| {
        blocks(f, |b| b.init.is_some() && rename_axis(b, IterKind::Spatial, IterKind::Reduce))
    }),
    ("read region off by one", |f| {
        blocks(f, |b| b.reads.first_mut().is_some_and(|r| shift(r.region.last_mut().map(|r| &mut r.min))))
    }),
    ("write region off by one", |f| {
        blocks(f, |b| b.writes.first_mut().is_some_and(|r| shift(r.region.last_mut().map(|r| &mut r.min))))
    }),
    ("write region forgotten", |f| blocks(f, |b| !b.iters.is_empty() && b.writes.pop().is_some())),
    ("domain too small", |f| {
        blocks(f, |b| b.iters.first_mut().is_some_and(|iter| replace(&mut iter.domain.extent, |e| e + -1)))
    }),
    ("parallel loop over a reduction", |f| reduction_loops(f, &ForKind::Parallel)),
    ("vectorised loop over a reduction", |f| reduction_loops(f, &ForKind::Vectorized)),
    ("loop too short", |f| loops(f, |extent| extent + -1)),
    ("loop too long", |f| if guarded(f) { None } else { loops(f, |extent| extent + 1) }),
    ("consumer before producer", reversed),
    ("swapped operands", |f| exprs(f, swapped_operands)),
    ("swapped indices", |f| exprs(f, swapped_indices)),
    ("guard dropped", unguarded),
    ("stride of a vector doubled", |f| exprs(f, wider_ramp)),
];

/// Changes every block for which `change` says so.
fn blocks(function: &PrimFunc, change: impl Fn(&mut Block) -> bool) -> Option<PrimFunc> {
    stmts(function, |stmt| match stmt {
        StmtKind::Block { values, predicate, block } => {
            let mut block = block.clone();
            change(&mut block).then(|| StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

fn stmts(function: &PrimFunc, change: impl Fn(&StmtKind) -> Option<StmtKind>) -> Option<PrimFunc> {
    let body = rewrite(&function.body, |stmt: &Stmt| change(&stmt.kind).map(Stmt::from))?;
    Some(PrimFunc { body, ..function.clone() })
}

/// Changes the expressions of the bodies; blocks' own promises stay as they are.
fn exprs(function: &PrimFunc, change: fn(&Expr) -> Option<Expr>) -> Option<PrimFunc> {
    stmts(function, |stmt| match stmt {
        StmtKind::Store { buffer, indices, value, predicate } => {
            let value = rewrite(value, change)?;
            let (buffer, indices, predicate) = (buffer.clone(), indices.clone(), predicate.clone());
            Some(StmtKind::Store { buffer, indices, value, predicate })
        }
        _ => None,
    })
}

fn replace(expr: &mut Expr, change: impl Fn(Expr) -> Expr) -> bool {
    *expr = change(expr.clone());
    true
}

fn shift(expr: Option<&mut Expr>) -> bool {
    expr.is_some_and(|e| replace(e, |e| e + 1))
}

fn another_init(block: &mut Block) -> bool {
    let Some(StmtKind::Store { buffer, indices, .. }) = block.init.as_ref().map(|s| s.kind.clone()) else {
        return false;
    };
    // A maximum that starts at 3 is wrong for data below 2, and a sum that starts there always.
    block.init = Some(Stmt::store(&buffer, indices, &f32(3.0)).unwrap());
    true
}

fn rename_axis(block: &mut Block, from: IterKind, to: IterKind) -> bool {
    block.iters.iter_mut().rev().find(|iter| iter.kind == from).map(|iter| iter.kind = to).is_some()
}

fn loops(function: &PrimFunc, change: impl Fn(Expr) -> Expr) -> Option<PrimFunc> {
    stmts(function, |stmt| match stmt {
        StmtKind::For { var, min, extent, kind, annotations, body } => Some(StmtKind::For {
            var: var.clone(),
            min: min.clone(),
            extent: change(extent.clone()),
            kind: kind.clone(),
            annotations: annotations.clone(),
            body: body.clone(),
        }),
        _ => None,
    })
}

/// Whether some block has a predicate, which makes a loop that is too long harmless.
fn guarded(function: &PrimFunc) -> bool {
    let mut found = false;
    walk(&function.body, |stmt: &Stmt| {
        found |= matches!(&stmt.kind, StmtKind::Block { predicate, .. } if predicate.as_int().is_none());
    });
    found
}

fn reduction_loops(function: &PrimFunc, to: &ForKind) -> Option<PrimFunc> {
    let mut reducing: Set<Var> = Set::default();
    walk(&function.body, |stmt: &Stmt| {
        if let StmtKind::Block { values, block, .. } = &stmt.kind {
            let reduces = block.iters.iter().zip(values).filter(|(iter, _)| iter.kind == IterKind::Reduce);
            reducing.extend(reduces.filter_map(|(_, value)| value.as_var().cloned()));
        }
    });
    stmts(function, |stmt| match stmt {
        StmtKind::For { var, min, extent, annotations, body, .. } if reducing.contains(var) => Some(StmtKind::For {
            var: var.clone(),
            min: min.clone(),
            extent: extent.clone(),
            kind: to.clone(),
            annotations: annotations.clone(),
            body: body.clone(),
        }),
        _ => None,
    })
}

fn reversed(function: &PrimFunc) -> Option<PrimFunc> {
    stmts(function, |stmt| match stmt {
        StmtKind::Seq(stmts) if stmts.len() > 1 => Some(StmtKind::Seq(stmts.iter().rev().cloned().collect())),
        _ => None,
    })
}

fn swapped_operands(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Binary(BinOp::Sub, a, b) => Some(Expr::binary(BinOp::Sub, b, a).unwrap()),
        _ => None,
    }
}

fn swapped_indices(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Load { buffer, indices, .. } if indices.len() == 2 && !indices[0].equal(&indices[1]) => {
            Some(Expr::load(buffer, vec![indices[1].clone(), indices[0].clone()]).unwrap())
        }
        _ => None,
    }
}

fn wider_ramp(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Ramp { base, stride } => Some(Expr::ramp(base, &(stride + stride), expr.dtype.lanes).unwrap()),
        _ => None,
    }
}

/// Predicates of blocks and stores become true, lazy conditions their first value.
fn unguarded(function: &PrimFunc) -> Option<PrimFunc> {
    let lazy = |expr: &Expr| match &expr.kind {
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => args.get(1).cloned(),
        _ => None,
    };
    stmts(function, |stmt| match stmt {
        StmtKind::Block { values, predicate, block } if predicate.as_int().is_none() => {
            Some(StmtKind::Block { values: values.clone(), predicate: Expr::bool(true), block: block.clone() })
        }
        StmtKind::Store { buffer, indices, value, predicate } => {
            let unguarded = rewrite(value, lazy);
            if unguarded.is_none() && predicate.is_none() {
                return None;
            }
            let (buffer, indices, value) = (buffer.clone(), indices.clone(), unguarded.unwrap_or(value.clone()));
            Some(StmtKind::Store { buffer, indices, value, predicate: None })
        }
        _ => None,
    })
}

#[test]
fn samples_give_the_same_result_for_every_seed() {
    for sample in samples() {
        let first = sample.run(&sample.function, 0).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        for seed in 1..6 {
            assert_eq!(sample.run(&sample.function, seed), Ok(first.clone()), "{}", sample.name);
        }
    }
}

#[test]
fn every_fault_is_caught_wherever_it_applies() {
    let mut missed = Vec::new();
    for (name, fault) in FAULTS {
        let mut applied = 0;
        for sample in samples() {
            let Some(faulty) = fault(&sample.function) else { continue };
            applied += 1;
            let right = sample.run(&sample.function, 0);
            match sample.run(&faulty, 0) {
                Ok(result) if Ok(&result) == right.as_ref() => missed.push(format!("{name} in {}", sample.name)),
                Ok(_) => println!("{name} in {}: another result", sample.name),
                Err(e) => println!("{name} in {}: {}", sample.name, e.lines().next().unwrap_or_default()),
            }
        }
        assert!(applied > 0, "{name} applies nowhere");
    }
    assert!(missed.is_empty(), "not caught: {missed:#?}");
}

#[test]
fn tensors_that_share_memory_against_the_promise_are_an_error() {
    let (a, b) = (buffer("A", &[8]), buffer("B", &[8]));
    let f = function("relu", &[&a, &b], &[], relu(&a, &b, 8, ForKind::Serial));
    let arena = data(&[12], 1);
    let (x, y) = (arena.view(&[8], &[1], 0).unwrap(), arena.view(&[8], &[1], 16).unwrap());
    let error = InterpCx::default().run_prim_func(&f, &[x.clone().into(), y.into()]).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Overlap { params: vec!["`A`".into(), "`B`".into()] });
    // Neighbours in an arena do not overlap.
    let y = data(&[16], 2);
    let (x, y) = (y.view(&[8], &[1], 0).unwrap(), y.view(&[8], &[1], 32).unwrap());
    InterpCx::default().run_prim_func(&f, &[x.into(), y.into()]).unwrap();
    // Without the promise, what is written through one is read through the other.
    let shifted = PrimFunc { attrs: Default::default(), ..f };
    let arena = Tensor::from_vec::<f32>(&[9], vec![5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
    let (x, y) = (arena.view(&[8], &[1], 0).unwrap(), arena.view(&[8], &[1], 4).unwrap());
    InterpCx::default().run_prim_func(&shifted, &[x.into(), y.into()]).unwrap();
    assert_eq!(arena.to_vec::<f32>().unwrap(), [5.0; 9]);
}

#[test]
fn a_local_buffer_does_not_carry_values_between_parallel_iterations() {
    let (b, v) = (buffer("B", &[4]), index("v"));
    let local = buffer("t", &[1]).derive(|b| b.scope = Scope::Local);
    let load = || Expr::load(&local, vec![i(0)]).unwrap();
    let set = |value: &Expr| Stmt::store(&local, vec![i(0)], value).unwrap();
    let running = |reset: bool| {
        let first = if reset { set(&f32(1.0)) } else { Stmt::nothing() };
        let add = set(&Expr::binary(BinOp::Add, &load(), &f32(1.0)).unwrap());
        let body = Stmt::seq([first, add, put(&b, &[&v], &load())]);
        let body = Stmt::seq([set(&f32(0.0)), Stmt::for_loop(&v, i(0), i(4), ForKind::Parallel, body)]);
        function("count", &[&b], &[], StmtKind::Allocate { buffer: local.clone(), body }.into())
    };
    assert_eq!(run(&running(true), &[], &[4], 0).unwrap().to_vec::<f32>().unwrap(), [2.0; 4]);
    let error = run(&running(false), &[], &[4], 0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Race { loop_var, .. } if loop_var == "v"), "{error}");
}

#[test]
fn read_only_tensors_and_wrong_arguments_are_errors_with_the_parameter() {
    let (a, b) = (buffer("A", &[2]), buffer("B", &[2]));
    let f = function("relu", &[&a, &b], &[], relu(&a, &b, 2, ForKind::Serial));
    let check = |args: &[Arg], expected: &str| {
        let error = InterpCx::default().run_prim_func(&f, args).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let x = || Arg::from(data(&[2], 1));
    check(&[x(), data(&[2], 1).to_read_only().into()], "buffer `B` is written, but its tensor is read-only");
    check(&[x()], "expected 2 arguments, found 1");
    check(&[x(), data(&[3], 1).into()], "argument for parameter `B`: expected shape [2], found [3]");
    check(&[x(), data(&[1, 2], 1).into()], "argument for parameter `B`: expected 1 dimensions, found 2");
    check(&[x(), data(&[2, 2], 1).view(&[2], &[2], 0).unwrap().into()], "expected strides [1], found [2]");
    let ints = Tensor::from_vec::<i32>(&[2], vec![0, 0]).unwrap();
    check(&[x(), ints.into()], "argument for parameter `B`: expected dtype float32, found int32");
}

#[test]
fn arithmetic_that_has_no_result_is_an_error_with_the_place() {
    let b = buffer("B", &[1]);
    let [n, vi] = ["n", "vi"].map(index);
    let in_block = |value: Expr| {
        let value = value.cast(F32).unwrap();
        let b = &b;
        let block = block(
            "divide",
            &[(&vi, 3, IterKind::Opaque)],
            vec![],
            vec![tilewright_ir::tir::BufferRegion {
                buffer: b.clone(),
                region: vec![tilewright_expr::Range::new(i(0), i(1))],
            }],
            None,
            Stmt::store(b, vec![i(0)], &value).unwrap(),
        );
        function("f", &[b], &[], nest(block, &[ForKind::Serial]))
    };
    let by = Expr::binary(BinOp::Div, &i(1), &(&Expr::var(&vi) + -2)).unwrap();
    let error = run(&in_block(by), &[], &[1], 0).unwrap_err().to_string();
    let expected =
        "integer division by zero\n  in function `f`\n  in block root() / divide(vi = 2)\n  with vi_loop = 2";
    assert_eq!(error, expected);
    // Index arithmetic does not wrap, arithmetic on elements does.
    let big = Expr::int(i64::from(i32::MAX), DataType::I32);
    let wrapped = Expr::binary(BinOp::Add, &big, &Expr::i32(1)).unwrap();
    assert!(run(&in_block(wrapped.clone()), &[], &[1], 0).is_ok());
    let indexed = Stmt::store(&b, vec![wrapped], &f32(0.0)).unwrap();
    let error = run(&function("f", &[&b], &[], indexed), &[], &[1], 0).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::IndexOverflow { dtype: "int32".into() });
    let endless = Stmt::for_loop(&n, i(i64::MAX), i(2), ForKind::Serial, Stmt::nothing());
    let error = run(&function("f", &[&b], &[], endless), &[], &[1], 0).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::IndexOverflow { dtype: "int64".into() });
}

#[test]
fn a_region_without_an_index_declares_nothing() {
    let (a, b) = (buffer("A", &[4]), buffer("B", &[4]));
    let vi = index("vi");
    let region = |buffer: &tilewright_expr::Buffer, at: &Expr| tilewright_ir::tir::BufferRegion {
        buffer: buffer.clone(),
        region: vec![tilewright_expr::Range::new(at.clone(), i(1))],
    };
    let at = Expr::var(&vi);
    // 1 by -4, by -2, and by 0.
    let by = Expr::binary(BinOp::Div, &i(1), &(&(&at * 2) + -4)).unwrap();
    let copy = Stmt::store(&b, vec![at.clone()], &Expr::load(&a, vec![i(0)]).unwrap()).unwrap();
    let axes = [(&vi, 3, IterKind::Opaque)];
    let block = block("copy", &axes, vec![region(&a, &by)], vec![region(&b, &at)], None, copy);
    let f = function("f", &[&a, &b], &[], nest(block, &[ForKind::Serial]));
    let error = run(&f, &[&data(&[4], 1)], &[4], 0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Undeclared { buffer, .. } if buffer == "A"), "{error}");
    assert!(error.to_string().contains("vi = 2"), "{error}");
}

#[test]
fn a_loaded_index_without_a_guard_is_caught() {
    let (a, b) = (buffer("A", &[4]), buffer("B", &[1]));
    let picks = tilewright_expr::Buffer::new("I", vec![i(1)], DataType::I32);
    let pick = Expr::load(&picks, vec![i(0)]).unwrap();
    let body = Stmt::store(&b, vec![i(0)], &Expr::load(&a, vec![pick]).unwrap()).unwrap();
    let f = function("gather", &[&a, &picks, &b], &[], body);
    let take = |at: i32| run(&f, &[&data(&[4], 1), &Tensor::from_vec::<i32>(&[1], vec![at]).unwrap()], &[1], 0);
    assert!(take(3).is_ok());
    for at in [4, -1] {
        let error = take(at).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfRange { buffer, .. } if buffer == "A"), "{error}");
    }
}

#[test]
fn a_buffer_that_is_too_large_is_an_error_and_no_crash() {
    let (b, huge) = (buffer("B", &[1]), buffer("T", &[1 << 40, 1 << 40]));
    let f = function("f", &[&b], &[&huge], Stmt::nothing());
    let error = run(&f, &[], &[1], 0).unwrap_err().to_string();
    assert!(error.contains("buffer `T`") && error.contains("larger than the interpreter allows"), "{error}");
}
