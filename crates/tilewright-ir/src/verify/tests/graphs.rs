//! Graph functions.

use tilewright_expr as scalar;
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use super::*;
use crate::op::{
    ArgDef, ArgKind, AttrDef, AttrDefault, AttrKind, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, OpDef,
    OpRef, Properties,
};
use crate::relax::*;
use crate::tir::{Buffer, Param, PrimFunc, Stmt};
use crate::verify::Sound;
use crate::{Attr, Attrs};

const X: ArgDef = ArgDef { name: "x", kind: ArgKind::Tensor, doc: "" };

fn same_as_x(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

fn no_formula(_: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    Err(InferError::new("a test needs no formula"))
}

pub(super) static RELU: OpDef = OpDef {
    name: "test.relu",
    doc: "",
    args: &[X],
    attrs: &[],
    infer: same_as_x,
    legalize: Legalize::PrimFunc(no_formula),
    properties: Properties { pure: true, fusion: Fusion::Elementwise },
    loops: None,
    numbers: &[],
    decompose: None,
    layouts: None,
    other_order: None,
    gradient: None,
};

pub(super) static KILL: OpDef = OpDef {
    name: "test.kill",
    doc: "",
    args: &[X],
    attrs: &[],
    infer: |_, _| Ok(StructInfo::Tuple(Vec::new())),
    legalize: Legalize::Machine(MachineOp::Kill),
    properties: Properties { pure: false, fusion: Fusion::Opaque },
    loops: None,
    numbers: &[],
    decompose: None,
    layouts: None,
    other_order: None,
    gradient: None,
};

pub(super) static STORAGE: OpDef = OpDef {
    name: "test.alloc_storage",
    doc: "",
    args: &[],
    attrs: &[AttrDef { name: "bytes", kind: AttrKind::Int, default: AttrDefault::Int(64), doc: "" }],
    infer: |_, _| Ok(StructInfo::tensor_of(&[64], DataType::U8)),
    legalize: Legalize::Machine(MachineOp::AllocStorage),
    properties: Properties { pure: false, fusion: Fusion::Opaque },
    loops: None,
    numbers: &[],
    decompose: None,
    layouts: None,
    other_order: None,
    gradient: None,
};

static PLACE: OpDef = OpDef {
    name: "test.alloc_tensor",
    doc: "",
    args: &[X],
    attrs: &[],
    infer: |_, _| Ok(tensor(&[4])),
    legalize: Legalize::Machine(MachineOp::TensorInStorage),
    properties: Properties { pure: false, fusion: Fusion::Opaque },
    loops: None,
    numbers: &[],
    decompose: None,
    layouts: None,
    other_order: None,
    gradient: None,
};

pub(super) fn tensor(shape: &[i64]) -> StructInfo {
    StructInfo::tensor_of(shape, DataType::F32)
}

pub(super) fn op(def: &'static OpDef, args: &[&Var]) -> Expr {
    Expr::call_op(&InferCx::default(), OpRef(def), args.iter().map(|v| Expr::var(v)).collect(), Attrs::new()).unwrap()
}

pub(super) fn relu(x: &Var) -> Expr {
    op(&RELU, &[x])
}

pub(super) fn bind(var: &Var, value: Expr) -> Binding {
    Binding::new(var.clone(), value, Origins::default())
}

pub(super) fn block(dataflow: bool, bindings: Vec<Binding>) -> BindingBlock {
    BindingBlock { dataflow, bindings }
}

pub(super) fn function(params: &[&Var], blocks: Vec<BindingBlock>, result: Expr) -> Function {
    Function {
        params: params.iter().map(|&p| p.clone()).collect(),
        ret: result.struct_info.clone(),
        body: SeqExpr { blocks, result },
        pure: true,
        attrs: Attrs::new(),
        origins: Origins::default(),
    }
}

/// A module with a PrimFunc `copy(A[4], B[4])` besides the function.
pub(super) fn module_of(main: Function) -> IRModule {
    let mut module = IRModule::new();
    copy_in(&mut module);
    module.insert("main", main);
    module
}

fn copy_in(module: &mut IRModule) -> GlobalVar {
    let buffer = |name: &str| Buffer::new(name, vec![scalar::Expr::i64(4)], DataType::F32);
    let params = vec![Param::buffer(&buffer("A")), Param::buffer(&buffer("B"))];
    module.insert("copy", PrimFunc::with_root(params, Attrs::new(), vec![], Stmt::nothing(), Origins::default()))
}

pub(super) fn copy() -> GlobalVar {
    copy_in(&mut IRModule::new())
}

pub(super) fn call_copy(x: &Var) -> Expr {
    Expr::call_tir(&InferCx::default(), copy(), vec![Expr::var(x)], vec![tensor(&[4])]).unwrap()
}

pub(super) fn x() -> Var {
    Var::new("x", tensor(&[4]))
}

/// `main(x)` whose one binding, in a plain block, is this value.
pub(super) fn with_value(value: impl FnOnce(&Var) -> Expr) -> Function {
    let x = x();
    let value = value(&x);
    let y = Var::new("y", value.struct_info.clone());
    function(&[&x], vec![block(false, vec![bind(&y, value)])], Expr::var(&y))
}

#[test]
fn a_function_with_two_dataflow_blocks_is_well_formed() {
    let (x, lv, gv, out) =
        (x(), Var::dataflow("lv", tensor(&[4])), Var::new("gv", tensor(&[4])), Var::new("o", tensor(&[4])));
    let blocks = vec![
        block(true, vec![bind(&lv, relu(&x)), bind(&gv, call_copy(&lv))]),
        block(true, vec![bind(&out, relu(&gv))]),
    ];
    let main = function(&[&x], blocks, Expr::var(&out));
    passes(&module_of(main.clone()), Form::Graph);
    refused("TW0550", &module_of(main), Form::Legalized);
}

#[test]
fn calls_are_checked_again_where_their_result_may_have_changed() {
    let mut sound = Sound::default();
    let mut module = module_of(with_value(call_copy));
    sound.verify(&module, Form::Any).unwrap();
    sound.verify(&module, Form::Any).unwrap();
    // The very call, of another function under the name.
    let right = module.prim("copy").unwrap().clone();
    let buffer = |name: &str| Buffer::new(name, vec![scalar::Expr::i64(5)], DataType::F32);
    let params = vec![Param::buffer(&buffer("A")), Param::buffer(&buffer("B"))];
    module.insert("copy", PrimFunc { params, ..(*right).clone() });
    for _ in 0..2 {
        assert_eq!(sound.verify(&module, Form::Any).unwrap_err().0[0].code, "TW0525");
    }
    module.insert("copy", PrimFunc::clone(&right));
    sound.verify(&module, Form::Any).unwrap();
    // A call that is wrong stays so, and so does one of a variable that is not bound, however often they are looked at.
    let wrong = with_value(|x| Expr::raw(tensor(&[5]), relu(x).kind.clone()));
    let stray = with_value(|_| relu(&Var::new("stray", tensor(&[4]))));
    for (main, code) in [(wrong, "TW0526"), (stray, "TW0520")] {
        module.insert("main", main);
        for _ in 0..2 {
            assert_eq!(sound.verify(&module, Form::Any).unwrap_err().0[0].code, code);
        }
    }
}

#[test]
fn tw0520_variables_are_used_after_their_binding() {
    let stray = Var::new("stray", tensor(&[4]));
    refused("TW0520", &module_of(with_value(|_| relu(&stray))), Form::Any);
    let (x, y, z) = (x(), Var::new("y", tensor(&[4])), Var::new("z", tensor(&[4])));
    let early = vec![block(false, vec![bind(&y, relu(&z)), bind(&z, relu(&x))])];
    refused("TW0520", &module_of(function(&[&x], early, Expr::var(&y))), Form::Any);
}

#[test]
fn tw0520_variables_of_a_branch_stay_there() {
    let condition = Expr::prim(scalar::Expr::bool(true));
    let (x, y, z) = (x(), Var::new("y", tensor(&[4])), Var::new("z", tensor(&[4])));
    let branch = |var: &Var| SeqExpr { blocks: vec![block(false, vec![bind(var, relu(&x))])], result: Expr::var(var) };
    let value = Expr::conditional(condition, branch(&y), branch(&z)).unwrap();
    let out = Var::new("out", value.struct_info.clone());
    let blocks = vec![block(false, vec![bind(&out, value)])];
    passes(&module_of(function(&[&x], blocks.clone(), Expr::var(&out))), Form::Any);
    refused("TW0520", &module_of(function(&[&x], blocks, Expr::var(&y))), Form::Any);
}

#[test]
fn tw0521_dataflow_variables_stay_in_their_block() {
    let (x, lv) = (x(), Var::dataflow("lv", tensor(&[4])));
    let make = |dataflow| function(&[&x], vec![block(dataflow, vec![bind(&lv, relu(&x))])], Expr::var(&lv));
    refused("TW0521", &module_of(make(true)), Form::Any);
    refused("TW0521", &module_of(make(false)), Form::Any);
}

#[test]
fn tw0522_variables_are_bound_once() {
    let (x, y) = (x(), Var::new("y", tensor(&[4])));
    let twice = vec![block(false, vec![bind(&y, relu(&x)), bind(&y, relu(&x))])];
    refused("TW0522", &module_of(function(&[&x], twice, Expr::var(&y))), Form::Any);
    refused("TW0522", &module_of(function(&[&x, &x], vec![], Expr::var(&x))), Form::Any);
}

#[test]
fn tw0523_dataflow_blocks_and_pure_functions_have_no_side_effects() {
    let print = |x: &Var| Expr::call_packed("print", vec![Expr::var(x)], vec![]);
    let mut main = with_value(print);
    refused("TW0523", &module_of(main.clone()), Form::Any);
    main.pure = false;
    passes(&module_of(main), Form::Any);
    // A former `call_dps_packed` writes to a tensor of the function's own.
    let (x, placed) = (x(), Var::new("t", tensor(&[4])));
    let write = Expr::call_packed("write", vec![Expr::var(&x), Expr::var(&placed)], vec![]);
    let done = Var::new("_", StructInfo::Object);
    let bindings = vec![bind(&placed, op(&PLACE, &[&x])), bind(&done, write)];
    passes(&module_of(function(&[&x], vec![block(false, bindings)], Expr::var(&x))), Form::Any);
    // A memory operation may be in a pure function, but not in a dataflow block.
    let mut main = with_value(|x| op(&KILL, &[x]));
    passes(&module_of(main.clone()), Form::Any);
    main.body.blocks[0].dataflow = true;
    refused("TW0523", &module_of(main), Form::Any);
    // The callee's purity is the one that it has now.
    let mut callee = with_value(relu);
    let mut module = module_of(callee.clone());
    let global = module.insert("callee", callee.clone());
    let caller =
        with_value(|x| Expr::call_value(&InferCx::default(), Expr::global(&global), vec![Expr::var(x)]).unwrap());
    module.insert("caller", caller);
    passes(&module, Form::Any);
    callee.pure = false;
    module.insert("callee", callee);
    refused("TW0523", &module, Form::Any);
}

#[test]
fn tw0524_functions_that_are_named_exist() {
    let mut module = module_of(with_value(call_copy));
    module.remove("copy");
    refused("TW0524", &module, Form::Any);
    module.insert("copy", with_value(relu));
    refused("TW0524", &module, Form::Any);
    let nowhere = GlobalVar { name: "nowhere".into(), signature: StructInfo::Object };
    refused("TW0524", &module_of(with_value(|_| Expr::global(&nowhere))), Form::Any);
}

#[test]
fn tw0525_arguments_fit_the_parameters_as_they_are_now() {
    // The reference was made when `copy` had parameters of 4 elements.
    let mut module = module_of(with_value(call_copy));
    let wide = Buffer::new("A", vec![scalar::Expr::i64(5)], DataType::F32);
    let params = vec![Param::buffer(&wide), Param::buffer(&wide.derive(|_| {}))];
    module.insert("copy", PrimFunc::with_root(params, Attrs::new(), vec![], Stmt::nothing(), Origins::default()));
    refused("TW0525", &module, Form::Any);
    let mut module = module_of(with_value(relu));
    let call = |args: Vec<Expr>| {
        let callee = Callee::Value(Expr::global(&copy()));
        let kind = ExprKind::Call { callee, args, attrs: Attrs::new(), sinfo_args: vec![] };
        Expr::raw(StructInfo::Tuple(vec![]), kind)
    };
    module.insert("main", with_value(|x| call(vec![Expr::var(x), Expr::var(x)])));
    passes(&module, Form::Any);
    module.insert("main", with_value(|x| call(vec![Expr::var(x)])));
    refused("TW0525", &module, Form::Any);
}

#[test]
fn tw0526_struct_infos_follow_from_their_rules() {
    let wrong = |expr: Expr| Expr::raw(tensor(&[5]), expr.kind.clone());
    refused("TW0526", &module_of(with_value(|x| wrong(relu(x)))), Form::Any);
    refused("TW0526", &module_of(with_value(|x| wrong(call_copy(x)))), Form::Any);
    refused("TW0526", &module_of(with_value(|x| wrong(Expr::tuple(vec![Expr::var(x)])))), Form::Any);
    let constant = Tensor::from_vec::<f32>(&[1], vec![0.0]).unwrap();
    refused("TW0526", &module_of(with_value(|_| wrong(Expr::constant(constant)))), Form::Any);
    // Less than the rule gives is allowed.
    let vague = StructInfo::tensor_with(TensorShape::Rank(1), None);
    passes(&module_of(with_value(|x| Expr::raw(vague, relu(x).kind.clone()))), Form::Any);
    // An attribute that the operator does not have.
    let odd = |x: &Var| {
        let attrs = Attrs::from([("odd".into(), Attr::Int(1))]);
        let kind =
            ExprKind::Call { callee: Callee::Op(OpRef(&RELU)), args: vec![Expr::var(x)], attrs, sinfo_args: vec![] };
        Expr::raw(tensor(&[4]), kind)
    };
    refused("TW0526", &module_of(with_value(odd)), Form::Any);
}

#[test]
fn tw0527_variables_have_the_struct_info_of_their_values() {
    let (x, y) = (x(), Var::new("y", tensor(&[5])));
    let main = function(&[&x], vec![block(false, vec![bind(&y, relu(&x))])], Expr::var(&y));
    refused("TW0527", &module_of(main), Form::Any);
}

#[test]
fn tw0528_results_have_the_declared_struct_info() {
    let mut main = with_value(relu);
    main.ret = tensor(&[5]);
    refused("TW0528", &module_of(main.clone()), Form::Any);
    main.ret = StructInfo::Object;
    passes(&module_of(main), Form::Any);
}

#[test]
fn tw0529_symbolic_dimensions_are_defined_before_use() {
    let n = scalar::Var::new("n", DataType::I64);
    let of_n = |e: scalar::Expr| StructInfo::tensor(vec![e], DataType::F32);
    let known = Var::new("x", of_n(scalar::Expr::var(&n)));
    let twice = Var::new("w", of_n(&scalar::Expr::var(&n) * 2));
    passes(&module_of(function(&[&twice, &known], vec![], Expr::var(&twice))), Form::Any);
    refused("TW0529", &module_of(function(&[&twice], vec![], Expr::var(&twice))), Form::Any);
    // A match_cast defines one, also for what follows its dataflow block.
    let any = Var::new("a", StructInfo::tensor_with(TensorShape::Rank(1), None));
    let value = BindingValue::MatchCast { value: Expr::var(&any), struct_info: known.struct_info.clone() };
    let cast = Binding { value, var: known.clone(), origins: Origins::default() };
    let dims = Var::new("s", Expr::shape(vec![scalar::Expr::var(&n)]).struct_info.clone());
    let after = bind(&dims, Expr::shape(vec![scalar::Expr::var(&n)]));
    let mut main = function(&[&any], vec![block(true, vec![cast]), block(false, vec![after])], Expr::var(&known));
    main.ret = any.struct_info.clone();
    passes(&module_of(main.clone()), Form::Any);
    // The visible result may only name dimensions that callers know.
    main.ret = known.struct_info.clone();
    refused("TW0529", &module_of(main.clone()), Form::Any);
    main.ret = any.struct_info.clone();
    main.body.blocks.swap(0, 1);
    refused("TW0529", &module_of(main), Form::Any);
}

#[test]
fn tw0530_dimensions_are_scalar_integers_without_memory() {
    let buffer = Buffer::new("A", vec![scalar::Expr::i64(1)], DataType::I64);
    let load = scalar::Expr::load(&buffer, vec![scalar::Expr::i64(0)]).unwrap();
    let lanes = scalar::Expr::int(1, DataType::I64.with_lanes(2));
    let found = |dim: scalar::Expr| codes(&module_of(with_value(|_| Expr::shape(vec![dim]))), Form::Any);
    assert_eq!(found(load), ["TW0502", "TW0530"]);
    assert_eq!(found(lanes), ["TW0530"]);
}

#[test]
fn tw0531_destinations_have_known_shapes() {
    let vague = StructInfo::tensor_with(TensorShape::Rank(1), Some(DataType::F32));
    let call = |x: &Var| {
        let callee = Callee::DpsPacked("f".into());
        let kind =
            ExprKind::Call { callee, args: vec![Expr::var(x)], attrs: Attrs::new(), sinfo_args: vec![vague.clone()] };
        Expr::raw(vague.clone(), kind)
    };
    refused("TW0531", &module_of(with_value(call)), Form::Any);
}

#[test]
fn tw0551_destinations_are_explicit() {
    for form in [Form::DestinationPassing, Form::MachineReady] {
        refused("TW0551", &module_of(with_value(call_copy)), form);
        let packed = |x: &Var| Expr::call_dps_packed("f", vec![Expr::var(x)], vec![tensor(&[4])]).unwrap();
        refused("TW0551", &module_of(with_value(packed)), form);
    }
}

#[test]
fn tw0552_the_machine_takes_flat_lists_with_planned_storage() {
    let (x, storage, placed) =
        (x(), Var::new("s", StructInfo::tensor_of(&[64], DataType::U8)), Var::new("t", tensor(&[4])));
    let list = |extra: Vec<Binding>, result: &Var| {
        let mut bindings = vec![bind(&storage, op(&STORAGE, &[])), bind(&placed, op(&PLACE, &[&storage]))];
        bindings.extend(extra);
        module_of(function(&[&x], vec![block(false, bindings)], Expr::var(result)))
    };
    passes(&list(vec![], &x), Form::MachineReady);
    refused("TW0552", &list(vec![], &placed), Form::MachineReady);
    let second = Var::new("s2", storage.struct_info.clone());
    refused("TW0552", &list(vec![bind(&second, op(&STORAGE, &[]))], &x), Form::MachineReady);
    let nested = Var::new("n", StructInfo::Tuple(vec![tensor(&[4])]));
    let inner = Expr::tuple(vec![op(&PLACE, &[&storage])]);
    refused("TW0552", &list(vec![bind(&nested, inner)], &x), Form::MachineReady);
    let alias = Var::new("a", tensor(&[4]));
    let main = function(&[&x], vec![block(true, vec![bind(&alias, Expr::var(&x))])], Expr::var(&alias));
    refused("TW0552", &module_of(main), Form::MachineReady);
}

#[test]
fn closures_see_the_enclosing_scope_and_themselves() {
    let (x, y) = (x(), Var::new("y", tensor(&[4])));
    let inner = function(&[&y], vec![], Expr::var(&x));
    let itself = Var::new("f", inner.signature());
    let call = Expr::call_value(&InferCx::default(), Expr::var(&itself), vec![Expr::var(&y)]).unwrap();
    let inner = function(&[&y], vec![], call);
    let value = Expr::raw(inner.signature(), ExprKind::Function(Box::new(inner)));
    let out = Var::new("out", tensor(&[4]));
    let call = Expr::call_value(&InferCx::default(), Expr::var(&itself), vec![Expr::var(&x)]).unwrap();
    let blocks = vec![block(false, vec![bind(&itself, value), bind(&out, call)])];
    passes(&module_of(function(&[&x], blocks, Expr::var(&out))), Form::Any);
}

#[test]
fn deep_and_shared_expressions_are_linear() {
    let main = with_value(|x| {
        let mut value = Expr::var(x);
        for _ in 0..10_000 {
            value = Expr::call_op(&InferCx::default(), OpRef(&RELU), vec![value], Attrs::new()).unwrap();
        }
        for _ in 0..40 {
            let pair = Expr::tuple(vec![value.clone(), value]);
            value = Expr::tuple_get(pair, 0).unwrap();
        }
        value
    });
    passes(&module_of(main), Form::Any);
}
