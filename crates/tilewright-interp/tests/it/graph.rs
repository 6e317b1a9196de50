//! Graph functions.

use std::cell::Cell;
use std::rc::Rc;

use tilewright_expr as scalar;
use tilewright_expr::semantics::Scalar;
use tilewright_interp::{ErrorKind, InterpCx, Value};
use tilewright_ir::op::{InferCx, OpRef};
use tilewright_ir::pass::Evaluator;
use tilewright_ir::relax::*;
use tilewright_ir::tir::ForKind;
use tilewright_ir::verify::{Form, verify};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use crate::programs::{Matmul, buffer, data, filled, function as prim_function, relu};

fn tensor(shape: &[i64]) -> StructInfo {
    StructInfo::tensor_of(shape, DataType::F32)
}

fn op(name: &str, args: &[&Expr], attrs: &[(&str, Attr)]) -> Expr {
    let op: OpRef = tilewright_ops::lookup(name).unwrap();
    let attrs: Attrs = attrs.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    Expr::call_op(&InferCx::default(), op, args.iter().map(|&a| a.clone()).collect(), attrs).unwrap()
}

/// Collects bindings; each gets a variable.
#[derive(Default)]
struct Builder(Vec<Binding>);

impl Builder {
    fn emit(&mut self, name: &str, value: Expr) -> Expr {
        let var = Var::new(name, value.struct_info.clone());
        self.0.push(Binding::new(var.clone(), value, Origins::default()));
        Expr::var(&var)
    }

    fn cast(&mut self, name: &str, value: Expr, struct_info: StructInfo) -> Expr {
        let var = Var::new(name, struct_info.clone());
        let value = BindingValue::MatchCast { value, struct_info };
        self.0.push(Binding { value, var: var.clone(), origins: Origins::default() });
        Expr::var(&var)
    }

    fn seq(self, result: Expr) -> SeqExpr {
        SeqExpr { blocks: vec![BindingBlock { dataflow: false, bindings: self.0 }], result }
    }

    fn function(self, params: &[&Var], result: Expr) -> Function {
        Function {
            params: params.iter().map(|&p| p.clone()).collect(),
            ret: result.struct_info.clone(),
            body: self.seq(result),
            pure: false,
            attrs: Attrs::new(),
            origins: Origins::default(),
        }
    }
}

/// Runs `main` of a module that the verifier accepts.
#[track_caller]
fn main_of(cx: &InterpCx, module: &IRModule, args: &[Value]) -> Result<Value, String> {
    if let Err(found) = verify(module, Form::Any) {
        panic!("{found}");
    }
    cx.run_function(module, "main", args).map_err(|e| e.to_string())
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_tensor().unwrap().to_vec::<f32>().unwrap()
}

fn module_with(main: Function) -> IRModule {
    let mut module = IRModule::new();
    module.insert("main", main);
    module
}

#[test]
fn operators_run_by_their_legalisation() {
    let [x, w, b] = [("x", &[2, 3][..]), ("w", &[4, 3]), ("b", &[4])].map(|(n, s)| Var::new(n, tensor(s)));
    let mut bb = Builder::default();
    let transposed = bb.emit("lv", op("permute_dims", &[&Expr::var(&w)], &[]));
    let product = bb.emit("lv1", op("matmul", &[&Expr::var(&x), &transposed], &[]));
    // A shared operand inside one expression.
    let sum = op("add", &[&product, &Expr::var(&b)], &[]);
    let twice = bb.emit("lv2", op("add", &[&sum, &sum], &[]));
    let out = bb.emit("lv3", op("nn.relu", &[&twice], &[]));
    let module = module_with(bb.function(&[&x, &w, &b], out));
    let (x, w, b) = (data(&[2, 3], 1), data(&[4, 3], 2), data(&[4], 3));
    let result = main_of(&InterpCx::default(), &module, &[&x, &w, &b].map(|t| t.clone().into())).unwrap();
    let [x, w, b] = [x, w, b].map(|t| t.to_vec::<f32>().unwrap());
    let expected: Vec<f32> = (0..8)
        .map(|at| {
            let (i, j) = (at / 4, at % 4);
            let product = (0..3).fold(0.0, |sum, k| sum + x[i * 3 + k] * w[j * 3 + k]);
            ((product + b[j]) + (product + b[j])).max(0.0)
        })
        .collect();
    assert_eq!(floats(&result), expected);
}

#[test]
fn call_tir_allocates_results_of_symbolic_shape() {
    let n = scalar::Var::new("n", DataType::I64);
    let m = scalar::Var::new("m", DataType::I64);
    let rows = |e: &scalar::Var| vec![scalar::Expr::var(e), scalar::Expr::i64(3)];
    let (a, b) = (scalar::Buffer::new("A", rows(&m), DataType::F32), scalar::Buffer::new("B", rows(&m), DataType::F32));
    let [i, j] = ["i", "j"].map(|name| scalar::Var::new(name, DataType::I64));
    let copy = crate::programs::put(&b, &[&i, &j], &crate::programs::at(&a, &[&i, &j]));
    let copy =
        tilewright_ir::tir::Stmt::for_loop(&j, scalar::Expr::i64(0), scalar::Expr::i64(3), ForKind::Serial, copy);
    let extent = scalar::Expr::var(&m);
    let copy = tilewright_ir::tir::Stmt::for_loop(&i, scalar::Expr::i64(0), extent, ForKind::Parallel, copy);
    let mut module = IRModule::new();
    let copy = module.insert("copy", prim_function("copy", &[&a, &b], &[], copy));
    let info = StructInfo::tensor(rows(&n), DataType::F32);
    let x = Var::new("x", info.clone());
    let mut bb = Builder::default();
    let call = Expr::call_tir(&InferCx::default(), copy, vec![Expr::var(&x)], vec![info]).unwrap();
    let y = bb.emit("y", call);
    module.insert("main", bb.function(&[&x], y));
    for rows in [0, 1, 5] {
        let x = data(&[rows, 3], 7);
        let y = main_of(&InterpCx::default(), &module, &[x.clone().into()]).unwrap();
        assert!(y.same(&x.into()));
    }
    let error = main_of(&InterpCx::default(), &module, &[data(&[2, 4], 1).into()]).unwrap_err();
    assert!(
        error.starts_with("argument `x`: expected the shape [2, 3] and dtype float32, found a tensor of shape [2, 4]"),
        "{error}"
    );
}

#[test]
fn packed_functions_come_from_the_context() {
    let x = Var::new("x", tensor(&[2]));
    let mut bb = Builder::default();
    let y = bb.emit("y", Expr::call_dps_packed("env.double", vec![Expr::var(&x)], vec![tensor(&[2])]).unwrap());
    bb.emit("_", Expr::call_packed("env.print", vec![y.clone()], vec![]));
    let module = module_with(bb.function(&[&x], y));
    let printed = Rc::new(Cell::new(0));
    let (count, input) = (printed.clone(), data(&[2], 1));
    let cx = InterpCx::default()
        .with_packed("env.double", |args| {
            let [Value::Tensor(from), Value::Tensor(to)] = args else { return Err("expected two tensors".to_owned()) };
            let doubled: Vec<u8> = from.to_vec::<f32>().unwrap().iter().flat_map(|v| (v * 2.0).to_le_bytes()).collect();
            to.overwrite(&doubled).map_err(|e| e.to_string())?;
            Ok(Value::unit())
        })
        .with_packed("env.print", move |_| {
            count.set(count.get() + 1);
            Ok(Value::unit())
        });
    let y = main_of(&cx, &module, &[input.clone().into()]).unwrap();
    assert_eq!(floats(&y), input.to_vec::<f32>().unwrap().iter().map(|v| v * 2.0).collect::<Vec<_>>());
    assert_eq!(printed.get(), 1);
    let missing = main_of(&InterpCx::default(), &module, &[input.clone().into()]).unwrap_err();
    assert!(missing.starts_with("no packed function `env.double` is registered"), "{missing}");
    let raising = InterpCx::default().with_packed("env.double", |_| Err("boom".to_owned()));
    let error = main_of(&raising, &module, &[input.into()]).unwrap_err();
    assert_eq!(error, "packed function `env.double` failed: boom\n  in function `main`\n  for variable `y`");
}

#[test]
fn unwritten_destinations_are_garbage() {
    let mut bb = Builder::default();
    let y = bb.emit("y", Expr::call_dps_packed("nothing", vec![], vec![tensor(&[64])]).unwrap());
    let module = module_with(bb.function(&[], y));
    let run = |seed| {
        let cx = InterpCx::new(seed).with_packed("nothing", |_| Ok(Value::unit()));
        main_of(&cx, &module, &[]).unwrap()
    };
    assert!(run(1).same(&run(1)) && !run(1).same(&run(2)));
    assert!(floats(&run(1)).iter().any(|v| v.is_nan()));
}

#[test]
fn conditions_tuples_and_shapes_are_values() {
    let condition = Var::new("c", StructInfo::tensor_of(&[], DataType::BOOL));
    let x = Var::new("x", tensor(&[2]));
    let then = Builder::default().seq(Expr::tuple(vec![Expr::var(&x), Expr::shape(vec![scalar::Expr::i64(7)])]));
    let otherwise = Builder::default().seq(Expr::tuple(vec![Expr::var(&x), Expr::shape(vec![scalar::Expr::i64(8)])]));
    let mut bb = Builder::default();
    let both = bb.emit("both", Expr::conditional(Expr::var(&condition), then, otherwise).unwrap());
    let field = bb.emit("field", Expr::tuple_get(both, 1).unwrap());
    let module = module_with(bb.function(&[&condition, &x], field));
    for (value, expected) in [(true, 7), (false, 8)] {
        let args = [Tensor::scalar(value).into(), data(&[2], 1).into()];
        let result = main_of(&InterpCx::default(), &module, &args).unwrap();
        assert_eq!(result.as_shape(), Some(&[expected][..]));
    }
}

#[test]
fn match_cast_defines_dimensions_and_checks_them() {
    let n = scalar::Var::new("n", DataType::I64);
    let x = Var::new("x", StructInfo::tensor_with(TensorShape::Unknown, None));
    let square = StructInfo::tensor(vec![scalar::Expr::var(&n), scalar::Expr::var(&n)], DataType::F32);
    let mut bb = Builder::default();
    bb.cast("y", Expr::var(&x), square);
    let shape = bb.emit("s", Expr::shape(vec![&scalar::Expr::var(&n) * 2]));
    let mut main = bb.function(&[&x], shape);
    main.ret = StructInfo::Shape(TensorShape::Rank(1));
    let module = module_with(main);
    let result = main_of(&InterpCx::default(), &module, &[data(&[3, 3], 1).into()]).unwrap();
    assert_eq!(result.as_shape(), Some(&[6][..]));
    for wrong in [data(&[3, 4], 1), data(&[3], 1), Tensor::zeros(DataType::I32, &[3, 3]).unwrap()] {
        let error = main_of(&InterpCx::default(), &module, &[wrong.into()]).unwrap_err();
        assert!(error.starts_with("match_cast of `y`: expected"), "{error}");
    }
}

#[test]
fn closures_capture_and_recursion_ends_with_an_error() {
    let (x, y) = (Var::new("x", tensor(&[2])), Var::new("y", tensor(&[2])));
    let mut inner = Builder::default();
    let sum = inner.emit("sum", op("add", &[&Expr::var(&x), &Expr::var(&y)], &[]));
    let inner = inner.function(&[&y], sum);
    let mut bb = Builder::default();
    let closure = bb.emit("f", Expr::raw(inner.signature(), ExprKind::Function(Box::new(inner))));
    let call = Expr::call_value(&InferCx::default(), closure, vec![Expr::var(&x)]).unwrap();
    let out = bb.emit("out", call);
    let module = module_with(bb.function(&[&x], out));
    let result = main_of(&InterpCx::default(), &module, &[filled(&[2], 1.5).into()]).unwrap();
    assert_eq!(floats(&result), [3.0, 3.0]);

    let x = Var::new("x", tensor(&[2]));
    let main = Builder::default().function(&[&x], Expr::var(&x));
    let itself = GlobalVar { name: "main".into(), signature: main.signature() };
    let mut bb = Builder::default();
    let call = Expr::call_value(&InferCx::default(), Expr::global(&itself), vec![Expr::var(&x)]).unwrap();
    let again = bb.emit("again", call);
    let module = module_with(bb.function(&[&x], again));
    for limit in [3, 1000] {
        let mut cx = InterpCx::default();
        cx.max_depth = limit;
        let error = cx.run_function(&module, "main", &[filled(&[2], 0.0).into()]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Depth { limit });
    }
}

#[test]
fn primfuncs_with_explicit_destinations_write_in_place() {
    let (a, b) = (buffer("A", &[4]), buffer("B", &[4]));
    let mut module = IRModule::new();
    let copy = module.insert("relu", prim_function("relu", &[&a, &b], &[], relu(&a, &b, 4, ForKind::Serial)));
    let x = Var::new("x", tensor(&[4]));
    let mut bb = Builder::default();
    let shape = Expr::shape(vec![scalar::Expr::i64(4)]);
    let y = bb.emit("y", op("builtin.alloc_tensor", &[&shape], &[("dtype", Attr::DType(DataType::F32))]));
    let call = Expr::call_value(&InferCx::default(), Expr::global(&copy), vec![Expr::var(&x), y.clone()]).unwrap();
    bb.emit("_", call);
    module.insert("main", bb.function(&[&x], y));
    let input = data(&[4], 9);
    let y = main_of(&InterpCx::default(), &module, &[input.clone().into()]).unwrap();
    assert_eq!(floats(&y), input.to_vec::<f32>().unwrap().iter().map(|v| v.max(0.0)).collect::<Vec<_>>());
    // The PrimFunc itself is a function of the module too; a constant is not written.
    let out = filled(&[4], 0.0);
    InterpCx::default().run_function(&module, "relu", &[input.clone().into(), out.clone().into()]).unwrap();
    assert_eq!(floats(&y), out.to_vec::<f32>().unwrap());
    let args = [input.into(), out.to_read_only().into()];
    let error = InterpCx::default().run_function(&module, "relu", &args).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::ReadOnly { buffer: "B".into() });
}

/// `relu(x) + relu(relu(x))` in planned memory, with the second temporary at this offset.
fn planned(second: i64) -> IRModule {
    let mut module = IRModule::new();
    let (a, b, c) = (buffer("A", &[4]), buffer("B", &[4]), buffer("C", &[4]));
    let relu = module.insert("relu", prim_function("relu", &[&a, &b], &[], relu(&a, &b, 4, ForKind::Serial)));
    let v = crate::programs::index("v");
    let at = |buffer| crate::programs::at(buffer, &[&v]);
    let sum = scalar::Expr::binary(scalar::BinOp::Add, &at(&a), &at(&b)).unwrap();
    let add = tilewright_ir::tir::Stmt::for_loop(
        &v,
        scalar::Expr::i64(0),
        scalar::Expr::i64(4),
        ForKind::Serial,
        crate::programs::put(&c, &[&v], &sum),
    );
    let add = module.insert("add", prim_function("add", &[&a, &b, &c], &[], add));
    let x = Var::new("x", tensor(&[4]));
    let mut bb = Builder::default();
    let storage = bb.emit("storage", op("memory.alloc_storage", &[], &[("bytes", Attr::Int(192))]));
    let shape = Expr::shape(vec![scalar::Expr::i64(4)]);
    let f32s = ("dtype", Attr::DType(DataType::F32));
    let place = |bb: &mut Builder, name: &str, offset: i64| {
        let attrs = [("offset", Attr::Int(offset)), f32s.clone()];
        bb.emit(name, op("memory.alloc_tensor", &[&storage, &shape], &attrs))
    };
    let call = |bb: &mut Builder, f: &GlobalVar, args: &[&Expr]| {
        let args = args.iter().map(|&a| a.clone()).collect();
        bb.emit("_", Expr::call_value(&InferCx::default(), Expr::global(f), args).unwrap());
    };
    let first = place(&mut bb, "first", 0);
    call(&mut bb, &relu, &[&Expr::var(&x), &first]);
    let again = place(&mut bb, "again", second);
    call(&mut bb, &relu, &[&first, &again]);
    let out = bb.emit("out", op("builtin.alloc_tensor", &[&shape], &[f32s]));
    call(&mut bb, &add, &[&first, &again, &out]);
    module.insert("main", bb.function(&[&x], out));
    module
}

#[test]
fn tensors_in_a_storage_share_its_memory_and_a_bad_plan_shows() {
    let x = filled(&[4], 1.0);
    for good in [64, 128] {
        let y = main_of(&InterpCx::default(), &planned(good), &[x.clone().into()]).unwrap();
        assert_eq!(floats(&y), [2.0; 4]);
    }
    let bad = main_of(&InterpCx::default(), &planned(0), &[x.into()]).unwrap_err();
    assert!(bad.contains("overlap") && bad.contains("in function `relu`"), "{bad}");
}

#[test]
fn a_dead_tensor_s_memory_turns_to_garbage_when_it_is_given_away() {
    let x = Var::new("x", tensor(&[4]));
    let shape = Expr::shape(vec![scalar::Expr::i64(4)]);
    let mut bb = Builder::default();
    let storage = bb.emit("storage", op("memory.alloc_storage", &[], &[("bytes", Attr::Int(16))]));
    let attrs = [("offset", Attr::Int(0)), ("dtype", Attr::DType(DataType::F32))];
    let first = bb.emit("first", op("memory.alloc_tensor", &[&storage, &shape], &attrs));
    bb.emit("_", Expr::call_packed("copy", vec![Expr::var(&x), first.clone()], vec![]));
    bb.emit("second", op("memory.alloc_tensor", &[&storage, &shape], &attrs));
    let late = bb.emit("late", op("add", &[&first, &first], &[]));
    let module = module_with(bb.function(&[&x], late));
    let cx = InterpCx::default().with_packed("copy", |args| {
        let [Value::Tensor(from), Value::Tensor(to)] = args else { return Err("expected two tensors".to_owned()) };
        to.overwrite(from.as_bytes().map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
        Ok(Value::unit())
    });
    let y = main_of(&cx, &module, &[filled(&[4], 1.0).into()]).unwrap();
    assert_ne!(floats(&y), [2.0; 4]);
}

#[test]
fn a_killed_tensor_has_no_value_any_more() {
    let x = Var::new("x", tensor(&[2]));
    let mut bb = Builder::default();
    let y = bb.emit("y", op("nn.relu", &[&Expr::var(&x)], &[]));
    bb.emit("_", op("memory.kill_tensor", &[&y], &[]));
    let z = bb.emit("z", op("nn.relu", &[&y], &[]));
    let module = module_with(bb.function(&[&x], z));
    let error = main_of(&InterpCx::default(), &module, &[filled(&[2], 1.0).into()]).unwrap_err();
    assert!(error.starts_with("`y` has no value here"), "{error}");
}

#[test]
fn values_must_have_their_struct_info() {
    let x = Var::new("x", tensor(&[2]));
    let mut bb = Builder::default();
    let y = bb.emit("y", Expr::call_packed("shape_of", vec![Expr::var(&x)], vec![tensor(&[3])]));
    let module = module_with(bb.function(&[&x], y));
    let cx = InterpCx::default().with_packed("shape_of", |args| Ok(args[0].clone()));
    let error = main_of(&cx, &module, &[filled(&[2], 1.0).into()]).unwrap_err();
    assert!(error.starts_with("result of `shape_of`: expected the shape [3] and dtype float32, found"), "{error}");
    let wrong = [Value::Scalar(Scalar::from_bool(true))];
    let error = main_of(&cx, &module, &wrong).unwrap_err();
    assert!(error.starts_with("argument `x`: expected a tensor, found the scalar"), "{error}");
    let error = main_of(&cx, &module, &[]).unwrap_err();
    assert!(error.starts_with("expected 1 arguments, found 0"), "{error}");
    let error = cx.run_function(&module, "nothing", &[]).unwrap_err().to_string();
    assert!(error.starts_with("the module has no function `nothing`"), "{error}");
}

#[test]
fn the_interpreter_evaluates_for_passes() {
    let matmul = Matmul::new(2, 2, 2);
    let (a, b, c) = (filled(&[2, 2], 1.0), filled(&[2, 2], 2.0), filled(&[2, 2], 0.0));
    let evaluator: &dyn Evaluator = &InterpCx::default();
    evaluator.run(&matmul.function(), &[a.clone(), b, c.clone()]).unwrap();
    assert_eq!(c.to_vec::<f32>().unwrap(), [4.0; 4]);
    let error = evaluator.run(&matmul.function(), &[a.clone(), a]).unwrap_err();
    assert!(error.contains("expected 3 arguments, found 2"), "{error}");
}
