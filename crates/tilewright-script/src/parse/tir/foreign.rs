//! Calls that leave the IR: C functions, packed functions, intrinsics of LLVM, and the addresses that they take.

use std::sync::Arc;

use ruff_python_ast as ast;
use tilewright_ir::tir::{BinOp, Buffer, Builtin, BuiltinEffect, BuiltinResult, Expr, ExprKind, ForeignCallee};
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res, count};
use crate::parse::value::Value;

impl Parser<'_> {
    /// `T.address_of(A[i, j])`.
    pub(super) fn address_of(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["buffer_load"], 1)?;
        let Some(arg) = bound[0] else { return Err(Reported) };
        let element = self.scalar(arg, None)?;
        let ExprKind::Load { buffer, indices, predicate: None } = &element.kind else {
            return Err(self.fail(codes::KIND, arg, "expected an element of a buffer, `A[i]`", ""));
        };
        let result = Expr::address_of(buffer, indices.clone());
        self.typed(expr, result)
    }

    /// `T.call_extern("float32", "name", …)`.
    pub(super) fn call_extern(
        &mut self,
        expr: &ast::Expr,
        call: &ast::ExprCall,
        callee: fn(Arc<str>) -> ForeignCallee,
    ) -> Res<Value> {
        let (dtype, args) = self.dtype_in_front(call)?;
        let (Some(dtype), [name, args @ ..]) = (dtype, args) else {
            return Err(self.fail(codes::ARGUMENTS, expr, "expected a data type and a function's name", ""));
        };
        let (dtype, name) = (self.dtype(dtype)?, self.string(name)?);
        let args = self.foreign_arguments(args)?;
        Ok(Value::Scalar(Expr::foreign(dtype, callee(name), args)))
    }

    /// `Module.f(A.data, n)`: a call of another PrimFunc of the module, of the type that it says it returns.
    pub(in crate::parse) fn call_prim_func(&mut self, name: &Arc<str>, call: &ast::ExprCall) -> Res<Value> {
        self.no_keywords(call)?;
        let args = self.foreign_arguments(&call.arguments.args)?;
        let dtype = match self.functions.returns_of(name) {
            Some(returns) => self.result_type(returns).unwrap_or(DataType::VOID),
            None => DataType::VOID,
        };
        Ok(Value::Scalar(Expr::foreign(dtype, ForeignCallee::Function(name.clone()), args)))
    }

    /// The data type of a call that names one, in front of the other arguments or by name, and those.
    fn dtype_in_front<'e>(&mut self, call: &'e ast::ExprCall) -> Res<(Option<&'e ast::Expr>, &'e [ast::Expr])> {
        match &*call.arguments.keywords {
            [] => Ok(match &*call.arguments.args {
                [dtype, args @ ..] => (Some(dtype), args),
                [] => (None, &[]),
            }),
            [keyword] if keyword.arg.as_deref() == Some("dtype") => Ok((Some(&keyword.value), &call.arguments.args)),
            [.., keyword] => Err(self.fail(codes::ARGUMENTS, keyword, "expected `dtype=`", "unexpected argument")),
        }
    }

    /// A call of an operation of some target.
    pub(super) fn builtin(&mut self, expr: &ast::Expr, builtin: &Builtin, call: &ast::ExprCall) -> Res<Value> {
        let (dtype, args) = match builtin.result {
            BuiltinResult::Named | BuiltinResult::NamedLast => {
                let last = builtin.result == BuiltinResult::NamedLast && call.arguments.keywords.is_empty();
                let (dtype, args) = match &*call.arguments.args {
                    [args @ .., dtype] if last => (Some(dtype), args),
                    _ => self.dtype_in_front(call)?,
                };
                let Some(dtype) = dtype else {
                    let place = if last { "last" } else { "first" };
                    let message = format!("`{}` names the type of its result {place}", self.text_of(&*call.func));
                    return Err(self.fail(codes::ARGUMENTS, expr, message, ""));
                };
                (self.dtype(dtype)?, args)
            }
            // The type that the script of 2022 says of every call; it follows from the operation.
            _ => match &*call.arguments.keywords {
                [keyword] if keyword.arg.as_deref() == Some("dtype") => {
                    self.dtype(&keyword.value)?;
                    (DataType::VOID, &*call.arguments.args)
                }
                _ => {
                    self.no_keywords(call)?;
                    (DataType::VOID, &*call.arguments.args)
                }
            },
        };
        // `T.sync()` is the barrier of a block.
        let args = match (builtin.effect, args) {
            (BuiltinEffect::Barrier, []) => vec![Expr::str("shared")],
            _ => self.foreign_arguments(args)?,
        };
        if !builtin.takes(args.len()) {
            let takes = match (builtin.min, builtin.max) {
                (min, max) if min == max => count(min, "operand"),
                (min, usize::MAX) => format!("{} or more", count(min, "operand")),
                (min, max) => format!("{min} to {}", count(max, "operand")),
            };
            let message = format!("`{}` takes {takes}, found {}", self.text_of(&*call.func), args.len());
            return Err(self.fail(codes::ARGUMENTS, expr, message, ""));
        }
        let types: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
        let result = builtin.result_type(dtype, &types);
        Ok(Value::Scalar(Expr::foreign(result, ForeignCallee::Builtin(builtin.name.into()), args)))
    }

    /// `T.call_intrin("float32", "tir.exp", x)`: the function of `T` of this name.
    pub(super) fn call_intrinsic(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let (dtype, args) = self.dtype_in_front(call)?;
        let (Some(dtype), [name_node, args @ ..]) = (dtype, args) else {
            return Err(self.fail(codes::ARGUMENTS, expr, "expected a data type and an operation's name", ""));
        };
        let name = self.string(name_node)?;
        let expected = self.dtype(dtype)?;
        let Some(name) = name.strip_prefix("tir.") else {
            let message = format!("expected the name of an operation, found \"{name}\"");
            return Err(self.fail(codes::KIND, name_node, message, "such names begin with \"tir.\""));
        };
        let names_type =
            ["reinterpret", "call_extern", "call_pure_extern", "call_llvm_intrin", "call_llvm_pure_intrin"];
        let result = Builtin::by_name(name).map(|builtin| builtin.result);
        let first = names_type.contains(&name) || result == Some(BuiltinResult::Named);
        let last = result == Some(BuiltinResult::NamedLast);
        let mut direct = call.clone();
        direct.arguments.keywords.clear();
        let args = first.then_some(dtype).into_iter().chain(args).chain(last.then_some(dtype));
        direct.arguments.args = args.cloned().collect();
        let value = self.tir_call(expr, name, &direct)?;
        match &value {
            Value::Scalar(scalar) if scalar.dtype == expected || scalar.dtype.is_void() => Ok(value),
            Value::Scalar(scalar) => {
                let message = format!("`tir.{name}` gives {} here, not {expected}", scalar.dtype);
                Err(self.fail(codes::DTYPE, dtype, message, ""))
            }
            other => Err(self.wrong_kind(expr, "a scalar", other)),
        }
    }

    /// `T.call_packed("name", …)`, which gives an `int32` unless `dtype=` says otherwise.
    pub(super) fn call_packed_kernel(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let [name, args @ ..] = &*call.arguments.args else {
            return Err(self.fail(codes::ARGUMENTS, expr, "expected a function's name", ""));
        };
        let mut dtype = DataType::I32;
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_ref().map(|name| name.as_str()) {
                Some("dtype") => dtype = self.dtype(&keyword.value)?,
                _ => return Err(self.fail(codes::ARGUMENTS, keyword, "expected `dtype=`", "unexpected argument")),
            }
        }
        let name = self.string(name)?;
        let args = self.foreign_arguments(args)?;
        Ok(Value::Scalar(Expr::foreign(dtype, ForeignCallee::Packed(name), args)))
    }

    /// `T.call_llvm_intrin("float32x16", "llvm.name", T.uint32(2), a, b)`: an unsigned constant in front is the number
    /// of operands that follow, which the field's programs write and which may be left out.
    pub(super) fn call_llvm(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let [dtype, name, args @ ..] = &*call.arguments.args else {
            return Err(self.fail(codes::ARGUMENTS, expr, "expected a data type and an intrinsic's name", ""));
        };
        self.no_keywords(call)?;
        let (dtype, intrinsic) = (self.dtype(dtype)?, self.string(name)?);
        if !intrinsic.starts_with("llvm.") {
            let message = format!("expected the name of an LLVM intrinsic, found \"{intrinsic}\"");
            return Err(self.fail(codes::KIND, name, message, "such names begin with \"llvm.\""));
        }
        let mut operands = self.foreign_arguments(args)?;
        if operands.first().is_some_and(|first| first.dtype == DataType::U32 && first.as_int().is_some()) {
            operands.remove(0);
        }
        Ok(Value::Scalar(Expr::foreign(dtype, ForeignCallee::Llvm(intrinsic), operands)))
    }

    /// `A.access_ptr("rw", offset=n)`: the address of the buffer with the kind of accesses through it.
    pub(in crate::parse) fn access_ptr(
        &mut self,
        expr: &ast::Expr,
        buffer: &Buffer,
        call: &ast::ExprCall,
    ) -> Res<Value> {
        let bound = self.bind(call, &["access_mask", "ptr_type", "content_lanes", "offset", "extent"], 1)?;
        let mask_node = bound[0].ok_or(Reported)?;
        let mask = match self.eval(mask_node)? {
            Value::Str(letters) => {
                let bit = |letter| i32::from(letters.contains(letter));
                bit('r') + 2 * bit('w')
            }
            Value::Int(mask @ 1..=3) => mask as i32,
            other => return Err(self.wrong_kind(mask_node, "\"r\", \"w\" or \"rw\"", &other)),
        };
        let offset = bound[3].map_or(Ok(Expr::i32(0)), |offset| self.scalar(offset, None))?;
        let extent = match bound[4] {
            Some(extent) => self.scalar(extent, None)?,
            None => {
                let whole = buffer
                    .shape
                    .iter()
                    .try_fold(Expr::int(1, offset.dtype), |n, dim| Expr::binary(BinOp::Mul, &n, dim));
                let rest = whole.and_then(|whole| Expr::binary(BinOp::Sub, &whole, &offset));
                let rest = self.checked(expr, rest)?;
                self.infer.analyzer.simplify(&rest)
            }
        };
        let element = Expr::foreign(buffer.dtype, ForeignCallee::Builtin("type_annotation".into()), Vec::new());
        let args = vec![element, self.first_element(expr, buffer)?, offset, extent, Expr::i32(mask)];
        let callee = ForeignCallee::Builtin("tvm_access_ptr".into());
        Ok(Value::Scalar(Expr::foreign(DataType::HANDLE, callee, args)))
    }

    /// Scalars, texts, `T.address_of(…)` and `A.data`, the address of a buffer's first element.
    fn foreign_arguments(&mut self, args: &[ast::Expr]) -> Res<Vec<Expr>> {
        args.iter().map(|arg| self.foreign_argument(arg)).collect()
    }

    pub(super) fn foreign_argument(&mut self, arg: &ast::Expr) -> Res<Expr> {
        if let ast::Expr::Starred(star) = arg {
            return Err(self.fail(codes::FORM, star, "unpacked arguments are not read", "write the arguments out"));
        }
        if let ast::Expr::Attribute(attribute) = arg
            && attribute.attr.as_str() == "data"
            && let Value::Buffer(buffer) = self.eval(&attribute.value)?
        {
            return self.first_element(arg, &buffer);
        }
        let value = match self.eval(arg)? {
            // Functions that allocate memory return its address in the field's programs.
            Value::Buffer(buffer) => return self.first_element(arg, &buffer),
            value => self.scalar_value(arg, value, None)?,
        };
        match (&value.kind, value.dtype.is_handle()) {
            (
                ExprKind::Str(_)
                | ExprKind::AddressOf { .. }
                | ExprKind::Foreign { .. }
                | ExprKind::Reinterpret(_)
                | ExprKind::Var(_),
                _,
            )
            | (_, false) => Ok(value),
            (_, true) => Err(self.fail(codes::KIND, arg, "expected a number, a text or `T.address_of(…)`", "")),
        }
    }

    fn first_element(&mut self, arg: &ast::Expr, buffer: &Buffer) -> Res<Expr> {
        let zeros = buffer.shape.iter().map(|dim| Expr::int(0, dim.dtype)).collect();
        Expr::address_of(buffer, zeros).map_err(|error| self.fail(codes::DTYPE, arg, error.to_string(), ""))
    }
}

#[cfg(test)]
mod tests {
    use tilewright_ir::IRModule;
    use tilewright_ir::node::EqCx;
    use tilewright_ir::tir::{Builtin, Expr, ForeignCallee, Param, PrimFunc, Stmt, StmtKind, Var};
    use tilewright_support::SourceFile;
    use tilewright_tensor::DataType;

    use crate::parse::{NoHost, parse_module};
    use crate::print::{PrintOptions, print_module};

    /// Calls of every operation of targets, with its min and with more operands.
    #[test]
    fn every_builtin_is_printed_and_read_back() {
        let x = Var::new("x", DataType::F32);
        let call = |row: &Builtin, count: usize| {
            let operand = |at: usize| if at.is_multiple_of(2) { Expr::var(&x) } else { Expr::str("shared") };
            let args: Vec<Expr> = (0..count).map(operand).collect();
            let types: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
            let dtype = row.result_type(DataType::F16.with_lanes(4), &types);
            let call = Expr::foreign(dtype, ForeignCallee::Builtin(row.name.into()), args);
            Stmt::from(StmtKind::Evaluate(call))
        };
        let calls = Builtin::ALL.iter().flat_map(|row| [call(row, row.min), call(row, row.max.min(row.min + 3))]);
        let body = Stmt::seq(calls);
        let mut module = IRModule::new();
        let (params, attrs, origins) = (vec![Param::scalar(&x)], Default::default(), Default::default());
        module.insert("f", PrimFunc { params, attrs, body, origins });
        let text = print_module(&module, &PrintOptions::default());
        let read = parse_module(&SourceFile::new("builtins.py", text.clone()), &NoHost);
        let read = read.unwrap_or_else(|errors| panic!("{errors}"));
        if let Err(path) = EqCx::compare(&module, &read) {
            panic!("differs at {path}:\n{text}");
        }
    }
}
