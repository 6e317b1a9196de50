//! `R.call_tir_inplace`: a PrimFunc that writes results over arguments.
//!
//! The caller promises that such an argument is dead, under all aliases: its tensor becomes the result. Other results
//! are allocated, as by `R.call_tir`. The PrimFunc's parameters are the arguments in order, then the results that are
//! allocated.

use tilewright_expr as scalar;

use crate::calls::{check_dps_result, dps_result, scalar_info, vars_attrs};
use crate::op::{InferCx, InferError, check_against};
use crate::relax::{Callee, Expr, ExprKind, GlobalVar, StructInfo};

impl Expr {
    /// `results` says of each result which argument it overwrites, if one; `out` what the results are.
    pub fn call_tir_inplace(
        cx: &InferCx,
        function: GlobalVar,
        args: Vec<Self>,
        results: Vec<Option<usize>>,
        out: Vec<StructInfo>,
    ) -> Result<Self, InferError> {
        Self::call_tir_inplace_with(cx, function, args, results, out, Vec::new())
    }

    /// The same with `tir_vars`: the scalars that the PrimFunc gets after its buffers.
    pub fn call_tir_inplace_with(
        cx: &InferCx,
        function: GlobalVar,
        args: Vec<Self>,
        results: Vec<Option<usize>>,
        out: Vec<StructInfo>,
        tir_vars: Vec<scalar::Expr>,
    ) -> Result<Self, InferError> {
        check_dps_result(&out)?;
        check_inplace(cx, &args, &results, &out)?;
        let scalars: Vec<StructInfo> = tir_vars.iter().map(scalar_info).collect();
        if let StructInfo::Func { params: Some(params), .. } = &function.signature {
            let given = args.iter().map(|a| &a.struct_info).chain(allocated(&results, &out)).chain(&scalars);
            let infos: Vec<_> = given.collect();
            check_against(cx, &format!("PrimFunc `{}`", function.name), params, &infos)?;
        }
        let callee = Callee::TirInplace { function, results };
        Ok(Self::raw(dps_result(&out), ExprKind::Call { callee, args, attrs: vars_attrs(tir_vars), sinfo_args: out }))
    }
}

/// The results that are allocated.
pub fn allocated<'o>(results: &'o [Option<usize>], out: &'o [StructInfo]) -> impl Iterator<Item = &'o StructInfo> {
    results.iter().zip(out).filter(|(argument, _)| argument.is_none()).map(|(_, info)| info)
}

/// Checks that each result that is computed in place has an argument of its own, of its shape and type, or an object
/// for an object, which is no other argument too.
pub fn check_inplace(
    cx: &InferCx,
    args: &[Expr],
    results: &[Option<usize>],
    out: &[StructInfo],
) -> Result<(), InferError> {
    if results.len() != out.len() {
        return Err(InferError::new(format!("{} argument numbers for {} results", results.len(), out.len())));
    }
    if results.iter().all(Option::is_none) {
        return Err(InferError::new("no result is computed in place: this is `call_tir`"));
    }
    for (i, (argument, info)) in results.iter().zip(out).enumerate() {
        let Some(argument) = *argument else { continue };
        let Some(arg) = args.get(argument) else {
            return Err(InferError::new(format!("result {i} overwrites argument {argument} of {}", args.len())));
        };
        if results[..i].contains(&Some(argument)) {
            return Err(InferError::at(argument, format!("two results overwrite argument {argument}")));
        }
        let again = |(other, given): &(usize, &Expr)| {
            *other != argument && given.as_var().is_some() && given.as_var() == arg.as_var()
        };
        if let Some((other, _)) = args.iter().enumerate().find(again) {
            let message = format!("result {i} overwrites argument {argument}, which is argument {other} too: copy one");
            return Err(InferError::at(other, message));
        }
        let same_dims = match (arg.struct_info.dims(), info.dims()) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| cx.analyzer.prove_equal(a, b)),
            _ => false,
        };
        // An object that is no tensor, such as a cache, becomes what the callee makes of it.
        let object = matches!((&arg.struct_info, info), (StructInfo::Object, StructInfo::Object));
        if !object && (!same_dims || arg.struct_info.dtype() != info.dtype()) {
            let message = format!("result {i} overwrites argument {argument}, which is not known to be like it");
            return Err(InferError::at(argument, message));
        }
    }
    Ok(())
}
