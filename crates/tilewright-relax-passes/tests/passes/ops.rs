//! Results of legalised operators, against formulas over plain numbers.

use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_ops::{binary, linear_algebra::matmul, manipulate::permute_dims, unary};
use tilewright_relax_passes::LegalizeOps;
use tilewright_tensor::{DataType, Tensor};

use crate::graph::{Build, interpret, means_the_same, module_of, numbers, run, tensor_info};

fn binary_module(
    a: &[i64],
    b: &[i64],
    op: impl FnOnce(&InferCx, Expr, Expr) -> Result<Expr, InferError>,
) -> tilewright_ir::IRModule {
    let mut build = Build::new();
    let (x, y) = (build.param("x", tensor_info(a)), build.param("y", tensor_info(b)));
    let z = build.bind(op(&InferCx::default(), x, y));
    module_of(build.finish(&z))
}

/// The offset in a tensor of `shape` of the element at `index` of a shape that it broadcasts to.
fn offset(shape: &[i64], index: &[i64]) -> usize {
    let own = &index[index.len() - shape.len()..];
    shape.iter().zip(own).fold(0, |at, (size, i)| at * size + if *size == 1 { 0 } else { *i }) as usize
}

/// Every index of a shape, the last dimension fastest.
fn indices(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |all, size| {
        all.iter().flat_map(|index| (0..*size).map(|i| [&index[..], &[i]].concat())).collect()
    })
}

#[test]
fn products_are_sums_of_products_in_every_batch() {
    for (a, b, batch) in [
        (&[2, 3][..], &[3, 4][..], &[][..]),
        (&[3], &[3], &[]),
        (&[3], &[3, 4], &[]),
        (&[2, 3], &[3], &[]),
        (&[5, 2, 3], &[3, 4], &[5]),
        (&[2, 3], &[5, 3, 4], &[5]),
        (&[6, 1, 2, 3], &[5, 3, 4], &[6, 5]),
        (&[2, 1, 3], &[7, 1, 3, 2], &[7, 2]),
        (&[3], &[5, 3, 4], &[5]),
        (&[5, 2, 3], &[3], &[5]),
        (&[2, 0], &[0, 3], &[]),
    ] {
        let module = binary_module(a, b, |cx, a, b| matmul::call(cx, a, b, DataType::VOID));
        let (x, y) = (numbers(a, 1), numbers(b, 2));
        let (xs, ys) = (x.to_vec::<f32>().unwrap(), y.to_vec::<f32>().unwrap());
        // Both operands as matrices: a missing dimension is one of size 1.
        let left = if a.len() == 1 { vec![1, a[0]] } else { a.to_vec() };
        let right = if b.len() == 1 { vec![b[0], 1] } else { b.to_vec() };
        let (m, k, n) = (left[left.len() - 2], left[left.len() - 1], right[right.len() - 1]);
        let mut expected = Vec::new();
        for index in indices(&[batch, &[m, n]].concat()) {
            let (outer, inner) = index.split_at(batch.len());
            let sum = (0..k).map(|p| {
                let in_a = offset(&left, &[outer, &[inner[0], p]].concat());
                let in_b = offset(&right, &[outer, &[p, inner[1]]].concat());
                f64::from(xs[in_a]) * f64::from(ys[in_b])
            });
            expected.push(sum.sum::<f64>() as f32);
        }
        means_the_same(&module, &[x, y], &expected);
    }
}

#[test]
fn a_product_may_sum_in_a_wider_type() {
    let mut build = Build::new();
    let info = || StructInfo::tensor_of(&[1, 2], DataType::I8);
    let (x, y) = (build.param("x", info()), build.param("y", StructInfo::tensor_of(&[2, 1], DataType::I8)));
    let z = build.bind(matmul::call(&InferCx::default(), x, y, DataType::I32));
    let module = run(&LegalizeOps::default(), &module_of(build.finish(&z)));
    let (x, y) = (Tensor::from_vec(&[1, 2], vec![100i8, 100]), Tensor::from_vec(&[2, 1], vec![100i8, -27]));
    assert_eq!(interpret(&module, &[x.unwrap(), y.unwrap()]).to_vec::<i32>().unwrap(), [7300]);
}

#[test]
fn operands_of_size_one_repeat() {
    for (a, b, wide) in [
        (&[2, 3][..], &[3][..], &[2, 3][..]),
        (&[3], &[2, 1], &[2, 3]),
        (&[], &[2, 2], &[2, 2]),
        (&[4, 1, 3], &[5, 1], &[4, 5, 3]),
        (&[1], &[0], &[0]),
    ] {
        let (x, y) = (numbers(a, 1), numbers(b, 2));
        let (xs, ys) = (x.to_vec::<f32>().unwrap(), y.to_vec::<f32>().unwrap());
        let expected: Vec<f32> = indices(wide).iter().map(|i| xs[offset(a, i)] - ys[offset(b, i)]).collect();
        means_the_same(&binary_module(a, b, binary::subtract::call), &[x, y], &expected);
    }
}

#[test]
fn elements_are_computed_as_the_formulas_say() {
    let (x, y) = (numbers(&[16], 1), numbers(&[16], 2));
    let (xs, ys) = (x.to_vec::<f32>().unwrap(), y.to_vec::<f32>().unwrap());
    type Op = fn(&InferCx, Expr, Expr) -> Result<Expr, InferError>;
    type Formula = fn(f32, f32) -> f32;
    let cases: [(Op, Formula); 6] = [
        (binary::add::call, |a, b| a + b),
        (binary::subtract::call, |a, b| a - b),
        (binary::multiply::call, |a, b| a * b),
        (binary::divide::call, |a, b| a / b),
        (binary::maximum::call, f32::max),
        (binary::minimum::call, f32::min),
    ];
    for (op, formula) in cases {
        let expected: Vec<f32> = xs.iter().zip(&ys).map(|(a, b)| formula(*a, *b)).collect();
        means_the_same(&binary_module(&[16], &[16], op), &[x.clone(), y.clone()], &expected);
    }
    type Unary = fn(&InferCx, Expr) -> Result<Expr, InferError>;
    type UnaryFormula = fn(f32) -> f32;
    let cases: [(Unary, UnaryFormula); 6] = [
        (unary::abs::call, f32::abs),
        (unary::ceil::call, f32::ceil),
        (unary::floor::call, f32::floor),
        (unary::negative::call, |a| -a),
        (unary::square::call, |a| a * a),
        (unary::trunc::call, f32::trunc),
    ];
    for (op, formula) in cases {
        let mut build = Build::new();
        let arg = build.param("x", tensor_info(&[16]));
        let result = build.bind(op(&InferCx::default(), arg));
        let expected: Vec<f32> = xs.iter().map(|a| formula(*a)).collect();
        means_the_same(&module_of(build.finish(&result)), std::slice::from_ref(&x), &expected);
    }
}

#[test]
fn comparisons_give_bools() {
    let module = run(&LegalizeOps::default(), &binary_module(&[4], &[1], binary::less::call));
    let x = Tensor::from_vec(&[4], vec![-1.0f32, 0.0, f32::NAN, 2.0]).unwrap();
    let found = interpret(&module, &[x, Tensor::from_vec(&[1], vec![0.5f32]).unwrap()]);
    assert_eq!(found.to_vec::<bool>().unwrap(), [true, true, false, false]);
}

#[test]
fn dimensions_move_with_their_elements() {
    for axes in [None, Some(&[1, 2, 0][..]), Some(&[-1, 0, 1])] {
        let mut build = Build::new();
        let arg = build.param("x", tensor_info(&[2, 3, 4]));
        let result = build.bind(permute_dims::call(&InferCx::default(), arg, axes));
        let module = module_of(build.finish(&result));
        let order: Vec<usize> = match axes {
            None => vec![2, 1, 0],
            Some(axes) => axes.iter().map(|a| a.rem_euclid(3) as usize).collect(),
        };
        let x = numbers(&[2, 3, 4], 1);
        let xs = x.to_vec::<f32>().unwrap();
        let shape: Vec<i64> = order.iter().map(|&axis| [2, 3, 4][axis]).collect();
        let expected: Vec<f32> = indices(&shape)
            .iter()
            .map(|index| {
                let mut of_x = [0; 3];
                for (&axis, i) in order.iter().zip(index) {
                    of_x[axis] = *i;
                }
                xs[offset(&[2, 3, 4], &of_x)]
            })
            .collect();
        means_the_same(&module, &[x], &expected);
    }
}
