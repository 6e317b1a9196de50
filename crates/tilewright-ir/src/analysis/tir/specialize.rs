//! A PrimFunc for known values of its parameters.

use tilewright_arith::Analyzer;
use tilewright_expr::CmpOp;
use tilewright_expr::node::rewrite;
use tilewright_expr::semantics::{self, Scalar};

use super::walks::substitute;
use crate::tir::{Buffer, Expr, ExprKind, Param, PrimFunc, TypeMismatch, Var};
use crate::verify::show_dim;

/// The known value of a parameter.
#[derive(Clone, Debug)]
pub enum Known {
    /// Its value. The parameter is left out.
    Value(Expr),
    /// A buffer whose shape, strides and offset the argument will have. The parameter stays.
    Buffer(Buffer),
}

/// The function specialised for these arguments: values replace scalar parameters and the symbolic dimensions,
/// strides and offsets of buffers.
///
/// # Errors
/// An argument that is no parameter of the function, or not of the parameter's sort, element type or rank; dimensions
/// that differ from those that the function declares, or from each other.
pub fn specialize(function: &PrimFunc, known: &[(Var, Known)]) -> Result<PrimFunc, String> {
    let mut values: Vec<(Var, Expr)> = Vec::new();
    for (var, known) in known {
        let param = function.params.iter().find(|param| param.var == *var);
        match (param.ok_or_else(|| format!("`{}` is no parameter of the function", var.name))?, known) {
            (Param { buffer: None, .. }, Known::Value(value)) => {
                agree(&mut values, &var.name, &Expr::var(var), value)?;
            }
            (Param { buffer: Some(declared), .. }, Known::Buffer(given)) => unify(&mut values, declared, given)?,
            (Param { buffer: None, .. }, Known::Buffer(_)) => {
                return Err(format!("`{}` is a scalar, and is given a buffer", var.name));
            }
            (Param { buffer: Some(_), .. }, Known::Value(_)) => {
                return Err(format!("`{}` is a buffer, and is given a scalar", var.name));
            }
        }
    }
    let kept = |param: &&Param| param.buffer.is_some() || values.iter().all(|(var, _)| *var != param.var);
    let params = function.params.iter().filter(kept).cloned().collect();
    let known = substitute(&PrimFunc { params, ..function.clone() }, &values);
    Ok(rewrite(&known, worked_out).unwrap_or(known))
}

/// The value of an operation on two integer constants, as a program would write it.
fn worked_out(expr: &Expr) -> Option<Expr> {
    let ExprKind::Binary(op, a, b) = &expr.kind else { return None };
    let (x, y) = (a.as_int()?, b.as_int()?);
    let dtype = a.dtype.is_int().then_some(expr.dtype)?;
    let value = semantics::binary(*op, Scalar::from_int(x, dtype), Scalar::from_int(y, dtype)).ok()?;
    Some(Expr::int(value.as_int(), dtype))
}

/// Takes the given buffer's dimensions, strides and offset for those that the function declares.
fn unify(values: &mut Vec<(Var, Expr)>, declared: &Buffer, given: &Buffer) -> Result<(), String> {
    let name = &declared.name;
    if declared.dtype != given.dtype {
        return Err(format!("`{name}` holds {}, the buffer that is given {}", declared.dtype, given.dtype));
    }
    if declared.rank() != given.rank() {
        return Err(format!("`{name}` has {} dimensions, the buffer that is given {}", declared.rank(), given.rank()));
    }
    let failed = |reason: TypeMismatch| format!("`{name}`: {}", reason.0);
    // A dimension that is a variable alone says what the others are made of.
    let dims = declared.shape.iter().zip(&given.shape);
    let (variables, others): (Vec<_>, Vec<_>) = dims.partition(|(declared, _)| declared.as_var().is_some());
    for (declared, given) in variables.into_iter().chain(others) {
        agree(values, name, declared, given)?;
    }
    // A buffer that declares no strides has no gaps: whoever passes some would be misread.
    if !declared.strides.is_empty() || !given.strides.is_empty() {
        let (own, given) = (declared.element_strides().map_err(failed)?, given.element_strides().map_err(failed)?);
        for (declared, given) in own.iter().zip(&given) {
            agree(values, name, declared, given)?;
        }
    }
    match (&declared.elem_offset, &given.elem_offset) {
        (Some(declared), Some(given)) => agree(values, name, declared, given),
        _ => Ok(()),
    }
}

/// Makes `declared` mean `given`: a variable that has no value yet takes it, anything else has to be equal.
fn agree(values: &mut Vec<(Var, Expr)>, of: &str, declared: &Expr, given: &Expr) -> Result<(), String> {
    let given = given.cast(declared.dtype).map_err(|reason| format!("`{of}`: {}", reason.0))?;
    match declared.as_var() {
        Some(var) if values.iter().all(|(known, _)| known != var) => {
            values.push((var.clone(), given));
            Ok(())
        }
        _ => {
            let expected = substitute(declared, values);
            match Analyzer::new().decide(CmpOp::Eq, &expected, &given) {
                Some(true) => Ok(()),
                _ => {
                    Err(format!("`{of}` is given {}, where the function has {}", show_dim(&given), show_dim(&expected)))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tilewright_tensor::DataType;

    use super::*;
    use crate::Attrs;
    use crate::tir::Stmt;

    fn copy_of_rows() -> (PrimFunc, Buffer) {
        let n = Expr::var(&Var::new("n", DataType::I32));
        let a = Buffer::new("a", vec![n.clone(), &n * 2], DataType::F32);
        let params = vec![Param::buffer(&a), Param::scalar(n.as_var().unwrap())];
        let body = Stmt::store(&a, vec![Expr::i32(0), Expr::i32(0)], &Expr::float(1.0, DataType::F32)).unwrap();
        (PrimFunc { params, attrs: Attrs::new(), body, origins: Default::default() }, a)
    }

    #[test]
    fn a_value_stands_for_its_parameter_and_is_worked_out() {
        let (function, _) = copy_of_rows();
        let n = function.params[1].var.clone();
        let known = specialize(&function, &[(n, Known::Value(Expr::i32(3)))]).unwrap();
        assert_eq!(known.params.len(), 1);
        let shape = known.params[0].buffer.as_ref().unwrap().constant_shape();
        assert_eq!(shape, Some(vec![3, 6]));
    }

    #[test]
    fn a_dimension_may_stand_before_the_variable_that_it_is_made_of() {
        let n = Expr::var(&Var::new("n", DataType::I32));
        let a = Buffer::new("a", vec![&n * 2, n], DataType::F32);
        let function = PrimFunc {
            params: vec![Param::buffer(&a)],
            attrs: Attrs::new(),
            body: Stmt::nothing(),
            origins: Default::default(),
        };
        let handle = function.params[0].var.clone();
        let given = Buffer::new("b", vec![Expr::i32(8), Expr::i32(4)], DataType::F32);
        let known = specialize(&function, &[(handle, Known::Buffer(given))]).unwrap();
        let shape = known.params[0].buffer.as_ref().unwrap().constant_shape();
        assert_eq!(shape, Some(vec![8, 4]));
    }

    #[test]
    fn a_buffer_tells_its_dimensions_and_contradictions_are_errors() {
        let (function, _) = copy_of_rows();
        let (handle, n) = (function.params[0].var.clone(), function.params[1].var.clone());
        let given = |rows: i32, columns: i32| {
            Known::Buffer(Buffer::new("b", vec![Expr::i32(rows), Expr::i32(columns)], DataType::F32))
        };
        assert_eq!(specialize(&function, &[(handle.clone(), given(4, 8))]).unwrap().params.len(), 1);
        for (known, reason) in [
            (vec![(handle.clone(), given(4, 7))], "is given 7, where the function has (4 * 2)"),
            (vec![(handle.clone(), given(4, 8)), (n.clone(), Known::Value(Expr::i32(5)))], "is given 5"),
            (vec![(handle, Known::Value(Expr::i32(5)))], "is a buffer, and is given a scalar"),
            (vec![(n, given(1, 2))], "is a scalar, and is given a buffer"),
            (vec![(Var::new("m", DataType::I32), Known::Value(Expr::i32(5)))], "is no parameter"),
        ] {
            let refused = specialize(&function, &known).unwrap_err();
            assert!(refused.contains(reason), "{refused}");
        }
    }
}
