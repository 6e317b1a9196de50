//! Calls that leave the IR: C functions, packed functions, intrinsics of LLVM, and the addresses that they take.

use ruff_python_ast as ast;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForeignCallee};
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
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
    pub(super) fn call_extern(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let [dtype, name, args @ ..] = &*call.arguments.args else {
            return Err(self.fail(codes::ARGUMENTS, expr, "expected a data type and a function's name", ""));
        };
        self.no_keywords(call)?;
        let (dtype, name) = (self.dtype(dtype)?, self.string(name)?);
        let args = self.foreign_arguments(args)?;
        Ok(Value::Scalar(Expr::foreign(dtype, ForeignCallee::Extern(name), args)))
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

    fn no_keywords(&mut self, call: &ast::ExprCall) -> Res<()> {
        match call.arguments.keywords.first() {
            Some(keyword) => {
                Err(self.fail(codes::ARGUMENTS, keyword, "arguments stand in order here", "unexpected name"))
            }
            None => Ok(()),
        }
    }

    /// Scalars, texts, `T.address_of(…)` and `A.data`, the address of a buffer's first element.
    fn foreign_arguments(&mut self, args: &[ast::Expr]) -> Res<Vec<Expr>> {
        args.iter().map(|arg| self.foreign_argument(arg)).collect()
    }

    fn foreign_argument(&mut self, arg: &ast::Expr) -> Res<Expr> {
        if let ast::Expr::Starred(star) = arg {
            return Err(self.fail(codes::FORM, star, "unpacked arguments are not read", "write the arguments out"));
        }
        if let ast::Expr::Attribute(attribute) = arg
            && attribute.attr.as_str() == "data"
            && let Value::Buffer(buffer) = self.eval(&attribute.value)?
        {
            return self.first_element(arg, &buffer);
        }
        let value = self.eval(arg)?;
        let value = self.scalar_value(arg, value, None)?;
        match (&value.kind, value.dtype.is_handle()) {
            (ExprKind::Str(_) | ExprKind::AddressOf { .. } | ExprKind::Foreign { .. }, _) | (_, false) => Ok(value),
            (_, true) => Err(self.fail(codes::KIND, arg, "expected a number, a text or `T.address_of(…)`", "")),
        }
    }

    fn first_element(&mut self, arg: &ast::Expr, buffer: &Buffer) -> Res<Expr> {
        let zeros = buffer.shape.iter().map(|dim| Expr::int(0, dim.dtype)).collect();
        Expr::address_of(buffer, zeros).map_err(|error| self.fail(codes::DTYPE, arg, error.to_string(), ""))
    }
}
