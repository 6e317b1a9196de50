//! Passes for devices, by name: the interpreter, whose threads go together from barrier to barrier, finds the same
//! results before and after.

use std::sync::Arc;

use tilewright_interp::Random;
use tilewright_ir::tir::{BinOp, ForKind, IterKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tensor::Tensor;

use super::build::*;
use super::{Input, random_tensors, run, show};
use crate::named::{Options, named_pass};

fn bound<'v>(var: &'v Var, extent: i64, tag: &str) -> (&'v Var, i64, ForKind) {
    (var, extent, ForKind::ThreadBinding(Arc::from(tag)))
}

fn near(a: &[Vec<u8>], b: &[Vec<u8>]) -> bool {
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    // Sums of numbers below 1 in another order.
    a.iter().zip(b).all(|(a, b)| floats(a).iter().zip(floats(b)).all(|(x, y)| (x - y).abs() < 1e-4))
}

#[track_caller]
fn passes(names: &[&str], function: PrimFunc, tensors: &[Tensor]) -> PrimFunc {
    let expected = run(&function, None, tensors).unwrap_or_else(|e| panic!("the program itself: {e}"));
    names.iter().fold(function, |before, name| {
        let pass = named_pass(name).unwrap_or_else(|| panic!("no pass {name}"));
        let after = (pass.run)(&Options::new(), &before).unwrap_or_else(|e| panic!("{name}: {e}"));
        let text = || format!("before {name}:\n{}\nafter:\n{}", show::function(&before), show::function(&after));
        // A reduction over threads is one operation until it is lowered.
        if show::function(&after).contains("tvm_thread_allreduce") {
            return after;
        }
        match run(&after, None, tensors) {
            Ok(found) => assert!(near(&found, &expected), "{name} changed the result\n{}", text()),
            Err(error) => panic!("{name}: {error}\n{}", text()),
        }
        after
    })
}

const LOWERING: [&str; 10] = [
    "LowerCrossThreadReduction",
    "LowerInitBlock",
    "PlanAndUpdateBufferAllocationLocation",
    "ConvertBlocksToOpaque",
    "LiftThreadBinding",
    "CompactBufferAllocation",
    "LowerOpaqueBlock",
    "FlattenBuffer",
    "Simplify",
    "LowerThreadAllreduce",
];

/// Reductions of rows of 50 elements, over threads in one or two dimensions and over a loop.
fn rows(op: BinOp, identity: f64, threads: [i64; 2]) -> PrimFunc {
    let (a, c) = (buffer("A", &[5, 50]), buffer("C", &[5]));
    let [i, ko, x, y, vi, vk] = ["i", "ko", "x", "y", "vi", "vk"].map(var);
    let inner = &(&of(&y) * threads[0]) + &of(&x);
    let k = &(&of(&ko) * (threads[0] * threads[1])) + &inner;
    let at = [of(&vi)];
    let update = store(&c, &at, &binary(op, &load(&c, &at), &load(&a, &[of(&vi), of(&vk)])));
    let iters = vec![axis(&vi, 5, IterKind::Spatial), axis(&vk, 50, IterKind::Reduce)];
    let mut sum = block("sum", iters, vec![element(&c, &at)], vec![element(&a, &[of(&vi), of(&vk)])], update);
    sum.init = Some(store(&c, &at, &float(identity)));
    let stmt = realize(&[of(&i), k.clone()], less(&k, &int(50)), sum);
    let rounds = (50 + threads[0] * threads[1] - 1) / (threads[0] * threads[1]);
    let loops = [
        bound(&i, 5, "blockIdx.x"),
        serial(&ko, rounds),
        bound(&y, threads[1], "threadIdx.y"),
        bound(&x, threads[0], "threadIdx.x"),
    ];
    function(&[&a, &c], &[], nest(loops, stmt))
}

#[test]
fn reductions_over_threads_give_what_the_loops_give() {
    let tensors = random_tensors(&[Input::F32(vec![5, 50]), Input::F32(vec![5])], &mut Random::new(3));
    for threads in [[16, 1], [24, 1], [6, 3], [1, 8], [50, 1]] {
        for (op, identity) in [(BinOp::Add, 0.0), (BinOp::Max, -100.0)] {
            let lowered = passes(&LOWERING, rows(op, identity, threads), &tensors);
            assert!(show::function(&lowered).contains("tvm_storage_sync"));
        }
    }
}

#[test]
fn virtual_threads_run_together() {
    let (a, b, c) = (buffer("A", &[24]), buffer("B", &[24]), buffer("c", &[8]));
    let [v, i, j] = ["v", "i", "j"].map(var);
    let own = &(&of(&v) * 8) + &of(&i);
    let fill = nest([serial(&i, 8)], store(&c, &[of(&i)], &load(&a, &[own])));
    let back = store(&b, &[&(&of(&v) * 8) + &of(&j)], &load(&c, &[&int(7) - &of(&j)]));
    let body = Stmt::seq([fill, nest([serial(&j, 8)], back)]);
    let body = StmtKind::Allocate { buffer: c.clone(), body }.into();
    let function = function(&[&a, &b], &[], nest([bound(&v, 3, "vthread")], body));
    let tensors = random_tensors(&[Input::F32(vec![24]), Input::F32(vec![24])], &mut Random::new(3));
    let done = passes(&["InjectVirtualThread"], function, &tensors);
    assert!(!show::function(&done).contains("vthread"), "{}", show::function(&done));
}
