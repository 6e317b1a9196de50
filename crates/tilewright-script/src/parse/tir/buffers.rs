//! Declarations of buffers.

use ruff_python_ast as ast;
use tilewright_expr::semantics::Scalar;
use tilewright_ir::relax::Constant;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Scope, Var};
use tilewright_support::{Diagnostic, with_stack};
use tilewright_tensor::{DataType, Tensor};

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// The parameters of every declaration of a buffer after its own arguments.
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
        self.buffer_over(call, name, matched, None)
    }

    /// The same, where a call without a shape means a buffer of these extents.
    pub(super) fn buffer_over(
        &mut self,
        call: &ast::ExprCall,
        name: &str,
        matched: bool,
        extents: Option<Vec<Expr>>,
    ) -> Res<Buffer> {
        let bound = if matched {
            const PARAMS: [&str; 11] = [
                "param", DETAILS[0], DETAILS[1], DETAILS[2], DETAILS[3], DETAILS[4], DETAILS[5], DETAILS[6],
                DETAILS[7], DETAILS[8], DETAILS[9],
            ];
            self.bind(call, &PARAMS, 1)?.split_off(1)
        } else {
            self.bind(call, &DETAILS, 1)?
        };
        let buffer = match (bound[0].filter(|shape| !shape.is_none_literal_expr()), extents) {
            (None, Some(extents)) => {
                let dtype = bound[1].map_or(Ok(DataType::F32), |dtype| self.dtype(dtype))?;
                Buffer::new(name, extents, dtype)
            }
            _ if bound[0].is_none() => {
                let message = format!("`{}` needs the argument `shape`", self.text_of(&*call.func));
                return Err(self.fail(codes::ARGUMENTS, call, message, ""));
            }
            _ => self.buffer_of(name, bound[0], bound[1])?,
        };
        let data = bound[2].map(|data| self.address(data)).transpose()?.flatten();
        let strides = match bound[3] {
            Some(strides) => self.strides(strides, &buffer)?,
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
        let offset_factor = bound[7].map_or(Ok(0), |factor| self.integer(factor))?;
        let Ok(offset_factor) = usize::try_from(offset_factor.max(0)) else { return Err(Reported) };
        let broadcasts = bound[8].map_or(Ok(false), |kind| self.buffer_type(kind))?;
        let axis_separators = bound[9].map_or(Ok(Vec::new()), |list| self.axis_separators(list, buffer.rank()))?;
        Ok(buffer.derive(|node| {
            if let Some(data) = data {
                node.data = data;
            }
            node.strides = strides;
            node.elem_offset = elem_offset;
            node.scope = scope;
            node.align = align;
            node.offset_factor = offset_factor;
            node.broadcasts = broadcasts;
            node.axis_separators = axis_separators;
        }))
    }

    /// `buffer_type="auto"`: whether dimensions of extent 1 are repeated.
    fn buffer_type(&mut self, node: &ast::Expr) -> Res<bool> {
        match self.eval(node)? {
            Value::None => Ok(false),
            Value::Str(text) if text.is_empty() || &*text == "default" => Ok(false),
            Value::Str(text) if &*text == "auto" || &*text == "auto_broadcast" => Ok(true),
            other => Err(self.wrong_kind(node, "\"default\" or \"auto\"", &other)),
        }
    }

    /// Numbers of dimensions, ascending, each inside of the shape.
    fn axis_separators(&mut self, node: &ast::Expr, rank: usize) -> Res<Vec<usize>> {
        let value = self.eval(node)?;
        if matches!(value, Value::None) {
            return Ok(Vec::new());
        }
        let numbers = value.to_attr().and_then(|attr| attr.as_ints());
        let numbers = numbers.and_then(|n| n.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>().ok());
        match numbers {
            Some(numbers) if numbers.is_sorted() && numbers.iter().all(|&n| n <= rank) => Ok(numbers),
            _ => Err(self.wrong_kind(node, "ascending numbers of dimensions", &value)),
        }
    }

    /// `T.allocate([16, 4], "float32", "global")`: memory, as a buffer of that shape.
    pub(super) fn allocate(&mut self, name: &str, call: &ast::ExprCall) -> Res<Buffer> {
        let bound = self.bind(call, &["extents", "dtype", "scope", "condition", "annotations"], 2)?;
        let dtype = bound[1].map(|node| self.dtype(node)).transpose()?.unwrap_or(DataType::F32);
        let shape_node = bound[0].ok_or(Reported)?;
        let Some(mut shape) = self.extents(shape_node)? else {
            return Err(self.fail(codes::KIND, shape_node, "an allocation needs extents", ""));
        };
        // Memory of vectors is memory of their elements.
        if dtype.is_vector() {
            let lanes = Expr::int(i64::from(dtype.lanes), shape.last().map_or(DataType::I32, |extent| extent.dtype));
            match shape.last_mut() {
                Some(last) => *last = self.infer.analyzer.simplify(&(&*last * &lanes)),
                None => shape.push(lanes),
            }
        }
        let scope = bound[2].map_or(Ok(Scope::Global), |scope| self.memory_scope(scope))?;
        if let Some(condition) = bound[3]
            && !self.always(condition)?
        {
            return Err(self.fail(codes::NOT_YET, condition, "memory is allocated without a condition", ""));
        }
        Ok(Buffer::new(name, shape, dtype.element()).derive(|node| node.scope = scope))
    }

    /// Whether a condition is true whatever happens.
    fn always(&mut self, condition: &ast::Expr) -> Res<bool> {
        Ok(match self.eval(condition)? {
            Value::Bool(value) => value,
            Value::None | Value::Int(1) => true,
            Value::Scalar(scalar) => scalar.as_int() == Some(1),
            _ => false,
        })
    }

    /// `T.allocate_const([1, 2, 3], "int32", [3])`: memory with constant contents.
    pub(super) fn allocate_const(&mut self, name: &str, call: &ast::ExprCall) -> Res<(Buffer, Constant)> {
        let bound = self.bind(call, &["data", "dtype", "extents", "annotations"], 3)?;
        let (Some(data), Some(extents)) = (bound[0], bound[2]) else { return Err(Reported) };
        let dtype = self.dtype_argument(bound[1])?;
        let buffer = self.buffer_of(name, Some(extents), bound[1])?;
        let Some(shape) = buffer.constant_shape() else {
            return Err(self.fail(codes::KIND, extents, "constant memory needs constant extents", ""));
        };
        let mut bytes = Vec::new();
        match self.eval(data)? {
            Value::Tuple(items) => {
                for item in items {
                    self.constant_bytes(data, &item, dtype, &mut bytes)?;
                }
            }
            other => return Err(self.wrong_kind(data, "a list of numbers", &other)),
        }
        match Tensor::from_bytes(dtype, &shape, &bytes) {
            Ok(tensor) => Ok((buffer, Constant(tensor))),
            Err(error) => Err(self.fail(codes::INDICES, data, error.to_string(), "")),
        }
    }

    /// The bytes of the numbers in nested lists, in order.
    fn constant_bytes(&mut self, node: &ast::Expr, item: &Value, dtype: DataType, bytes: &mut Vec<u8>) -> Res<()> {
        if let Value::Tuple(items) = item {
            return with_stack(|| items.iter().try_for_each(|item| self.constant_bytes(node, item, dtype, bytes)));
        }
        let scalar = self.scalar_value(node, item.clone(), Some(dtype))?;
        let scalar = match scalar.kind {
            ExprKind::Int(value) => Scalar::from_int(value, dtype),
            ExprKind::Float(value) => Scalar::from_float(value.0, dtype),
            _ => return Err(self.wrong_kind(node, "a list of numbers", item)),
        };
        bytes.extend(scalar.bits().to_le_bytes().into_iter().take(dtype.element_bytes()));
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

    /// Strides are extents, or the names of new variables, which have the type of the shape's: `strides=["s", 1]`.
    fn strides(&mut self, node: &ast::Expr, buffer: &Buffer) -> Res<Vec<Expr>> {
        let value = self.eval(node)?;
        let dtype = buffer.shape.first().map_or(DataType::I32, |extent| extent.dtype);
        let named = |item| match item {
            Value::Str(name) if is_name(&name) => Value::Scalar(Expr::var(&Var::new(name, dtype))),
            other => other,
        };
        let value = match value {
            Value::Tuple(items) => Value::Tuple(items.into_iter().map(named).collect()),
            other => other,
        };
        Ok(self.extents_of(node, value)?.unwrap_or_default())
    }

    /// Extents from a tuple, a list or a single integer; `None` for `None`.
    fn extents(&mut self, node: &ast::Expr) -> Res<Option<Vec<Expr>>> {
        let value = self.eval(node)?;
        self.extents_of(node, value)
    }

    fn extents_of(&mut self, node: &ast::Expr, value: Value) -> Res<Option<Vec<Expr>>> {
        let items = match value {
            Value::Tuple(items) => items,
            Value::None => return Ok(None),
            one => vec![one],
        };
        let mut extents = Vec::new();
        for item in items {
            let extent = match item {
                Value::Scalar(_) | Value::Int(_) => self.scalar_value(node, item, None)?,
                Value::Str(name) if is_name(&name) && name.parse::<DataType>().is_err() => {
                    let (int, matched) = (self.spell("script.tir.int64"), self.spell("script.tir.match_buffer"));
                    let message = format!("expected integers as the extents, found the text \"{name}\"");
                    let help = format!(
                        "name the dimension in the body: `{name} = {int}()`, and `{matched}` of a handle with it"
                    );
                    return Err(self.report(Diagnostic::error(codes::KIND, message).at(self.span(node)).help(help)));
                }
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
            Value::Buffer(buffer) => Ok(Some(buffer.data.clone())),
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

/// Whether a text can be the name of a variable.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_numeric())
}
