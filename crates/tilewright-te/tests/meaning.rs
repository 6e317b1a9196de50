//! Results of the loops, by the interpreter, against plain Rust.

use tilewright_expr::{Expr, Intrinsic, Var};
use tilewright_interp::{Arg, InterpCx};
use tilewright_ir::IRModule;
use tilewright_ir::tir::{ForeignCallee, PrimFunc, Stmt, StmtKind};
use tilewright_ir::verify::{Form, verify};
use tilewright_te::{
    CommReducer, CreateOptions, Reducer, TeError, TeParam, Tensor, Value, all, any, compute, compute_many, compute_nd,
    create_prim_func, create_prim_func_with, extern_prim_func, extern_stage, placeholder, reduce, reduce_axis,
    reduce_where, sum,
};
use tilewright_tensor::{DataType, Tensor as Data};

fn n(value: i64) -> Expr {
    Expr::i64(value)
}

fn dim(name: &str) -> Expr {
    Expr::var(&Var::size(name, DataType::I64))
}

fn x_of(shape: &[Expr]) -> Tensor {
    placeholder(shape, DataType::F32, "X")
}

/// Negative and positive numbers, zeros, and a NaN in every seventh element if `holes` is set.
fn numbers(count: i64, seed: u64, holes: bool) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |i: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let value = ((state % 2001) as f32 - 1000.0) / 97.0;
        if holes && i % 7 == 3 { f32::NAN } else { value }
    };
    (0..count).map(next).collect()
}

fn run(function: &PrimFunc, args: &[Data]) {
    let mut module = IRModule::default();
    module.insert("main", function.clone());
    verify(&module, Form::Graph).unwrap_or_else(|faults| panic!("{faults:?}"));
    let args: Vec<Arg> = args.iter().cloned().map(Arg::Tensor).collect();
    let cx = InterpCx::new(5).with_packed("twice", |args| match args {
        [tilewright_interp::Value::Tensor(x), tilewright_interp::Value::Tensor(y)] => {
            let doubled: Vec<u8> = x.to_vec::<f32>().unwrap().iter().flat_map(|v| (2.0 * v).to_le_bytes()).collect();
            y.overwrite(&doubled).map_err(|error| error.to_string())?;
            Ok(tilewright_interp::Value::unit())
        }
        _ => Err("expected two tensors".into()),
    });
    cx.run_prim_func(function, &args).unwrap();
}

fn data(shape: &[i64], values: Vec<f32>) -> Data {
    Data::from_vec(shape, values).unwrap()
}

fn same(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()), "element {i}: {a} is not {b}");
    }
}

/// Runs `rows` over matrices of several sizes, symbolic ones; `expected` is of one row.
fn check_rows(of: impl Fn(&Tensor) -> Result<Tensor, TeError>, holes: bool, expected: impl Fn(&[f32]) -> f32) {
    let symbolic = x_of(&[dim("m"), dim("n")]);
    let general = create_prim_func(&[symbolic.clone(), of(&symbolic).unwrap()]).unwrap();
    for (m, k) in [(1, 1), (3, 5), (2, 0), (0, 4), (7, 1), (4, 9)] {
        let fixed = x_of(&[n(m), n(k)]);
        let fixed = create_prim_func(&[fixed.clone(), of(&fixed).unwrap()]).unwrap();
        let values = numbers(m * k, (m * 31 + k) as u64, holes);
        let rows: Vec<f32> = (0..m).map(|i| expected(&values[(i * k) as usize..((i + 1) * k) as usize])).collect();
        for function in [&general, &fixed] {
            let (x, y) = (data(&[m, k], values.clone()), data(&[m], vec![99.0; m as usize]));
            run(function, &[x, y.clone()]);
            same(&y.to_vec::<f32>().unwrap(), &rows);
        }
    }
}

/// The rows of `x`, reduced.
fn rows(x: &Tensor, f: impl FnOnce(Value, &tilewright_te::ReduceAxis) -> Value) -> Result<Tensor, TeError> {
    let k = reduce_axis(n(0), x.dim(1), "k");
    compute_nd([x.dim(0)], "Y", ["i"], |[i]| f(x.at(&[&i, &k]), &k))
}

#[test]
fn reductions_are_what_they_are_called() {
    let of = |reducer| move |x: &Tensor| rows(x, |value, k| reduce(reducer, value, &[k]));
    check_rows(of(Reducer::Sum), true, |row| row.iter().fold(0.0, |a, b| a + b));
    check_rows(of(Reducer::Prod), true, |row| row.iter().fold(1.0, |a, b| a * b));
    let worse =
        |pick: fn(f32, f32) -> f32| move |a: f32, b: f32| if b.is_nan() || a.is_nan() { f32::NAN } else { pick(a, b) };
    check_rows(of(Reducer::Max), true, |row| row.iter().copied().fold(f32::NEG_INFINITY, worse(f32::max)));
    check_rows(of(Reducer::Min), true, |row| row.iter().copied().fold(f32::INFINITY, worse(f32::min)));
}

#[test]
fn conditions_reduce_to_a_condition() {
    let one = |yes: Value| yes.select(&Expr::float(1.0, DataType::F32).into(), &Expr::float(0.0, DataType::F32).into());
    let of = |x: &Tensor, every: bool| -> Result<Tensor, TeError> {
        let k = reduce_axis(n(0), x.dim(1), "k");
        let found = compute_nd([x.dim(0)], "found", ["i"], |[i]| {
            let positive = x.at(&[&i, &k]).gt(0);
            if every { all(positive, &[&k]) } else { any(positive, &[&k]) }
        })?;
        compute_nd([x.dim(0)], "Y", ["i"], |[i]| one(found.at(&[&i])))
    };
    let as_number = |yes: bool| if yes { 1.0 } else { 0.0 };
    check_rows(|x| of(x, true), true, |row| as_number(row.iter().all(|v| *v > 0.0)));
    check_rows(|x| of(x, false), true, |row| as_number(row.iter().any(|v| *v > 0.0)));
}

#[test]
fn a_condition_and_a_beginning_are_obeyed() {
    let of = |x: &Tensor| {
        rows(x, |value, k| {
            let condition = value.gt(0);
            reduce_where(Reducer::Sum, value, &[k], Some(&condition), Some(Expr::float(10.0, DataType::F32)))
        })
    };
    check_rows(of, true, |row| row.iter().fold(10.0, |a, b| a + if *b > 0.0 { *b } else { 0.0 }));
}

fn argmax(x: &Tensor) -> Result<Vec<Tensor>, TeError> {
    let (index, value) = (DataType::I64, DataType::F32);
    let reducer = CommReducer::combining(
        &[index, value],
        |a, b| {
            // The first of several greatest; the order in which rows are combined does not matter.
            let better = a[1].gt(&b[1]).or(a[1].equals(&b[1]).and(a[0].lt(&b[0])));
            vec![better.select(&a[0], &b[0]), better.select(&a[1], &b[1])]
        },
        vec![n(i64::MAX), Expr::float(f64::NEG_INFINITY, value)],
    )?;
    let k = reduce_axis(n(0), x.dim(1), "k");
    compute_many(&[x.dim(0)], "best", &["i"], |i| {
        reducer.over(&[(*k).clone(), x.at(&[&i[0], &k])], &[&k]) //
    })
}

#[test]
fn a_row_of_two_values_is_reduced_at_once() {
    let x = x_of(&[dim("m"), dim("n")]);
    let best = argmax(&x).unwrap();
    let function = create_prim_func(&[vec![x], best].concat()).unwrap();
    for (m, k) in [(1, 1), (5, 7), (3, 2), (0, 3)] {
        let mut values = numbers(m * k, 3, false);
        if let [first, .., last] = values.as_mut_slice() {
            *last = *first;
        }
        let indices = Data::from_vec(&[m], vec![-5i64; m as usize]).unwrap();
        let greatest = data(&[m], vec![0.0; m as usize]);
        run(&function, &[data(&[m, k], values.clone()), indices.clone(), greatest.clone()]);
        for i in 0..m as usize {
            let row = &values[i * k as usize..(i + 1) * k as usize];
            let expected = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(greatest.to_vec::<f32>().unwrap()[i], expected);
            assert_eq!(indices.to_vec::<i64>().unwrap()[i] as usize, row.iter().position(|v| *v == expected).unwrap());
        }
    }
}

#[test]
fn several_tensors_come_from_one_formula() {
    let x = x_of(&[n(5)]);
    let made = compute_many(x.shape(), "B", &["i"], |i| vec![x.at(&[&i[0]]) + 2, x.at(&[&i[0]]) * 3]).unwrap();
    assert_eq!(made.iter().map(Tensor::name).collect::<Vec<_>>(), ["B_v0", "B_v1"]);
    let function = create_prim_func(&[vec![x], made].concat()).unwrap();
    let values = numbers(5, 1, true);
    let (a, b) = (data(&[5], vec![0.0; 5]), data(&[5], vec![0.0; 5]));
    run(&function, &[data(&[5], values.clone()), a.clone(), b.clone()]);
    same(&a.to_vec::<f32>().unwrap(), &values.iter().map(|v| v + 2.0).collect::<Vec<_>>());
    same(&b.to_vec::<f32>().unwrap(), &values.iter().map(|v| v * 3.0).collect::<Vec<_>>());
}

/// `X` with one zero on either side.
fn padded(x: &Tensor) -> Result<Tensor, TeError> {
    let zero = Value::from(Expr::float(0.0, DataType::F32));
    compute(&[x.dim(0) + 2], "padded", |i| {
        let inside = i[0].ge(1).and(i[0].le(Value::from(x.dim(0))));
        inside.if_then_else(&x.at(&[&(&i[0] - 1)]), &zero)
    })
}

#[test]
fn inlined_intermediate_and_exposed_results_are_one() {
    let x = x_of(&[dim("n")]);
    let wide = padded(&x).unwrap();
    let y = compute(x.shape(), "Y", |i| {
        wide.at(&[&i[0]]) + wide.at(&[&(&i[0] + 1)]) + wide.at(&[&(&i[0] + 2)]) //
    })
    .unwrap();
    let params = |tensors: &[&Tensor]| tensors.iter().map(|&t| TeParam::Tensor(t.clone())).collect::<Vec<_>>();
    let inline = CreateOptions { inline: vec![wide.clone()], ..CreateOptions::default() };
    let inlined = create_prim_func_with(&params(&[&x, &y]), &inline).unwrap();
    assert!(inlined.root_block().unwrap().alloc_buffers.is_empty());
    let hidden = create_prim_func(&[x.clone(), y.clone()]).unwrap();
    let exposed = create_prim_func(&[x.clone(), wide.clone(), y.clone()]).unwrap();
    for count in [0i64, 1, 2, 9] {
        let values = numbers(count, 8, false);
        let at = |i: i64| usize::try_from(i).ok().and_then(|i| values.get(i)).copied().unwrap_or(0.0);
        let expected: Vec<f32> = (0..count).map(|i| at(i - 1) + at(i) + at(i + 1)).collect();
        let zeros = |count: i64| data(&[count], vec![7.0; count as usize]);
        for function in [&inlined, &hidden] {
            let y = zeros(count);
            run(function, &[data(&[count], values.clone()), y.clone()]);
            same(&y.to_vec::<f32>().unwrap(), &expected);
        }
        let (wide, y) = (zeros(count + 2), zeros(count));
        run(&exposed, &[data(&[count], values.clone()), wide, y.clone()]);
        same(&y.to_vec::<f32>().unwrap(), &expected);
    }
    let refused = create_prim_func_with(&params(&[&x, &wide, &y]), &inline).unwrap_err();
    assert_eq!(refused.0, "tensor `padded` cannot be inlined: it is a parameter");
}

#[test]
fn a_packed_function_is_a_stage() {
    let x = x_of(&[n(6)]);
    let minus = compute(x.shape(), "minus", |i| -x.at(&[&i[0]])).unwrap();
    let doubled = extern_stage(x.shape(), DataType::F32, std::slice::from_ref(&minus), "doubled", |ins, out| {
        let whole = |buffer| Expr::address_of(buffer, vec![n(0)]);
        let args = vec![whole(&ins[0])?, whole(out)?];
        let call = Expr::foreign(DataType::VOID, ForeignCallee::Packed("twice".into()), args);
        Ok(StmtKind::Evaluate(call).into())
    })
    .unwrap();
    let y = compute(x.shape(), "Y", |i| doubled.at(&[&i[0]]) + 1).unwrap();
    let function = create_prim_func(&[x, y]).unwrap();
    let (values, y) = (numbers(6, 2, true), data(&[6], vec![0.0; 6]));
    run(&function, &[data(&[6], values.clone()), y.clone()]);
    same(&y.to_vec::<f32>().unwrap(), &values.iter().map(|v| -2.0 * v + 1.0).collect::<Vec<_>>());
}

#[test]
fn a_prim_func_is_a_stage_more_than_once() {
    let inner = x_of(&[dim("n")]);
    let halved = compute(inner.shape(), "halved", |i| inner.at(&[&i[0]]) * 0.5).unwrap();
    let inner =
        create_prim_func(&[inner.clone(), compute(inner.shape(), "Y", |i| halved.at(&[&i[0]]) + 1).unwrap()]).unwrap();
    let x = x_of(&[n(5)]);
    let once = extern_prim_func(std::slice::from_ref(&x), &inner, "once").unwrap().remove(0);
    assert_eq!(once.shape()[0].as_int(), Some(5));
    let twice = extern_prim_func(&[once], &inner, "again").unwrap().remove(0);
    let function = create_prim_func(&[x, twice]).unwrap();
    let (values, y) = (numbers(5, 4, true), data(&[5], vec![0.0; 5]));
    run(&function, &[data(&[5], values.clone()), y.clone()]);
    same(&y.to_vec::<f32>().unwrap(), &values.iter().map(|v| (v * 0.5 + 1.0) * 0.5 + 1.0).collect::<Vec<_>>());
    let wrong = placeholder(&[n(5)], DataType::F64, "Z");
    let error = extern_prim_func(&[wrong], &inner, "once").unwrap_err().0;
    assert_eq!(error, "`once`: `Z` is given for `X`: expected float32, found float64");
}

#[test]
fn indices_of_one_type_mean_the_same() {
    let narrow = |value: i32| Expr::i32(value);
    let x = placeholder(&[narrow(4), n(6)], DataType::F32, "X");
    let k = reduce_axis(narrow(0), narrow(6), "k");
    let y = compute(&[narrow(4)], "Y", |i| {
        let rotated = (3 - (*k).clone()).floor_mod(6);
        let weight = (&i[0] * 2 + &*k).cast(DataType::F32);
        let below = k.lt(&i[0] + 1);
        sum(below.if_then_else(&(x.at(&[&i[0], &rotated]) * weight), &Expr::float(1.0, DataType::F32).into()), &[&k])
    })
    .unwrap();
    let wide = CreateOptions { index_dtype: Some(DataType::I64), ..CreateOptions::default() };
    let params: Vec<TeParam> = vec![x.clone().into(), y.clone().into()];
    let (plain, wide) = (create_prim_func(&[x, y]).unwrap(), create_prim_func_with(&params, &wide).unwrap());
    let mut narrow_left = 0;
    tilewright_expr::node::walk(&wide.body, |expr: &Expr| narrow_left += u32::from(expr.dtype == DataType::I32));
    assert_eq!(narrow_left, 0, "{wide:?}");
    let values = numbers(24, 6, false);
    let results: Vec<Vec<f32>> = [plain, wide]
        .iter()
        .map(|function| {
            let y = data(&[4], vec![0.0; 4]);
            run(function, &[data(&[4, 6], values.clone()), y.clone()]);
            y.to_vec().unwrap()
        })
        .collect();
    let row = |i: i64| {
        (0..6i64).fold(0.0f32, |sum, k| {
            let at = (i * 6 + (3 - k).rem_euclid(6)) as usize;
            sum + if k < i + 1 { values[at] * (i * 2 + k) as f32 } else { 1.0 }
        })
    };
    same(&results[0], &(0..4).map(row).collect::<Vec<_>>());
    same(&results[1], &results[0]);
}

#[test]
fn a_scalar_parameter_is_passed() {
    let (x, by) = (x_of(&[n(3)]), Var::new("by", DataType::F32));
    let y =
        compute(x.shape(), "Y", |i| x.at(&[&i[0]]).max(Value::from(Expr::var(&by))).intrinsic(Intrinsic::Exp)).unwrap();
    let error = create_prim_func(&[x.clone(), y.clone()]).unwrap_err().0;
    assert!(error.starts_with("tensor `Y` refers to `by`, which is neither a parameter"), "{error}");
    let params = [x.into(), TeParam::Scalar(by), y.into()];
    let function = create_prim_func_with(&params, &CreateOptions::default()).unwrap();
    assert!(function.params[1].buffer.is_none());
}

#[test]
fn wrong_stages_say_what_is_wrong() {
    let x = x_of(&[n(4), n(6)]);
    let k = reduce_axis(n(0), n(5), "k");
    let error = compute(&[n(4)], "Y", |i| x.at(&[&i[0], &k])).unwrap_err().0;
    assert_eq!(error, "tensor `Y`: reduce axis `k` is used outside of a reduction over it");
    let error = compute(&[n(6)], "Y", |i| sum(x.at(&[&k, &i[0]]), &[&k])).unwrap_err().0;
    assert_eq!(error, "tensor `Y`: indices 0 to 4 into dimension 0 of `X`, whose extent is 4");
    let error = compute(&[n(-1)], "Y", |_| x.at(&[])).unwrap_err().0;
    assert_eq!(error, "a dimension of tensor `Y` is -1; the least is 0");
    let mixed = compute_many(&[n(4)], "Y", &["i"], |i| {
        let total = sum(x.at(&[&i[0], &k]), &[&k]);
        vec![total.clone(), total]
    });
    assert_eq!(
        mixed.unwrap_err().0,
        "tensor `Y`: the values must be the 1 results of one reduction, in order, and no others"
    );
    let error =
        extern_stage(x.shape(), DataType::F32, &[], "S", |_, _| Err::<Stmt, _>(TeError("no".into()))).unwrap_err();
    assert_eq!(error.0, "no");
    let error =
        rows(&x, |value, _| sum(value, &[&reduce_axis(Expr::float(0.0, DataType::F32), n(2), "r")])).unwrap_err();
    assert_eq!(error.0, "tensor `Y`: reduce axis `r`: expected integers as its ends, found float32");
}
