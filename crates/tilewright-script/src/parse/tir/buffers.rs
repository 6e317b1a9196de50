//! Declarations of buffers.

use ruff_python_ast as ast;
use tilewright_ir::tir::{Buffer, Expr, Scope, Var};
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// What every declaration of a buffer takes behind its own arguments.
const DETAILS: [&str; 10] = [
    "shape",
    "dtype",
    "data",
    "strides",
    "elem_offset",
    "scope",
    "align",
    "offset_factor",
    "buffer_type",
    "axis_separators",
];

impl Parser<'_> {
    /// The buffer of `T.Buffer(shape, dtype, …)`, `T.alloc_buffer(…)`, `T.decl_buffer(…)`; with `matched`, of
    /// `T.match_buffer(param, shape, …)`, whose first argument is left to the caller.
    pub(super) fn buffer_call(&mut self, call: &ast::ExprCall, name: &str, matched: bool) -> Res<Buffer> {
        let bound = if matched {
            const PARAMS: [&str; 11] = [
                "param", DETAILS[0], DETAILS[1], DETAILS[2], DETAILS[3], DETAILS[4], DETAILS[5], DETAILS[6],
                DETAILS[7], DETAILS[8], DETAILS[9],
            ];
            self.bind(call, &PARAMS, 1)?.split_off(1)
        } else {
            self.bind(call, &DETAILS, 1)?
        };
        let buffer = self.buffer_of(name, bound[0], bound[1])?;
        let data = bound[2].map(|data| self.address(data)).transpose()?.flatten();
        let strides = match bound[3] {
            Some(strides) => self.extents(strides)?.unwrap_or_default(),
            None => Vec::new(),
        };
        if !strides.is_empty() && strides.len() != buffer.rank() {
            let message = format!("a shape of {} dimensions with {} strides", buffer.rank(), strides.len());
            return Err(self.fail(codes::INDICES, bound[3].unwrap_or(&call.func), message, ""));
        }
        let elem_offset = match bound[4] {
            Some(ast::Expr::NoneLiteral(_)) | None => None,
            Some(offset) => Some(self.scalar(offset, None)?),
        };
        let scope = bound[5].map_or(Ok(Scope::Global), |scope| self.memory_scope(scope))?;
        let align = bound[6].map_or(Ok(0), |align| self.integer(align))?;
        let Ok(align) = usize::try_from(align.max(0)) else { return Err(Reported) };
        self.only_plain(&bound[7..])?;
        Ok(buffer.derive(|node| {
            if let Some(data) = data {
                node.data = data;
            }
            node.strides = strides;
            node.elem_offset = elem_offset;
            node.scope = scope;
            node.align = align;
        }))
    }

    /// Details that mean something only when they are not at their defaults.
    fn only_plain(&mut self, details: &[Option<&ast::Expr>]) -> Res<()> {
        for detail in details.iter().flatten() {
            let plain = match self.eval(detail)? {
                Value::Int(number) => (0..=1).contains(&number),
                Value::Str(text) => text.is_empty() || &*text == "default",
                Value::None => true,
                Value::Tuple(items) => items.is_empty(),
                _ => false,
            };
            if !plain {
                return Err(self.fail(
                    codes::NOT_YET,
                    *detail,
                    "this detail of a buffer is not read by this version",
                    "",
                ));
            }
        }
        Ok(())
    }

    /// A compact buffer of a shape and type; `float32` where no type is said.
    pub(in crate::parse) fn buffer_of(
        &mut self,
        name: &str,
        shape: Option<&ast::Expr>,
        dtype: Option<&ast::Expr>,
    ) -> Res<Buffer> {
        let shape_node = shape.ok_or(Reported)?;
        let shape = self.extents(shape_node);
        let dtype = match dtype {
            Some(node) => self.dtype(node).and_then(|dtype| {
                let fits = dtype.is_scalar() && !dtype.is_handle();
                let message = || format!("a buffer cannot hold elements of type {dtype}");
                if fits { Ok(dtype) } else { Err(self.fail(codes::DTYPE, node, message(), "")) }
            }),
            None => Ok(DataType::F32),
        };
        let Some(shape) = shape? else {
            return Err(self.fail(codes::KIND, shape_node, "a buffer needs a shape", ""));
        };
        Ok(Buffer::new(name, shape, dtype?))
    }

    /// Extents from a tuple, a list or a single integer; `None` for `None`.
    fn extents(&mut self, node: &ast::Expr) -> Res<Option<Vec<Expr>>> {
        let items = match self.eval(node)? {
            Value::Tuple(items) => items,
            Value::None => return Ok(None),
            one => vec![one],
        };
        let mut extents = Vec::new();
        for item in items {
            let extent = match item {
                Value::Scalar(_) | Value::Int(_) => self.scalar_value(node, item, None)?,
                other => return Err(self.wrong_kind(node, "integers as the extents", &other)),
            };
            if !extent.dtype.is_int() || !extent.dtype.is_scalar() {
                let message = format!("an extent must be an integer, found {}", extent.dtype);
                return Err(self.fail(codes::DTYPE, node, message, ""));
            }
            if extent.as_int().is_some_and(|extent| extent < 0) {
                return Err(self.fail(codes::RANGE, node, "an extent cannot be negative", ""));
            }
            extents.push(extent);
        }
        Ok(Some(extents))
    }

    fn address(&mut self, node: &ast::Expr) -> Res<Option<Var>> {
        match self.eval(node)? {
            Value::None => Ok(None),
            Value::Scalar(scalar) if scalar.dtype.is_handle() && scalar.as_var().is_some() => {
                Ok(scalar.as_var().cloned())
            }
            other => Err(self.wrong_kind(node, "the address of a buffer, such as `A.data`", &other)),
        }
    }

    fn memory_scope(&mut self, node: &ast::Expr) -> Res<Scope> {
        let name = self.string(node)?;
        Scope::named(&name).ok_or_else(|| {
            let names = Scope::ALL.each_ref().map(Scope::name);
            let message = format!("unknown scope \"{name}\": expected one of {}, or one with a tag", names.join(", "));
            self.unknown(codes::UNKNOWN_NAME, node, message, &name, names)
        })
    }
}
