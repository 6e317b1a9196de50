//! Statements, memory and parallel loops of flat functions, compiled and run.

use crate::flat::{buffer, flat, machine, neighbours, run, serial};
use tilewright_ir::low::{INDEX_GUARD, LowTir};
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Intrinsic, Scope, Stmt, StmtKind, Var};
use tilewright_runtime::{Value, set_num_threads};
use tilewright_target::Target;
use tilewright_tensor::{DataType, Element, Tensor};

const F32: DataType = DataType::F32;
const I32: DataType = DataType::I32;
const I64: DataType = DataType::I64;

/// Runs one function on the host.
fn once(low: &LowTir, args: &[Value]) -> Result<(), String> {
    run(&machine(std::slice::from_ref(low), &Target::host()), low.symbol(), args)
}

fn vector<T: Element>(values: &[T]) -> Tensor {
    Tensor::from_vec(&[values.len() as i64], values.to_vec()).unwrap()
}

fn load(buffer: &Buffer, index: &Expr) -> Expr {
    Expr::load(buffer, vec![index.clone()]).unwrap()
}

fn store(buffer: &Buffer, index: &Expr, value: &Expr) -> Stmt {
    Stmt::store(buffer, vec![index.clone()], value).unwrap()
}

fn local(name: &str, elements: i64, dtype: DataType) -> Buffer {
    buffer(name, elements, dtype).derive(|node| node.scope = Scope::Local)
}

fn allocate(buffer: &Buffer, body: Stmt) -> Stmt {
    StmtKind::Allocate { buffer: buffer.clone(), body }.into()
}

fn parallel(extent: &Expr, body: impl FnOnce(&Expr) -> Stmt) -> Stmt {
    let var = Var::new("p", extent.dtype);
    let body = body(&Expr::var(&var));
    Stmt::for_loop(&var, Expr::int(0, extent.dtype), extent.clone(), ForKind::Parallel, body)
}

fn less(a: &Expr, b: &Expr) -> Expr {
    Expr::compare(CmpOp::Lt, a, b).unwrap()
}

fn at(index: i64) -> Expr {
    Expr::i64(index)
}

#[test]
fn lanes_come_from_where_their_indices_say() {
    let a = buffer("A", 32, I32);
    let r = buffer("R", 48, I32);
    let ramp = |base: i64, stride: i64| Expr::ramp(&at(base), &at(stride), 8).unwrap();
    let all = Expr::ramp(&at(0), &at(1), 8).unwrap();
    let squares = Expr::binary(BinOp::Mod, &(&all * &all), &Expr::int(32, I64.with_lanes(8))).unwrap();
    let moved = &ramp(3, 1) + &at(4).broadcast(8).unwrap();
    let indices = [ramp(5, 1), ramp(20, -1), ramp(1, 3), at(7).broadcast(8).unwrap(), squares, moved];
    let stores = indices.iter().enumerate().map(|(i, index)| store(&r, &ramp(i as i64 * 8, 1), &load(&a, index)));
    let result = Tensor::zeros(I32, &[48]).unwrap();
    let values: Vec<i32> = (100..132).collect();
    once(&flat("f", &[&a, &r], &[], Stmt::seq(stores)), &[vector(&values).into(), result.clone().into()]).unwrap();
    let expected: Vec<i32> = (0..8)
        .map(|i| 105 + i)
        .chain((0..8).map(|i| 120 - i))
        .chain((0..8).map(|i| 101 + 3 * i))
        .chain([107; 8])
        .chain((0..8).map(|i| 100 + i * i % 32))
        .chain((0..8).map(|i| 107 + i))
        .collect();
    assert_eq!(result.to_vec::<i32>().unwrap(), expected);
}

#[test]
fn lanes_go_where_their_indices_say_and_the_last_of_equals_stays() {
    let r = buffer("R", 40, I32);
    let ramp = |base: i64, stride: i64| Expr::ramp(&at(base), &at(stride), 8).unwrap();
    let numbers = Expr::ramp(&Expr::i32(1), &Expr::i32(1), 8).unwrap();
    let halves = Expr::binary(BinOp::Div, &ramp(0, 1), &Expr::int(2, I64.with_lanes(8))).unwrap();
    let body = [
        store(&r, &ramp(7, -1), &numbers),
        store(&r, &ramp(8, 2), &numbers),
        store(&r, &at(24).broadcast(8).unwrap(), &numbers),
        store(&r, &(&halves + &at(32).broadcast(8).unwrap()), &numbers),
    ];
    let result = Tensor::zeros(I32, &[40]).unwrap();
    once(&flat("f", &[&r], &[], Stmt::seq(body)), &[result.clone().into()]).unwrap();
    let found = result.to_vec::<i32>().unwrap();
    assert_eq!(found[..8], [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(found[8..24], [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0]);
    assert_eq!((found[24], &found[32..36]), (8, [2, 4, 6, 8].as_slice()));
}

#[test]
fn lanes_without_a_predicate_are_neither_read_nor_written() {
    // The buffers end where the predicate does: anything else would be outside of them.
    for dtype in [F32, I32, DataType::U8, DataType::BOOL, DataType::F64] {
        let (a, r) = (buffer("A", 5, dtype), buffer("R", 5, dtype));
        let lanes = Expr::ramp(&at(0), &at(1), 8).unwrap();
        let inside = less(&lanes, &at(5).broadcast(8).unwrap());
        let scattered = Expr::binary(BinOp::Max, &lanes, &at(0).broadcast(8).unwrap()).unwrap();
        for index in [lanes.clone(), scattered] {
            let value = Expr::load_where(&a, vec![index.clone()], Some(inside.clone())).unwrap();
            let body = Stmt::store_where(&r, vec![index], &value, Some(inside.clone())).unwrap();
            let bytes: Vec<u8> = (0..5 * dtype.element_bytes()).map(|i| (i % 2) as u8).collect();
            let source = Tensor::from_bytes(dtype, &[5], &bytes).unwrap();
            let result = Tensor::zeros(dtype, &[5]).unwrap();
            once(&flat("f", &[&a, &r], &[], body), &[source.into(), result.clone().into()]).unwrap();
            assert_eq!(result.as_bytes().unwrap(), bytes, "{dtype}");
        }
    }
    let (a, r) = (buffer("A", 1, F32), buffer("R", 2, F32));
    let never = Expr::load_where(&a, vec![at(1 << 40)], Some(less(&load(&a, &at(0)), &Expr::float(0.0, F32)))).unwrap();
    let body = Stmt::store_where(&r, vec![at(0)], &never, Some(Expr::bool(true))).unwrap();
    let skipped =
        Stmt::store_where(&r, vec![at(1 << 40)], &never, Some(less(&load(&a, &at(0)), &Expr::float(0.0, F32))));
    let result = vector(&[7.0f32, 7.0]);
    let low = flat("f", &[&a, &r], &[], Stmt::seq([body, skipped.unwrap()]));
    once(&low, &[vector(&[1.0f32]).into(), result.clone().into()]).unwrap();
    assert_eq!(result.to_vec::<f32>().unwrap(), [0.0, 7.0]);
}

#[test]
fn loops_run_as_often_as_they_say() {
    let r = buffer("R", 4, I64);
    let n = Var::new("n", I64);
    let bump = |slot: i64| store(&r, &at(slot), &(&load(&r, &at(slot)) + 1));
    let (i, j, k) = (Var::new("i", I64), Var::new("j", I32), Var::new("k", I64));
    let from_minus_two = store(&r, &at(1), &(&load(&r, &at(1)) + &Expr::var(&k)));
    let condition = less(&load(&r, &at(3)), &Expr::var(&n));
    let body = Stmt::seq([
        Stmt::for_loop(&i, at(0), Expr::var(&n), ForKind::Serial, bump(0)),
        Stmt::for_loop(&k, at(-2), Expr::var(&n), ForKind::Serial, from_minus_two),
        Stmt::for_loop(&j, Expr::i32(5), Expr::i32(0), ForKind::Serial, bump(2)),
        StmtKind::While { condition, body: bump(3) }.into(),
    ]);
    let machine = machine(&[flat("f", &[&r], &[&n], body)], &Target::host());
    for n in [-3i64, 0, 1, 5] {
        let result = Tensor::zeros(I64, &[4]).unwrap();
        run(&machine, "f", &[result.clone().into(), Value::Int(n)]).unwrap();
        let times = n.max(0);
        let sum: i64 = (0..times).map(|k| k - 2).sum();
        assert_eq!(result.to_vec::<i64>().unwrap(), [times, sum, 0, times]);
    }
}

#[test]
fn scalars_arrive_in_their_own_types() {
    let types = [DataType::I8, DataType::U16, I32, DataType::U32, I64, F32, DataType::F64, DataType::BOOL];
    let vars: Vec<Var> = types.iter().map(|&dtype| Var::new("s", dtype)).collect();
    let buffers: Vec<Buffer> = types.iter().map(|&dtype| buffer("R", 1, dtype)).collect();
    let body = Stmt::seq(vars.iter().zip(&buffers).map(|(var, buffer)| store(buffer, &at(0), &Expr::var(var))));
    let low = flat("f", &buffers.iter().collect::<Vec<_>>(), &vars.iter().collect::<Vec<_>>(), body);
    let results: Vec<Tensor> = types.iter().map(|&dtype| Tensor::zeros(dtype, &[1]).unwrap()).collect();
    let scalars = [
        Value::Int(-5),
        Value::Int(65535),
        Value::Int(-7),
        Value::Int(4_000_000_000),
        Value::Int(i64::MIN),
        Value::Float(1.5),
        Value::Float(-0.1),
        Value::Bool(true),
    ];
    let args: Vec<Value> = results.iter().map(|r| r.clone().into()).chain(scalars).collect();
    once(&low, &args).unwrap();
    assert_eq!(results[0].to_vec::<i8>().unwrap(), [-5]);
    assert_eq!(results[1].to_vec::<u16>().unwrap(), [65535]);
    assert_eq!(results[2].to_vec::<i32>().unwrap(), [-7]);
    assert_eq!(results[3].to_vec::<u32>().unwrap(), [4_000_000_000]);
    assert_eq!(results[4].to_vec::<i64>().unwrap(), [i64::MIN]);
    assert_eq!(results[5].to_vec::<f32>().unwrap(), [1.5]);
    assert_eq!(results[6].to_vec::<f64>().unwrap(), [-0.1]);
    assert_eq!(results[7].as_bytes().unwrap(), [1]);
}

#[test]
fn an_assertion_stops_with_its_message() {
    let a = buffer("A", 1, I32);
    let holds = less(&load(&a, &at(0)), &Expr::i32(10));
    let assert = |message: &str| Stmt::from(StmtKind::Assert { condition: holds.clone(), message: message.into() });
    let mark = store(&a, &at(0), &Expr::i32(-1));
    let text = "too large: \"ä\" \\ {}";
    let low = [
        flat("user", &[&a], &[], Stmt::seq([assert(text), mark.clone()])),
        flat("guard", &[&a], &[], Stmt::seq([assert(&format!("{INDEX_GUARD}A[10]")), mark])),
    ];
    let machine = machine(&low, &Target::host());
    let value = vector(&[10i32]);
    let error = run(&machine, "user", &[value.clone().into()]).unwrap_err();
    assert!(error.contains(text), "{error}");
    assert!(run(&machine, "guard", &[value.clone().into()]).unwrap_err().contains("A[10]"));
    assert_eq!(value.to_vec::<i32>().unwrap(), [10]);
    let value = vector(&[9i32]);
    run(&machine, "user", &[value.clone().into()]).unwrap();
    assert_eq!(value.to_vec::<i32>().unwrap(), [-1]);
}

#[test]
fn if_then_else_evaluates_only_what_it_takes() {
    let (a, r) = (buffer("A", 1, I32), buffer("R", 4, I32));
    let i = load(&a, &at(0));
    let zero = Expr::compare(CmpOp::Eq, &i, &Expr::i32(0)).unwrap();
    let choose = |condition: &Expr, then: &Expr, otherwise: &Expr| {
        Expr::call(Intrinsic::IfThenElse, &[condition.clone(), then.clone(), otherwise.clone()]).unwrap()
    };
    let quotient = Expr::binary(BinOp::Div, &Expr::i32(100), &i).unwrap();
    let never = less(&i, &Expr::i32(-1000));
    let far = load(&a, &at(1 << 40));
    let shared = &quotient + &quotient;
    let body = Stmt::seq([
        store(&r, &at(0), &choose(&zero, &Expr::i32(-1), &quotient)),
        store(&r, &at(1), &choose(&never, &far, &Expr::i32(-2))),
        store(&r, &at(2), &choose(&zero, &i, &(&i + 1))),
        store(&r, &at(3), &choose(&zero, &Expr::i32(-3), &choose(&zero, &shared, &(&shared + &quotient)))),
    ]);
    let machine = machine(&[flat("f", &[&a, &r], &[], body)], &Target::host());
    for (value, expected) in [(0, [-1, -2, 0, -3]), (7, [14, -2, 8, 42])] {
        let result = Tensor::zeros(I32, &[4]).unwrap();
        run(&machine, "f", &[vector(&[value]).into(), result.clone().into()]).unwrap();
        assert_eq!(result.to_vec::<i32>().unwrap(), expected);
    }
}

#[test]
fn shared_expressions_cost_once() {
    let r = buffer("R", 1, I64);
    let x = Var::new("x", I64);
    let mut value = Expr::var(&x);
    let mut choice = Expr::var(&x);
    for _ in 0..64 {
        value = &value + &value;
        let condition = less(&choice, &at(3));
        choice = Expr::call(Intrinsic::IfThenElse, &[condition, &choice + 1, &choice - 1]).unwrap();
    }
    let y = Var::new("y", I64);
    let with_let = Expr::bind(&y, &(&Expr::var(&x) + 1), &(&Expr::var(&y) * &Expr::var(&y))).unwrap();
    let total = &(&value + &choice) + &(&with_let + &with_let);
    let result = Tensor::zeros(I64, &[1]).unwrap();
    once(&flat("f", &[&r], &[&x], store(&r, &at(0), &total)), &[result.clone().into(), Value::Int(3)]).unwrap();
    // 3 * 2^64 wraps to 0; the choice moves between 2 and 3; 2 * 4 * 4.
    assert_eq!(result.to_vec::<i64>().unwrap(), [3 + 32]);
}

#[test]
fn deep_expressions_compile() {
    let r = buffer("R", 1, I32);
    let x = Var::new("x", I32);
    let mut value = Expr::var(&x);
    for i in 0..10_000 {
        value = if i % 2 == 0 { &value + 1 } else { Expr::binary(BinOp::Max, &value, &Expr::i32(i)).unwrap() };
    }
    let result = Tensor::zeros(I32, &[1]).unwrap();
    once(&flat("f", &[&r], &[&x], store(&r, &at(0), &value)), &[result.clone().into(), Value::Int(0)]).unwrap();
    assert_eq!(result.to_vec::<i32>().unwrap(), [9999]);
}

#[test]
fn products_join_sums_of_their_own_expression_only() {
    let (a, r) = (buffer("A", 3, F32), buffer("R", 2, F32));
    let [x, y, z] = [0, 1, 2].map(|i| load(&a, &at(i)));
    let product = local("p", 1, F32);
    let body = allocate(
        &product,
        Stmt::seq([store(&product, &at(0), &(&x * &y)), store(&r, &at(0), &(&load(&product, &at(0)) + &z))]),
    );
    let joined = store(&r, &at(1), &(&(&x * &y) + &z));
    let result = Tensor::zeros(F32, &[2]).unwrap();
    let (x, y) = (1.0 + 2f32.powi(-13), 1.0 - 2f32.powi(-13));
    let args = [vector(&[x, y, -1.0f32]).into(), result.clone().into()];
    once(&flat("apart", &[&a, &r], &[], body), &args).unwrap();
    once(&flat("joined", &[&a, &r], &[], joined), &args).unwrap();
    let found = result.to_vec::<f32>().unwrap();
    assert_eq!(found[0], x * y - 1.0, "rounded after the product");
    let fused = x.mul_add(y, -1.0);
    assert!(found[1] == fused || found[1] == x * y - 1.0, "{}", found[1]);
    if Target::host().has("fma") {
        assert_eq!(found[1], fused);
    }
}

#[test]
fn tasks_cover_the_range_once_whatever_the_number_of_threads() {
    for threads in [1, 2, 5] {
        set_num_threads(threads);
        for dtype in [I32, I64] {
            let r = buffer("R", 5000, I64);
            let (n, scale) = (Var::new("n", dtype), Var::new("scale", I64));
            let shared = local("shared", 4, I64);
            // The body uses a scalar, a stack buffer and a parameter of the function around it.
            let body = parallel(&Expr::var(&n), |i| {
                let i = i.cast(I64).unwrap();
                let value = &(&(&i * &Expr::var(&scale)) + &load(&shared, &at(1))) + &load(&r, &i);
                store(&r, &i, &value)
            });
            let body = allocate(&shared, Stmt::seq([store(&shared, &at(1), &at(1000)), body]));
            let machine = machine(&[flat("f", &[&r], &[&n, &scale], body)], &Target::host());
            for n in [-1i64, 0, 1, 2, 1023, 1024, 1025, 2049, 5000] {
                let result = Tensor::zeros(I64, &[5000]).unwrap();
                run(&machine, "f", &[result.clone().into(), Value::Int(n), Value::Int(3)]).unwrap();
                let found = result.to_vec::<i64>().unwrap();
                for (i, found) in found.into_iter().enumerate() {
                    assert_eq!(found, if (i as i64) < n { i as i64 * 3 + 1000 } else { 0 }, "{i} of {n}");
                }
            }
        }
    }
}

#[test]
fn temporaries_of_tasks_and_of_the_kernel_around_them_are_distinct() {
    let r = buffer("R", 64, I64);
    let (outer, inner) = (buffer("outer", 64, I64), buffer("inner", 3000, I64));
    let large = local("large", 40_000, I64);
    let body = allocate(
        &outer,
        Stmt::seq([
            serial(64, |i| store(&outer, i, &(i * 10))),
            parallel(&at(64), |i| {
                let fill = serial(3000, |j| store(&inner, j, i));
                let note = store(&large, &at(39_999), i);
                let sum = &(&load(&outer, i) + &load(&inner, &at(2999))) + &load(&large, &at(39_999));
                allocate(&inner, allocate(&large, Stmt::seq([fill, note, store(&r, i, &sum)])))
            }),
        ]),
    );
    let result = Tensor::zeros(I64, &[64]).unwrap();
    once(&flat("f", &[&r], &[], body), &[result.clone().into()]).unwrap();
    let expected: Vec<i64> = (0..64).map(|i| i * 12).collect();
    assert_eq!(result.to_vec::<i64>().unwrap(), expected);
}

#[test]
fn a_failing_task_fails_the_kernel() {
    let r = buffer("R", 100, I64);
    let body = parallel(&at(100), |i| {
        let value = Expr::binary(BinOp::Div, &at(100), &(i - 57)).unwrap();
        store(&r, i, &value)
    });
    let after = store(&r, &at(57), &at(-1));
    let result = Tensor::zeros(I64, &[100]).unwrap();
    let error = once(&flat("f", &[&r], &[], Stmt::seq([body, after])), &[result.clone().into()]).unwrap_err();
    assert!(error.contains("division by zero"), "{error}");
    assert_eq!(result.to_vec::<i64>().unwrap()[57], 0, "nothing runs after the failure");
}

/// `R[i] = A[i] + 1` for the `n` elements of both, the first `ahead` and the last ones one by one, the others in
/// vectors.
fn increments(n: &Expr, ahead: i64) -> LowTir {
    let [a, r] = ["A", "R"].map(|name| Buffer::new(name, vec![n.clone()], F32));
    let one = |lanes: u16| match lanes {
        1 => Expr::float(1.0, F32),
        lanes => Expr::float(1.0, F32).broadcast(lanes).unwrap(),
    };
    let step = |index: &Expr, lanes: u16| {
        let place = neighbours(index, lanes);
        store(&r, &place, &(&load(&a, &place) + &one(lanes)))
    };
    let (vectors, lanes) = (Expr::binary(BinOp::FloorDiv, &(n - ahead), &at(16)).unwrap(), at(16));
    let first = serial(ahead, |i| step(i, 1));
    let whole = parallel(&vectors, |i| step(&(&(i * 16) + ahead), 16));
    let rest = Var::new("rest", I64);
    let tail = step(&Expr::var(&rest), 1);
    let begin = &(&vectors * &lanes) + ahead;
    let tail = Stmt::for_loop(&rest, begin.clone(), n - &begin, ForKind::Serial, tail);
    let scalars = n.as_var().cloned().into_iter().collect::<Vec<_>>();
    flat("f", &[&a, &r], &scalars.iter().collect::<Vec<_>>(), Stmt::seq([first, whole, tail]))
}

#[test]
fn results_go_past_the_caches_where_they_fill_them_and_are_the_same() {
    let mut target = Target::host();
    target.limits.l3_bytes = 1 << 20;
    let symbolic = Var::new("n", I64);
    for n in [8, 25, 1000, 114_687, 114_688, 150_003] {
        for (size, ahead) in
            [(Expr::i64(n), 0), (Expr::i64(n), 5), (Expr::var(&symbolic), 0), (Expr::var(&symbolic), 5)]
        {
            let low = increments(&size, ahead);
            let text = tilewright_llvm::emit_llvm_ir(std::slice::from_ref(&low), &target, &Default::default()).unwrap();
            // Seven eighths of the cache do not stay in it. Vectors that never begin where a line does are not
            // streamed.
            let streams = ahead == 0 && size.as_int().is_none_or(|n| 2 * 4 * n >= 7 << 17);
            assert_eq!(text.contains("!nontemporal"), streams, "{n} {ahead}:\n{text}");
            let values: Vec<f32> = (0..n).map(|i| i as f32 * 0.5 - 7.0).collect();
            let expected: Vec<f32> = values.iter().map(|x| x + 1.0).collect();
            let machine = machine(&[low], &target);
            // Results that begin where a line does, and in the middle of one.
            for shift in [0, 5] {
                let result = Tensor::zeros(F32, &[n + shift]).unwrap().view(&[n], &[1], 4 * shift).unwrap();
                let mut args: Vec<Value> = vec![vector(&values).into(), result.clone().into()];
                args.extend(size.as_var().map(|_| Value::from(n)));
                run(&machine, "f", &args).unwrap();
                assert!(result.to_vec::<f32>().unwrap() == expected, "{n} {ahead} {shift}");
            }
        }
    }
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    let make = || {
        let (a, r) = (buffer("A", 64, F32), buffer("R", 64, F32));
        let body = parallel(&at(8), |i| {
            let lanes = neighbours(&(i * 8), 8);
            store(&r, &lanes, &Expr::binary(BinOp::FloorMod, &load(&a, &lanes), &load(&a, &lanes)).unwrap())
        });
        let compiled =
            tilewright_llvm::compile(&[flat("f", &[&a, &r], &[], body)], &Target::host(), &Default::default());
        tilewright_build::link::link(&[&compiled.unwrap().elf]).unwrap()
    };
    let first = make();
    assert!(!first.externals.is_empty() && first.exports.len() == 1);
    assert_eq!(first, make());
}
