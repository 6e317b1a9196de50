//! What scans, sorting and selection compute on machines with different capabilities, by the interpreter, against plain
//! Rust.

use std::cmp::Ordering;

use tilewright_expr::node::walk;
use tilewright_expr::{BinOp, Expr, ExprKind, Var};
use tilewright_interp::{Arg, InterpCx};
use tilewright_ir::IRModule;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::{ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_ir::verify::{Form, verify};
use tilewright_te::algorithms::order_statistic::{OrderStatistic, order_statistic};
use tilewright_te::algorithms::scan::{self, Scan};
use tilewright_te::algorithms::sort::sorted;
use tilewright_te::algorithms::topk::topk;
use tilewright_te::algorithms::{SortSpec, scan::Algorithm};
use tilewright_te::{TeError, Tensor, create_prim_func, placeholder};
use tilewright_tensor::{DataType, Tensor as Data};

/// Machines: that of the default, and those that lack something of it.
fn machines() -> [Capabilities; 5] {
    let all = Capabilities::default();
    [
        all,
        Capabilities { parallel_tasks: false, ..all },
        Capabilities { vector_bytes: 16, ..all },
        Capabilities { prefetch: None, ..all },
        Capabilities { vector_bytes: 0, parallel_tasks: false, prefetch: None },
    ]
}

/// The scans that a machine can run.
fn scans(caps: &Capabilities) -> Vec<Algorithm> {
    let vectorized = scan::VECTORS.are_met_by(caps).then_some(scan::vectorized as Algorithm);
    vectorized.into_iter().chain([scan::sequential as Algorithm]).collect()
}

/// Numbers in no order, every fifth of them equal to an earlier one, and every eleventh a NaN.
fn numbers(count: usize) -> Vec<f32> {
    let number = |at: usize| ((at * 7919 + 13) % 251) as f32 - 125.0;
    let one = |at: usize| match at {
        at if at % 11 == 7 => f32::NAN,
        at if at % 5 == 2 => number(at / 5),
        at => number(at),
    };
    (0..count).map(one).collect()
}

/// The order of the algorithms: NaN is the greatest.
fn order(a: f32, b: f32) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The stable order of a slice, as indices.
fn stable_order(slice: &[f32], descending: bool) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..slice.len()).collect();
    indices.sort_by(|&a, &b| if descending { order(slice[b], slice[a]) } else { order(slice[a], slice[b]) });
    indices
}

fn same(found: &[f32], expected: &[f32], what: &str) {
    let bits =
        |all: &[f32]| all.iter().map(|one| if one.is_nan() { u32::MAX } else { one.to_bits() }).collect::<Vec<_>>();
    assert_eq!(bits(found), bits(expected), "{what}");
}

/// The loops' kinds and whether anything is prefetched: what a machine without them must not see.
fn check_uses(function: &PrimFunc, caps: &Capabilities) {
    let (mut parallel, mut widest, mut prefetches) = (false, 1, false);
    walk(function, |stmt: &Stmt| {
        parallel |= matches!(&stmt.kind, StmtKind::For { kind: ForKind::Parallel, .. });
        widest =
            if matches!(&stmt.kind, StmtKind::For { kind: ForKind::Vectorized, .. }) { widest.max(2) } else { widest };
    });
    walk(function, |expr: &Expr| {
        widest = widest.max(expr.dtype.lanes);
        prefetches |= matches!(&expr.kind, ExprKind::Foreign { .. });
    });
    assert!(!parallel || caps.parallel_tasks, "{caps:?}");
    assert!(!prefetches || caps.prefetch.is_some(), "{caps:?}");
    assert!(widest == 1 || caps.vector_bytes > 0, "{caps:?}");
}

/// The results of a formula of one tensor, each with as many elements as `counts` says.
fn results(
    x: &Data,
    caps: &Capabilities,
    symbolic: bool,
    formula: impl FnOnce(&Tensor) -> Result<Vec<Tensor>, TeError>,
    outs: Vec<Data>,
) -> Vec<Data> {
    let size = |(at, extent): (usize, &i64)| match symbolic {
        true => Expr::var(&Var::size(format!("n{at}"), DataType::I64)),
        false => Expr::i64(*extent),
    };
    let shape: Vec<Expr> = x.shape().iter().enumerate().map(size).collect();
    let input = placeholder(&shape, x.dtype(), "x");
    let made = formula(&input).unwrap();
    let function = create_prim_func(&[vec![input], made].concat()).unwrap();
    let mut module = IRModule::default();
    module.insert("main", function.clone());
    verify(&module, Form::Graph).unwrap_or_else(|faults| panic!("{faults:?}"));
    check_uses(&function, caps);
    let args: Vec<Arg> = [x.clone()].iter().chain(&outs).cloned().map(Arg::Tensor).collect();
    InterpCx::new(5).run_prim_func(&function, &args).unwrap();
    outs
}

/// Slices of some lengths, along the last axis and the first: short ones, whole vectors, vectors with a tail.
const SHAPES: [([i64; 2], usize); 5] = [([3, 9], 1), ([2, 64], 1), ([2, 150], 1), ([70, 3], 0), ([9, 2], 0)];

/// The slices of a matrix along an axis.
fn slices(values: &[f32], [rows, columns]: [i64; 2], axis: usize) -> Vec<Vec<f32>> {
    let (rows, columns) = (rows as usize, columns as usize);
    match axis {
        1 => values.chunks(columns).map(<[f32]>::to_vec).collect(),
        _ => (0..columns).map(|at| (0..rows).map(|row| values[row * columns + at]).collect()).collect(),
    }
}

/// For every machine, shape, and for sizes that are known and not.
fn for_each_case(mut check: impl FnMut(&Capabilities, &Data, [i64; 2], usize, bool)) {
    for caps in machines() {
        for (shape, axis) in SHAPES {
            let x = Data::from_vec(&shape, numbers((shape[0] * shape[1]) as usize)).unwrap();
            check(&caps, &x, shape, axis, false);
            check(&caps, &x, shape, axis, true);
        }
    }
}

fn f32s(data: &Data) -> Vec<f32> {
    data.to_vec::<f32>().unwrap()
}

fn indices_of(data: &Data) -> Vec<f32> {
    data.to_vec::<i32>().unwrap().into_iter().map(|index| index as f32).collect()
}

#[test]
fn slices_are_sorted_with_their_indices_on_every_machine() {
    for_each_case(|caps, x, shape, axis, symbolic| {
        for descending in [false, true] {
            let spec = SortSpec { axis, descending, indices: Some(DataType::I32) };
            let formula = |x: &Tensor| {
                sorted(caps, x, None, spec, "sorted")
                    .map(|(values, indices)| [Some(values), indices].into_iter().flatten().collect())
            };
            let outs = vec![Data::zeros(DataType::F32, &shape).unwrap(), Data::zeros(DataType::I32, &shape).unwrap()];
            let found = results(x, caps, symbolic, formula, outs);
            let (values, indices) =
                (slices(&f32s(&found[0]), shape, axis), slices(&indices_of(&found[1]), shape, axis));
            for (at, own) in slices(&f32s(x), shape, axis).iter().enumerate() {
                let expected = stable_order(own, descending);
                let what = format!("{caps:?} {shape:?} along {axis}, descending {descending}");
                same(&values[at], &expected.iter().map(|&index| own[index]).collect::<Vec<_>>(), &what);
                same(&indices[at], &expected.iter().map(|&index| index as f32).collect::<Vec<_>>(), &what);
            }
        }
    });
}

#[test]
fn the_first_elements_are_selected_on_every_machine() {
    for_each_case(|caps, x, shape, axis, symbolic| {
        for k in [1, 3, 6] {
            let spec = SortSpec { axis, descending: true, indices: Some(DataType::I32) };
            let mut taken = shape;
            taken[axis] = k;
            let outs = vec![Data::zeros(DataType::F32, &taken).unwrap(), Data::zeros(DataType::I32, &taken).unwrap()];
            let found = results(x, caps, symbolic, |x| topk(caps, x, spec, k, "first"), outs);
            let (values, indices) =
                (slices(&f32s(&found[0]), taken, axis), slices(&indices_of(&found[1]), taken, axis));
            for (at, own) in slices(&f32s(x), shape, axis).iter().enumerate() {
                let expected = &stable_order(own, true)[..k as usize];
                let what = format!("{caps:?} {shape:?} along {axis}, k {k}");
                same(&values[at], &expected.iter().map(|&index| own[index]).collect::<Vec<_>>(), &what);
                same(&indices[at], &expected.iter().map(|&index| index as f32).collect::<Vec<_>>(), &what);
            }
        }
    });
}

#[test]
fn order_statistics_are_found_on_every_machine() {
    for_each_case(|caps, x, shape, axis, symbolic| {
        let spec = SortSpec { axis, descending: false, indices: Some(DataType::I32) };
        let left = [shape[1 - axis]];
        let outs = vec![Data::zeros(DataType::F32, &left).unwrap(), Data::zeros(DataType::I32, &left).unwrap()];
        let formula = |x: &Tensor| {
            order_statistic(caps, x, spec, OrderStatistic::At(4), "found")
                .map(|(value, index)| [Some(value), index].into_iter().flatten().collect())
        };
        let found = results(x, caps, symbolic, formula, outs);
        let expected: Vec<(f32, usize)> = slices(&f32s(x), shape, axis)
            .iter()
            .map(|own| stable_order(own, false)[4])
            .zip(slices(&f32s(x), shape, axis))
            .map(|(index, own)| (own[index], index))
            .collect();
        let what = format!("{caps:?} {shape:?} along {axis}");
        same(&f32s(&found[0]), &expected.iter().map(|one| one.0).collect::<Vec<_>>(), &what);
        same(&indices_of(&found[1]), &expected.iter().map(|one| one.1 as f32).collect::<Vec<_>>(), &what);
    });
}

#[test]
fn vector_scans_equal_sequential_sums_on_every_machine() {
    // A block of columns, and more than one of them.
    let wide = ([5, 600], 0);
    for caps in machines() {
        for (shape, axis) in SHAPES.into_iter().chain([wide]) {
            let count = (shape[0] * shape[1]) as usize;
            // Whole numbers, whose sums are exact in any order.
            let values: Vec<f32> = (0..count).map(|at| ((at * 31 + 7) % 23) as f32 - 11.0).collect();
            let x = Data::from_vec(&shape, values.clone()).unwrap();
            for (algorithm, exclusive) in scans(&caps).into_iter().flat_map(|one| [(one, false), (one, true)]) {
                for symbolic in [false, true] {
                    let scan = Scan { axis, op: BinOp::Add, identity: 0, exclusive };
                    let formula = |x: &Tensor| Ok(vec![algorithm(&caps, x, scan, DataType::F32, "sums")?]);
                    let outs = vec![Data::zeros(DataType::F32, &shape).unwrap()];
                    let found = slices(&f32s(&results(&x, &caps, symbolic, formula, outs)[0]), shape, axis);
                    for (found, own) in found.iter().zip(slices(&values, shape, axis)) {
                        let up_to = |at: usize| own[..at + usize::from(!exclusive)].iter().sum::<f32>() + 0.0;
                        let expected: Vec<f32> = (0..own.len()).map(up_to).collect();
                        same(
                            &found.iter().map(|one| one + 0.0).collect::<Vec<_>>(),
                            &expected,
                            &format!("{caps:?} {shape:?} {axis}"),
                        );
                    }
                }
            }
        }
    }
}
