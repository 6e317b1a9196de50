//! `DefaultGPUSchedule` on the loops that every operator becomes: random modules, legalised, mean the same on threads.

use tilewright::ir::node::walk;
use tilewright::ir::pass::PassCx;
use tilewright::ir::tir::{ForKind, PrimFunc, Stmt, StmtKind};
use tilewright::relax_passes::LegalizeOps;
use tilewright::schedule::DefaultGPUSchedule;
use tilewright::tir_passes::lower;
use tilewright::{DataType, GlobalFunc, IRModule, Pass, SourceFile, Target, Tensor};
use tilewright_filetests::random::Sampled;
use tilewright_interp::{Arg, InterpCx};

const SEEDS: std::ops::Range<u64> = 100..148;

fn run(pass: &dyn Pass, module: &IRModule) -> IRModule {
    PassCx::default().run(pass, module.clone()).unwrap_or_else(|error| panic!("{error}"))
}

fn prim_funcs(module: &IRModule) -> impl Iterator<Item = &PrimFunc> {
    module.iter().filter_map(|(_, function)| match function {
        GlobalFunc::Prim(function) => Some(&**function),
        GlobalFunc::Relax(_) => None,
    })
}

/// The numbers of the root block's statements that run on more than one thread, and on one.
fn kernels(function: &PrimFunc) -> (usize, usize) {
    let Some(root) = function.root_block() else { return (0, 0) };
    let stmts = match &root.body.kind {
        StmtKind::Seq(stmts) => stmts.clone(),
        _ => vec![root.body.clone()],
    };
    let (mut many, mut one) = (0, 0);
    for stmt in &stmts {
        let mut threads = Vec::new();
        walk(stmt, |s: &Stmt| {
            if let StmtKind::For { extent, kind: ForKind::ThreadBinding(_), .. } = &s.kind {
                threads.push(extent.as_int());
            }
        });
        assert_eq!(threads.len(), 2, "a statement is bound to blocks and to threads, once");
        match threads.iter().all(|extent| *extent == Some(1)) {
            true => one += 1,
            false => many += 1,
        }
    }
    (many, one)
}

/// The module with every PrimFunc after the steps for GPUs.
fn lowered(module: &IRModule) -> IRModule {
    let mut lowered = module.clone();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function {
            // Flat buffers are no arguments of the program's shapes.
            let steps = lower::GPU.steps.iter().take_while(|(step, _)| *step != "flatten_device_buffers");
            let done = steps.fold((**function).clone(), |function, (step, pass)| {
                pass.run(&function).unwrap_or_else(|found| panic!("{step} of {name}: {found}"))
            });
            lowered.insert(name.clone(), done);
        }
    }
    lowered
}

/// Threads of a block reverse a row through shared memory.
const REVERSED: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 32), "float32"), B: T.Buffer((8, 32), "float32")):
        for bx in T.thread_binding(8, thread="blockIdx.x"):
            with T.block("block"):
                vb = T.axis.spatial(8, bx)
                row = T.alloc_buffer((32,), "float32", scope="shared")
                for tx in T.thread_binding(32, thread="threadIdx.x"):
                    row[tx] = A[vb, tx]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    B[vb, tx] = row[31 - tx]
"#;

#[test]
fn threads_still_wait_for_each_other_after_the_steps_for_gpus() {
    let module = tilewright::parse_module(&SourceFile::new("reversed.py", REVERSED)).unwrap();
    let given = Tensor::from_vec(&[8, 32], (0..256).map(|i| i as f32).collect::<Vec<f32>>()).unwrap();
    let expected: Vec<f32> = (0..256).map(|i| (i / 32 * 32 + 31 - i % 32) as f32).collect();
    for module in [module.clone(), lowered(&module)] {
        let function = module.prim("main").unwrap();
        // Threads run in a random order between their barriers.
        for seed in 0..5 {
            let found = Tensor::zeros(DataType::F32, &[8, 32]).unwrap();
            let args = [Arg::Tensor(given.clone()), Arg::Tensor(found.clone())];
            InterpCx::new(seed).run_prim_func(function, &args).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found.to_vec::<f32>().unwrap(), expected);
        }
    }
}

#[test]
fn every_function_is_bound_and_means_the_same() {
    let small = DefaultGPUSchedule::new(&Target::parse("cuda -max_threads_per_block=3").unwrap()).unwrap();
    let (mut many, mut one, mut modules) = (0, 0, 0);
    for sampled in SEEDS.filter_map(|seed| Sampled::new(seed).ok()) {
        let legalized = run(&LegalizeOps::default(), &sampled.module);
        if sampled.is_meant_by(&legalized, 0.0).is_err() {
            continue;
        }
        let bound = run(&small, &legalized);
        for function in prim_funcs(&bound) {
            let (here, alone) = kernels(function);
            many += here;
            one += alone;
        }
        sampled.is_meant_by(&bound, 0.0).unwrap_or_else(|why| panic!("{why}"));
        sampled.is_meant_by(&lowered(&bound), 0.0).unwrap_or_else(|why| panic!("lowered: {why}"));
        modules += 1;
    }
    assert!(modules > 24, "{modules} modules");
    // Single elements and loops whose order matters stay on one thread.
    assert!(many > 3 * one, "{many} statements on many threads, {one} on one");
}
