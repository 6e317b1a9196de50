//! Random graphs: every pass keeps their meaning.

use tilewright_interp::InterpCx;
use tilewright_ir::IRModule;
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx};
use tilewright_ir::relax::{Binding, BindingBlock, Expr, SeqExpr, StructInfo, Var};
use tilewright_ops::{binary, linear_algebra::matmul, manipulate::permute_dims, nn, unary};
use tilewright_relax_passes::{
    BindParams, CanonicalizeBindings, CombineParallelMatmul, ConvertToDataflow, DataflowUseInplaceCalls,
    DeadCodeElimination, EliminateCommonSubexpr, FoldConstant, InlinePrivateFunctions, LambdaLift, LegalizeOps,
    RemoveRedundantReshape, RemoveUnusedOutputs, RemoveUnusedParameters, ReorderPermuteDimsAfterConcat,
    RewriteDataflowReshape, SortDirection, SortOrder, TopologicalSort,
};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use crate::graph::{Build, interpret, means_the_same, module_of, numbers, tensor_info};

/// The same numbers for the same seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// A value of shape (4, 4) from earlier ones.
fn value(dice: &mut Dice, known: &[Expr]) -> Expr {
    let cx = InferCx::default();
    let mut pick = || known[known.len() - 1 - dice.roll(known.len().min(6))].clone();
    let (a, b) = (pick(), pick());
    let made = match dice.roll(9) {
        0 => binary::add::call(&cx, a, b),
        1 => binary::subtract::call(&cx, a, b),
        2 => binary::maximum::call(&cx, a, b),
        3 => matmul::call(&cx, a, b, DataType::VOID).and_then(|product| unary::trunc::call(&cx, product)),
        4 => permute_dims::call(&cx, a, None),
        5 => nn::relu::call(&cx, a),
        6 => unary::negative::call(&cx, a),
        7 => Expr::call_dps_packed("env.double", vec![a], vec![tensor_info(&[4, 4])]),
        _ => Expr::tuple_get(Expr::tuple(vec![a, b]), dice.roll(2)),
    };
    made.unwrap()
}

/// A conditional between values from earlier ones.
fn conditional(dice: &mut Dice, condition: &Expr, known: &[Expr]) -> Expr {
    let mut branch = || {
        let first = value(dice, known);
        let var = Var::new("gv", first.struct_info.clone());
        let binding = Binding::new(var.clone(), first, Origins::default());
        let mut all = known.to_vec();
        all.push(Expr::var(&var));
        let result = if dice.roll(4) == 0 { known[0].clone() } else { value(dice, &all) };
        SeqExpr { blocks: vec![BindingBlock { dataflow: false, bindings: vec![binding] }], result }
    };
    let (then, otherwise) = (branch(), branch());
    Expr::conditional(condition.clone(), then, otherwise).unwrap()
}

fn graph(seed: u64) -> IRModule {
    let mut dice = Dice(seed);
    let mut build = Build::new();
    let condition = build.param("p", StructInfo::tensor_of(&[], DataType::BOOL));
    let mut known = vec![build.param("x", tensor_info(&[4, 4])), build.param("y", tensor_info(&[4, 4]))];
    for _ in 0..4 + dice.roll(12) {
        let next = match dice.roll(5) {
            0 => conditional(&mut dice, &condition, &known),
            _ => value(&mut dice, &known),
        };
        let next = build.bind(Ok(next));
        known.push(if dice.roll(6) == 0 { build.cast(&next) } else { next });
    }
    let last = known[known.len() - 1].clone();
    module_of(build.finish(&last))
}

#[test]
fn every_pass_keeps_the_meaning_of_random_graphs() {
    for seed in 0..60 {
        let module = graph(seed);
        let args = [Tensor::scalar(seed % 2 == 0), numbers(&[4, 4], seed as u32), numbers(&[4, 4], seed as u32 + 1000)];
        let expected = interpret(&module, &args).to_vec::<f32>().unwrap();
        means_the_same(&module, &args, &expected);
    }
}

/// Each pass alone on the graph as it is, and all of them one after the other, on graph operators and on PrimFuncs.
#[test]
fn passes_that_reorder_and_share_change_no_result() {
    let sort = |order, direction| TopologicalSort { order, direction };
    let passes: Vec<Box<dyn Pass>> = vec![
        Box::new(sort(SortOrder::DepthFirst, SortDirection::FromInputs)),
        Box::new(CombineParallelMatmul::default()),
        Box::new(sort(SortOrder::BreadthFirst, SortDirection::FromOutputs)),
        Box::new(RemoveRedundantReshape),
        Box::new(ConvertToDataflow { min_size: 2 }),
        Box::new(sort(SortOrder::DepthFirst, SortDirection::FromOutputs)),
        Box::new(LambdaLift),
        Box::new(RemoveUnusedParameters),
        Box::new(RemoveUnusedOutputs),
        Box::new(sort(SortOrder::BreadthFirst, SortDirection::FromInputs)),
        Box::new(ReorderPermuteDimsAfterConcat),
        Box::new(RewriteDataflowReshape),
    ];
    for seed in 0..15 {
        let plain = graph(seed);
        let args = [Tensor::scalar(seed % 2 == 0), numbers(&[4, 4], seed as u32), numbers(&[4, 4], seed as u32 + 77)];
        let expected = interpret(&plain, &args).to_vec::<f32>().unwrap();
        let legal = PassCx::default().run(&LegalizeOps::default(), plain.clone()).unwrap();
        for module in [plain, legal] {
            passes.iter().fold(module.clone(), |all, pass| {
                let name = pass.info().name;
                for before in [&module, &all] {
                    let after = PassCx::default().run(pass.as_ref(), before.clone()).unwrap();
                    let found = interpret(&after, &args).to_vec::<f32>().unwrap();
                    assert_eq!(found, expected, "seed {seed} after {name}");
                    let again = PassCx::default().run(pass.as_ref(), after.clone()).unwrap();
                    assert!(again.compare(&after).is_ok(), "seed {seed}: {name} twice is not {name} once");
                }
                PassCx::default().run(pass.as_ref(), all).unwrap()
            });
        }
    }
}

/// The branches of a function, and half of its constants, are decided before it runs.
#[test]
fn folding_constants_changes_no_result() {
    let interpreter = InterpCx::new(3);
    for seed in 0..60 {
        let module = graph(seed);
        let (p, x, y) =
            (Tensor::scalar(seed % 3 == 0), numbers(&[4, 4], seed as u32), numbers(&[4, 4], seed as u32 + 9));
        let expected = interpret(&module, &[p.clone(), x.clone(), y.clone()]).to_vec::<f32>().unwrap();
        let bound = match seed % 2 {
            0 => vec![("p".into(), p.clone()), ("y".into(), y.clone())],
            _ => vec![("p".into(), p.clone()), ("x".into(), x.clone()), ("y".into(), y.clone())],
        };
        let args = if seed % 2 == 0 { vec![x] } else { Vec::new() };
        let passes: [&dyn Pass; 9] = [
            &BindParams::new("main", bound),
            &EliminateCommonSubexpr::default(),
            &CanonicalizeBindings,
            &InlinePrivateFunctions,
            &LegalizeOps::default(),
            &FoldConstant,
            &EliminateCommonSubexpr::default(),
            &DataflowUseInplaceCalls,
            &DeadCodeElimination::default(),
        ];
        passes.into_iter().fold(module, |module, pass| {
            let mut cx = PassCx { evaluator: Some(&interpreter), ..PassCx::default() };
            let module = cx.run(pass, module).unwrap();
            let found = interpret(&module, &args).to_vec::<f32>().unwrap();
            assert_eq!(found, expected, "seed {seed} after {}", pass.info().name);
            module
        });
    }
}
