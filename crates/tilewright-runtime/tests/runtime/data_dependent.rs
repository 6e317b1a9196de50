//! Operators whose result shapes depend on data, and properties of tensors.

use tilewright_runtime::{Value, registry};
use tilewright_tensor::Tensor;

fn call(name: &str, args: &[Value]) -> Result<Value, String> {
    let function = registry::get(name).unwrap();
    function(args).map_err(|error| error.to_string())
}

fn floats(shape: &[i64], values: &[f32]) -> Value {
    Tensor::from_vec(shape, values.to_vec()).unwrap().into()
}

fn ints(values: &[i64]) -> Value {
    Tensor::from_vec(&[values.len() as i64], values.to_vec()).unwrap().into()
}

fn unique(x: Value, sorted: bool, axis: Value) -> Vec<Tensor> {
    let all = [sorted.into(), true.into(), true.into(), true.into(), axis, x];
    let results = call("relax.run.unique", &all).unwrap();
    results.as_tuple().unwrap().iter().map(|value| value.as_tensor().unwrap().clone()).collect()
}

#[test]
fn nan_is_one_element_and_zeros_of_both_signs_are_one() {
    let x = || floats(&[7], &[2.0, f32::NAN, -0.0, f32::NEG_INFINITY, -f32::NAN, 0.0, 2.0]);
    let results = unique(x(), true, Value::None);
    let values = results[0].to_vec::<f32>().unwrap();
    assert_eq!(values[..3], [f32::NEG_INFINITY, 0.0, 2.0]);
    assert!(values.len() == 4 && values[3].is_nan());
    assert_eq!(results[1].to_vec::<i64>().unwrap(), [3, 2, 0, 1]);
    assert_eq!(results[2].to_vec::<i64>().unwrap(), [2, 3, 1, 0, 3, 1, 2]);
    assert_eq!(results[3].to_vec::<i64>().unwrap(), [1, 2, 2, 2]);
    let unsorted = unique(x(), false, Value::None);
    assert_eq!(unsorted[1].to_vec::<i64>().unwrap(), [0, 1, 2, 3]);
    assert_eq!(unsorted[2].to_vec::<i64>().unwrap(), [0, 1, 2, 3, 1, 2, 0]);
}

#[test]
fn slices_are_compared_element_by_element() {
    let x = || floats(&[2, 4], &[1.0, 0.0, 1.0, 0.0, 5.0, 9.0, 5.0, 8.0]);
    let columns = unique(x(), true, Value::Int(-1));
    assert_eq!(
        (columns[0].shape(), columns[0].to_vec::<f32>().unwrap()),
        (&[2, 3][..], vec![0.0, 0.0, 1.0, 8.0, 9.0, 5.0])
    );
    assert_eq!(columns[2].to_vec::<i64>().unwrap(), [2, 1, 2, 0]);
    let empty = unique(floats(&[3, 0], &[]), true, Value::Int(0));
    assert_eq!((empty[0].shape(), empty[3].to_vec::<i64>().unwrap()), (&[1, 0][..], vec![3]));
    let wrong = [true.into(), false.into(), false.into(), false.into(), Value::Int(2), x()];
    assert!(call("relax.run.unique", &wrong).unwrap_err().contains("no dimension 2"));
}

#[test]
fn nonzero_gives_a_row_of_indices_for_each_dimension() {
    let places = |x| call("relax.run.nonzero", &[x]).unwrap().as_tensor().unwrap().clone();
    let found = places(floats(&[2, 3], &[0.0, f32::NAN, -0.0, 1.0, 0.0, -2.0]));
    assert_eq!((found.shape(), found.to_vec::<i64>().unwrap()), (&[2, 3][..], vec![0, 1, 1, 1, 0, 2]));
    assert_eq!(places(floats(&[], &[3.0])).to_vec::<i64>().unwrap(), [0]);
    assert_eq!(places(floats(&[2, 0], &[])).shape(), [2, 0]);
}

#[test]
fn slices_are_those_of_python() {
    let slice = |begin: &[i64], end: &[i64], strides: &[i64]| {
        let x = floats(&[5], &[0.0, 1.0, 2.0, 3.0, 4.0]);
        let args = [x, ints(begin), ints(end), ints(strides)];
        call("relax.run.dynamic_strided_slice", &args).map(|value| value.as_tensor().unwrap().to_vec::<f32>().unwrap())
    };
    assert_eq!(slice(&[-2], &[100], &[1]).unwrap(), [3.0, 4.0]);
    assert_eq!(slice(&[-1], &[-100], &[-2]).unwrap(), [4.0, 2.0, 0.0]);
    assert_eq!(slice(&[i64::MAX], &[i64::MIN], &[i64::MIN]).unwrap(), [4.0]);
    assert!(slice(&[3], &[1], &[1]).unwrap().is_empty());
    assert!(slice(&[0], &[1], &[0]).unwrap_err().contains("step by 0"));
    assert!(slice(&[0, 0], &[1], &[1]).unwrap_err().contains("bounds of shape [2]"));
}

#[test]
fn properties_of_a_tensor() {
    let x = floats(&[2, 1, 3], &[0.0; 6]);
    let ask = |name: &str, more: &[Value]| {
        let args: Vec<Value> = std::iter::once(x.clone()).chain(more.iter().cloned()).collect();
        call(&format!("relax.run.{name}"), &args).map(|value| value.as_int().unwrap())
    };
    assert_eq!((0..3).map(|d| ask("tensor_stride_i", &[Value::Int(d)]).unwrap()).collect::<Vec<_>>(), [3, 3, 1]);
    assert_eq!(ask("tensor_shape_i", &[Value::Int(2)]), Ok(3));
    assert!(ask("tensor_shape_i", &[Value::Int(3)]).unwrap_err().contains("no dimension 3"));
    assert_eq!((ask("tensor_dtype_code", &[]), ask("tensor_dtype_bits", &[])), (Ok(2), Ok(32)));
}
