//! What cannot be lowered says why.

use tilewright_ir::tir::{ForKind, PrimFunc};

use super::build::*;

#[track_caller]
fn refused(function: &PrimFunc, code: &str, part: &str) {
    let error = crate::lower("main", function).expect_err("an error").to_string();
    assert!(error.contains(code) && error.contains(part), "{error}");
}

#[test]
fn functions_for_gpu_threads_are_refused() {
    let (a, i) = (buffer("A", &[4]), var("i"));
    let kind = ForKind::ThreadBinding("threadIdx.x".into());
    let body = nest([(&i, 4, kind)], store(&a, &[of(&i)], &float(1.0)));
    refused(&function(&[&a], &[], body), "TW0501", "this function is bound to GPU threads");
}

#[test]
fn indices_that_are_certainly_outside_are_found_at_compile_time() {
    let (a, i) = (buffer("A", &[4]), var("i"));
    let constant = store(&a, &[int(4)], &float(1.0));
    refused(&function(&[&a], &[], constant), "TW0503", "index 4 is out of range for dimension 0 of buffer `A`");
    let loops = nest([serial(&i, 4)], store(&a, &[&of(&i) + 1], &float(1.0)));
    refused(&function(&[&a], &[], loops), "TW0503", "whose extent is 4");
    let guarded = when(less(&of(&i), &int(3)), store(&a, &[&of(&i) + 1], &float(1.0)), None);
    assert!(crate::lower("main", &function(&[&a], &[], nest([serial(&i, 4)], guarded))).is_ok());
}
