//! PrimFuncs lowered, compiled and run: what the interpreter refuses to judge, what the machine has to refuse, and
//! random programs compared with the interpreter.

use tilewright_expr::semantics::Scalar;
use tilewright_interp::{Arg, InterpCx, Random};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Intrinsic, Param, PrimFunc, Stmt, StmtKind, Var};
use tilewright_runtime::{Value, VirtualMachine};
use tilewright_target::Target;
use tilewright_tensor::{DataType, Tensor};

use crate::flat::{machine, run};

const F32: DataType = DataType::F32;
const I64: DataType = DataType::I64;

fn function(buffers: &[&Buffer], scalars: &[&Var], temporaries: &[&Buffer], body: Stmt) -> PrimFunc {
    let params = buffers.iter().map(|buffer| Param::buffer(buffer));
    let params = params.chain(scalars.iter().map(|var| Param::scalar(var))).collect();
    let temporaries = temporaries.iter().map(|&buffer| buffer.clone()).collect();
    PrimFunc::with_root(params, Attrs::new(), temporaries, body, Default::default())
}

fn compiled(function: &PrimFunc, target: &Target) -> VirtualMachine {
    let low = tilewright_tir_passes::lower("f", function).unwrap_or_else(|e| panic!("{}", e.render(false)));
    machine(&[low], target)
}

/// Bytes of scratch memory that the function's kernel asks for.
fn scratch_bytes(function: &PrimFunc) -> u64 {
    let low = tilewright_tir_passes::lower("f", function).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let object = tilewright_llvm::compile(&[low], &Target::host(), &Default::default()).unwrap();
    object.kernels[0].scratch_bytes
}

fn index(name: &str) -> Var {
    Var::new(name, I64)
}

fn of(var: &Var) -> Expr {
    Expr::var(var)
}

fn buffer(name: &str, shape: &[Expr]) -> Buffer {
    Buffer::new(name, shape.to_vec(), F32)
}

fn load(buffer: &Buffer, at: &[Expr]) -> Expr {
    Expr::load(buffer, at.to_vec()).unwrap()
}

fn store(buffer: &Buffer, at: &[Expr], value: &Expr) -> Stmt {
    Stmt::store(buffer, at.to_vec(), value).unwrap()
}

fn binary(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::binary(op, a, b).unwrap()
}

fn repeat(var: &Var, extent: Expr, kind: ForKind, body: Stmt) -> Stmt {
    Stmt::for_loop(var, Expr::i64(0), extent, kind, body)
}

fn when(condition: Expr, then: Stmt, otherwise: Option<Stmt>) -> Stmt {
    StmtKind::If { condition, then, otherwise }.into()
}

fn floats(count: usize, random: &mut Random) -> Vec<f32> {
    (0..count).map(|_| (random.below(4001) as f32 - 2000.0) / 64.0).collect()
}

fn vector(values: &[f32]) -> Tensor {
    Tensor::from_vec(&[values.len() as i64], values.to_vec()).unwrap()
}

#[test]
fn a_vectorised_reduction_into_one_element_adds_every_lane() {
    let n = index("n");
    let (a, s, i) = (buffer("A", &[of(&n)]), buffer("S", &[Expr::i64(1)]), index("i"));
    let at = [Expr::i64(0)];
    let sum = store(&s, &at, &binary(BinOp::Add, &load(&s, &at), &load(&a, &[of(&i)])));
    let body = Stmt::seq([store(&s, &at, &Expr::float(0.0, F32)), repeat(&i, of(&n), ForKind::Vectorized, sum)]);
    let machine = compiled(&function(&[&a, &s], &[], &[], body), &Target::host());
    for count in [0usize, 1, 15, 16, 33, 100] {
        // Sums of these are exact in any order.
        let values: Vec<f32> = (0..count).map(|i| i as f32 - 7.0).collect();
        let result = vector(&[f32::NAN]);
        let args = [vector(&values).into(), result.clone().into(), Value::Int(count as i64)];
        run(&machine, "f", &args).unwrap();
        assert_eq!(result.to_vec::<f32>().unwrap(), [values.iter().sum::<f32>()], "{count}");
    }
}

#[test]
fn temporaries_that_are_not_alive_together_share_scratch_memory() {
    let size = 4096;
    let shape = [Expr::i64(size)];
    let (a, b) = (buffer("A", &shape), buffer("B", &shape));
    let stages: Vec<Buffer> = (0..4).map(|number| buffer(&format!("T{number}"), &shape)).collect();
    let step = |from: &Buffer, to: &Buffer| {
        let i = index("i");
        let mirrored = &Expr::i64(size - 1) - &of(&i);
        let value = binary(BinOp::Add, &load(from, &[mirrored]), &Expr::float(1.0, F32));
        repeat(&i, Expr::i64(size), ForKind::Parallel, store(to, &[of(&i)], &value))
    };
    let all: Vec<&Buffer> = [&a].into_iter().chain(&stages).chain([&b]).collect();
    let body = Stmt::seq(all.windows(2).map(|pair| step(pair[0], pair[1])));
    let temporaries: Vec<&Buffer> = stages.iter().collect();
    let f = function(&[&a, &b], &[], &temporaries, body);
    assert_eq!(scratch_bytes(&f), 2 * 4 * size as u64);
    let values = floats(size as usize, &mut Random::new(5));
    let result = vector(&vec![0.0; size as usize]);
    run(&compiled(&f, &Target::host()), "f", &[vector(&values).into(), result.clone().into()]).unwrap();
    let expected: Vec<f32> = values.iter().rev().map(|x| x + 1.0 + 1.0 + 1.0 + 1.0 + 1.0).collect();
    assert_eq!(result.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn values_carried_between_iterations_are_not_overwritten() {
    // `kept` is last read in the text before `work` is first written, but in time it is read again.
    let size = 2048;
    let shape = [Expr::i64(size)];
    let (a, b) = (buffer("A", &shape), buffer("B", &shape));
    let (kept, work) = (buffer("kept", &shape), buffer("work", &shape));
    let [t, i, j, k, l] = ["t", "i", "j", "k", "l"].map(index);
    let all = |var: &Var, body| repeat(var, Expr::i64(size), ForKind::Serial, body);
    let next = |var: &Var| binary(BinOp::FloorMod, &(&of(var) + 7), &Expr::i64(size));
    let sum = binary(BinOp::Add, &load(&kept, &[next(&j)]), &load(&b, &[of(&j)]));
    let inner = Stmt::seq([
        all(&j, store(&b, &[of(&j)], &sum)),
        all(&k, store(&work, &[of(&k)], &load(&b, &[next(&k)]))),
        all(&l, store(&b, &[of(&l)], &load(&work, &[of(&l)]))),
    ]);
    let body = Stmt::seq([
        all(
            &i,
            Stmt::seq([store(&kept, &[of(&i)], &load(&a, &[of(&i)])), store(&b, &[of(&i)], &Expr::float(0.0, F32))]),
        ),
        repeat(&t, Expr::i64(3), ForKind::Serial, inner),
    ]);
    let f = function(&[&a, &b], &[], &[&kept, &work], body);
    assert_eq!(scratch_bytes(&f), 2 * 4 * size as u64);
    let values = floats(size as usize, &mut Random::new(6));
    let n = size as usize;
    let mut expected = vec![0.0; n];
    for _ in 0..3 {
        let sums: Vec<f32> = (0..n).map(|j| values[(j + 7) % n] + expected[j]).collect();
        expected = (0..n).map(|k| sums[(k + 7) % n]).collect();
    }
    let result = vector(&vec![f32::NAN; n]);
    run(&compiled(&f, &Target::host()), "f", &[vector(&values).into(), result.clone().into()]).unwrap();
    assert_eq!(result.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let (n, b, [i, j]) = (index("n"), buffer("B", &[Expr::i64(4)]), ["i", "j"].map(index));
    let size = &(&of(&n) * &of(&n)) * &of(&n);
    let t = buffer("T", std::slice::from_ref(&size));
    let body = Stmt::seq([
        repeat(&i, size.clone(), ForKind::Serial, store(&t, &[of(&i)], &Expr::float(2.0, F32))),
        repeat(&j, Expr::i64(4), ForKind::Serial, store(&b, &[of(&j)], &load(&t, &[&(&size - 1) - &of(&j)]))),
    ]);
    let machine = compiled(&function(&[&b], &[&n], &[&t], body), &Target::host());
    let call = |n: i64| {
        let result = vector(&[0.0; 4]);
        run(&machine, "f", &[result.clone().into(), Value::Int(n)]).map(|()| result.to_vec::<f32>().unwrap())
    };
    assert_eq!(call(3).unwrap(), [2.0; 4]);
    // Negative, more than there is, and products that wrap around to little.
    for n in [-1, 1 << 19, 1 << 32, i64::MAX] {
        let error = call(n).unwrap_err();
        assert!(error.contains("memory"), "{n}: {error}");
    }
}

#[test]
fn a_failing_assert_says_what_the_user_wrote() {
    let message = "größe {0} muß \"positiv\" sein: 100 % \\n";
    let (a, i) = (buffer("A", &[Expr::i64(64)]), index("i"));
    let positive = Expr::compare(CmpOp::Gt, &load(&a, &[of(&i)]), &Expr::float(0.0, F32)).unwrap();
    let check: Stmt = StmtKind::Assert { condition: positive, message: message.into() }.into();
    let body = Stmt::seq([check, store(&a, &[of(&i)], &Expr::float(1.0, F32))]);
    for kind in [ForKind::Serial, ForKind::Parallel, ForKind::Vectorized] {
        let body = repeat(&i, Expr::i64(64), kind, body.clone());
        let machine = compiled(&function(&[&a], &[], &[], body), &Target::host());
        run(&machine, "f", &[vector(&[0.5; 64]).into()]).unwrap();
        let mut values = [0.5; 64];
        values[40] = -1.0;
        let error = run(&machine, "f", &[vector(&values).into()]).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

/// Random loops of constant and of symbolic extent around a guarded store, all kinds of loops, partial tiles.
struct Program<'r> {
    random: &'r mut Random,
    n: Var,
    vars: Vec<Var>,
}

impl Program<'_> {
    fn pick(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    fn sum(&mut self) -> Expr {
        let mut sum = Expr::i64(self.pick(20) as i64 - 10);
        for var in self.vars.clone() {
            sum = &sum + &(&of(&var) * (self.pick(7) as i64 - 3));
        }
        if self.pick(3) == 0 { &sum + &of(&self.n) } else { sum }
    }

    fn condition(&mut self, a: &Buffer) -> Expr {
        let op = CmpOp::ALL[self.pick(CmpOp::ALL.len())];
        let one = Expr::compare(op, &self.sum(), &self.sum()).unwrap();
        match self.pick(4) {
            0 => {
                // The load is in range only where the left side holds.
                let at = self.sum();
                let from = Expr::compare(CmpOp::Ge, &at, &Expr::i64(0)).unwrap();
                let below = Expr::compare(CmpOp::Lt, &at, &Expr::i64(64)).unwrap();
                let positive = Expr::compare(CmpOp::Gt, &load(a, &[at]), &Expr::float(0.0, F32)).unwrap();
                binary(BinOp::And, &binary(BinOp::And, &from, &below), &positive)
            }
            1 => binary(BinOp::Or, &one, &Expr::compare(CmpOp::Lt, &self.sum(), &of(&self.n)).unwrap()),
            _ => one,
        }
    }

    fn value(&mut self, a: &Buffer) -> Expr {
        let clamped = binary(BinOp::Min, &binary(BinOp::Max, &self.sum(), &Expr::i64(0)), &Expr::i64(63));
        let read = load(a, &[clamped]);
        match self.pick(3) {
            0 => {
                let (condition, other) = (self.condition(a), Expr::float(3.0, F32));
                Expr::call(Intrinsic::IfThenElse, &[condition, read, other]).unwrap()
            }
            1 => binary(BinOp::Max, &read, &self.sum().cast(F32).unwrap()),
            _ => read,
        }
    }
}

/// A function of `A[64]` and `B[x, y, n]`.
fn random_program(random: &mut Random) -> (PrimFunc, Vec<i64>) {
    let n = index("n");
    let extents = [1 + random.below(30) as i64, [1, 3, 5, 16, 20][random.below(5)]];
    let vars: Vec<Var> = ["x", "y", "z"].map(index).into();
    let a = buffer("A", &[Expr::i64(64)]);
    let b = buffer("B", &[Expr::i64(extents[0]), Expr::i64(extents[1]), of(&n)]);
    let mut program = Program { random, n: n.clone(), vars: vars.clone() };
    let tile = [4, 8, 16][program.pick(3)];
    let tiled = program.pick(2) == 0;
    let (tiles, lane) = (index("t"), index("l"));
    let last = if tiled { &(&of(&tiles) * tile) + &of(&lane) } else { of(&vars[2]) };
    let at = [of(&vars[0]), of(&vars[1]), of(&vars[2])];
    let value = binary(BinOp::Add, &program.value(&a), &load(&b, &at));
    let write = store(&b, &at, &value);
    let otherwise = (program.pick(2) == 0).then(|| store(&b, &at, &program.value(&a)));
    let body = if program.pick(3) == 0 { write } else { when(program.condition(&a), write, otherwise) };
    let kinds = [ForKind::Serial, ForKind::Vectorized, ForKind::Unrolled, ForKind::Parallel];
    let mut kind = |from: &[usize]| kinds[from[program.random.below(from.len())]].clone();
    let inner = if tiled {
        let renamed =
            tilewright_expr::node::rewrite(&body, |e: &Expr| (e.as_var() == Some(&vars[2])).then(|| last.clone()));
        let inside = Expr::compare(CmpOp::Lt, &last, &of(&n)).unwrap();
        let guarded = when(inside, renamed.unwrap_or(body), None);
        let lanes = repeat(&lane, Expr::i64(tile), kind(&[0, 1, 2]), guarded);
        let count = binary(BinOp::FloorDiv, &(&of(&n) + (tile - 1)), &Expr::i64(tile));
        repeat(&tiles, count, kind(&[0, 0, 3]), lanes)
    } else {
        repeat(&vars[2], of(&n), kind(&[0, 1, 1]), body)
    };
    let middle = repeat(&vars[1], Expr::i64(extents[1]), kind(&[0, 0, 2]), inner);
    let outer = repeat(&vars[0], Expr::i64(extents[0]), kind(&[0, 3]), middle);
    (function(&[&a, &b], &[], &[], outer), extents.to_vec())
}

#[test]
fn random_programs_do_what_the_interpreter_does() {
    let mut random = Random::new(41);
    let targets = [Target::host(), Target::parse("llvm -mcpu=x86-64").unwrap()];
    for round in 0..40 {
        let (f, extents) = random_program(&mut random);
        let machine = compiled(&f, &targets[usize::from(round % 4 == 3)]);
        for n in [0, 1, 7, 16, 37] {
            let shape = [extents[0], extents[1], n];
            let count = shape.iter().product::<i64>() as usize;
            let (a, b) = (vector(&floats(64, &mut random)), vector(&floats(count, &mut random)));
            let expected = b.copied().unwrap();
            let args = [Arg::Tensor(a.copied().unwrap()), Arg::Tensor(expected.reshape(&shape).unwrap())];
            InterpCx::new(round).run_prim_func(&f, &args).unwrap_or_else(|e| panic!("round {round}, n = {n}: {e}"));
            run(&machine, "f", &[a.into(), b.clone().into(), Value::Int(n)]).unwrap();
            assert_eq!(b.to_vec::<f32>().unwrap(), expected.to_vec::<f32>().unwrap(), "round {round}, n = {n}");
        }
    }
}

#[test]
fn scalars_of_the_user_decide_how_far_loops_run() {
    // The guard leaves the loop, and with it what the user's number may do.
    let (k, b, i) = (Var::new("k", I64), buffer("B", &[Expr::i64(20)]), index("i"));
    let inside = Expr::compare(CmpOp::Lt, &of(&i), &of(&k)).unwrap();
    let body = when(inside, store(&b, &[of(&i)], &Expr::float(1.0, F32)), None);
    let f = function(&[&b], &[&k], &[], repeat(&i, Expr::i64(20), ForKind::Serial, body));
    let machine = compiled(&f, &Target::host());
    for k in [i64::MIN, -1, 0, 7, 20, 21, i64::MAX] {
        let result = vector(&[0.0; 20]);
        run(&machine, "f", &[result.clone().into(), Value::Int(k)]).unwrap();
        let ones = k.clamp(0, 20) as usize;
        let expected: Vec<f32> = (0..20).map(|i| f32::from(u8::from(i < ones))).collect();
        assert_eq!(result.to_vec::<f32>().unwrap(), expected, "{k}");
        let meant = vector(&[0.0; 20]);
        let args = [Arg::Tensor(meant.clone()), Arg::Scalar(Scalar::from_int(k, I64))];
        InterpCx::new(1).run_prim_func(&f, &args).unwrap();
        assert_eq!(meant.to_vec::<f32>().unwrap(), expected, "{k}");
    }
}

#[test]
fn rows_of_an_odd_length_go_past_the_caches_in_whole_lines() {
    let mut target = Target::parse("llvm -mcpu=haswell").unwrap();
    target.limits.l3_bytes = 1 << 20;
    let shape = [Expr::i64(4000), Expr::i64(83)];
    let (a, b, i, j) = (buffer("A", &shape), buffer("B", &shape), index("i"), index("j"));
    let at = [of(&i), of(&j)];
    let row = repeat(&j, Expr::i64(83), ForKind::Vectorized, store(&b, &at, &load(&a, &at)));
    let body = repeat(&i, Expr::i64(4000), ForKind::Serial, row);
    let low = tilewright_tir_passes::lower("f", &function(&[&a, &b], &[], &[], body)).unwrap();
    let text = tilewright_llvm::emit_llvm_ir(&[low], &target, &Default::default()).unwrap();
    assert!(text.contains("align 64, !nontemporal"), "{text}");
}

#[test]
fn many_elements_that_are_loaded_one_by_one_are_not_searched_for_vectors() {
    let target = Target::parse("llvm -mcpu=haswell").unwrap();
    for (vectors, many) in [(2, false), (64, true)] {
        let size = 16 * vectors;
        let shape = [Expr::i64(size)];
        let (a, places, b) = (buffer("A", &shape), Buffer::new("P", shape.to_vec(), I64), buffer("B", &shape));
        let (u, j) = (index("u"), index("j"));
        let at = &(&of(&u) * 16) + &of(&j);
        let inside = |e: Expr| binary(BinOp::Min, &binary(BinOp::Max, &e, &Expr::i64(0)), &Expr::i64(size - 1));
        let lanes = repeat(&j, Expr::i64(16), ForKind::Vectorized, {
            store(&b, std::slice::from_ref(&at), &load(&a, &[inside(load(&places, std::slice::from_ref(&at)))]))
        });
        let f = function(&[&a, &places, &b], &[], &[], repeat(&u, Expr::i64(vectors), ForKind::Unrolled, lanes));
        let low = tilewright_tir_passes::lower("f", &f).unwrap();
        let text = tilewright_llvm::emit_llvm_ir(&[low], &target, &Default::default()).unwrap();
        assert_eq!(text.contains("noimplicitfloat"), many, "{vectors}:\n{text}");
        let values: Vec<f32> = (0..size).map(|i| i as f32 * 0.5 - 3.0).collect();
        let from: Vec<i64> = (0..size).map(|i| (i * 7 + 3) % size).collect();
        let result = vector(&vec![0.0; values.len()]);
        let from_tensor = Tensor::from_vec(&[size], from.clone()).unwrap();
        run(&compiled(&f, &Target::host()), "f", &[vector(&values).into(), from_tensor.into(), result.clone().into()])
            .unwrap();
        let expected: Vec<f32> = from.iter().map(|&at| values[at as usize]).collect();
        assert_eq!(result.to_vec::<f32>().unwrap(), expected, "{vectors}");
    }
}
