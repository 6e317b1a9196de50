//! Struct infos, and the symbolic dimensions in them.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_text_size::Ranged;
use tilewright_expr as scalar;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, TensorShape};
use tilewright_support::{Diagnostic, NearSet};
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Res};
use crate::parse::nesting::too_deep;
use crate::parse::value::{Value, describe_info};

impl Parser<'_> {
    /// The struct info that an annotation says.
    pub(in crate::parse) fn info(&mut self, node: &ast::Expr) -> Res<StructInfo> {
        let spread = self.unstarred(node)?;
        let value = self.eval(spread.as_ref().unwrap_or(node))?;
        self.info_value(node, value)
    }

    pub(super) fn info_value(&mut self, node: &ast::Expr, value: Value) -> Res<StructInfo> {
        match value {
            Value::Info(info) => Ok(info),
            Value::None => Ok(StructInfo::Tuple(Vec::new())),
            Value::Buffer(_) => {
                let tensor = self.spell("script.relax.Tensor");
                let message = format!("expected a struct info such as `{tensor}(…)`, found the type of a buffer");
                let help = format!("functions of buffers are decorated with `@{}`", self.spell("script.tir.prim_func"));
                Err(self.report(Diagnostic::error(codes::KIND, message).at(self.span(node)).help(help)))
            }
            other => {
                let expected = format!("a struct info such as `{}(…)`", self.spell("script.relax.Tensor"));
                Err(self.wrong_kind(node, &expected, &other))
            }
        }
    }

    /// A name of `R` that is not called.
    pub(in crate::parse) fn relax_name(&mut self, expr: &ast::Expr, name: &str) -> Res<Value> {
        Ok(Value::Info(match name {
            "Object" => StructInfo::Object,
            "Tensor" => StructInfo::tensor_with(TensorShape::Unknown, None),
            "Shape" => StructInfo::Shape(TensorShape::Unknown),
            "Tuple" => StructInfo::Tuple(Vec::new()),
            "Callable" => StructInfo::Func { params: None, ret: Box::new(StructInfo::Object), pure: false },
            _ => return Err(self.unknown_relax(expr, name)),
        }))
    }

    /// A struct info with arguments; `None` if the name is of none.
    pub(super) fn info_call(&mut self, name: &str, call: &ast::ExprCall) -> Res<Option<StructInfo>> {
        let info = self.info_arguments(name, call)?;
        info.map(|info| self.bounded(call, &info).map(|()| info)).transpose()
    }

    /// Struct infos are plain data, copied into every expression: a text must not make them deep, nor larger than
    /// itself.
    pub(super) fn bounded(&mut self, node: &impl Ranged, info: &StructInfo) -> Res<()> {
        let max_parts = MAX_PARTS.max(node.range().len().to_usize() / SHORTEST_PART);
        if fits(info, MAX_DEPTH, &mut max_parts.clone()) {
            return Ok(());
        }
        let message = format!("a tuple of more than {MAX_DEPTH} levels or {max_parts} parts");
        Err(self.fail(codes::NESTING, node, message, ""))
    }

    fn info_arguments(&mut self, name: &str, call: &ast::ExprCall) -> Res<Option<StructInfo>> {
        Ok(Some(match name {
            "Object" => {
                self.bind(call, &[], 0)?;
                StructInfo::Object
            }
            "Tensor" => self.tensor_info(call)?,
            "Shape" => {
                let bound = self.bind(call, &["values", "ndim"], 0)?;
                StructInfo::Shape(self.tensor_shape(bound[0], bound[1])?)
            }
            "Prim" => self.prim_info(call)?,
            "Tuple" => StructInfo::Tuple(self.tuple_fields(call)?),
            "Callable" => self.callable_info(call)?,
            _ => return Ok(None),
        }))
    }

    fn tensor_info(&mut self, call: &ast::ExprCall) -> Res<StructInfo> {
        let mut bound = self.bind(call, &["shape", "dtype", "vdevice", "ndim"], 0)?;
        if bound[1].is_none() && matches!(bound[0], Some(ast::Expr::StringLiteral(_))) {
            bound.swap(0, 1);
        }
        let vdevice = bound[2].map_or(Ok(None), |node| self.device_argument(node));
        let shape = self.tensor_shape(bound[0], bound[3]);
        let dtype = match bound[1] {
            Some(node) if !node.is_none_literal_expr() => Some(self.dtype(node)?).filter(|dtype| !dtype.is_void()),
            _ => None,
        };
        if let (Some(dtype), Some(node)) = (dtype, bound[1])
            && (dtype.is_handle() || dtype.is_vector())
        {
            return Err(self.fail(codes::DTYPE, node, format!("a tensor cannot hold elements of type {dtype}"), ""));
        }
        Ok(StructInfo::Tensor { shape: shape?, dtype, vdevice: vdevice? })
    }

    fn tensor_shape(&mut self, shape: Option<&ast::Expr>, ndim: Option<&ast::Expr>) -> Res<TensorShape> {
        let dims = shape.map_or(Ok(None), |shape| self.dims(shape))?;
        let rank = match ndim {
            Some(node) => match self.integer(node)? {
                -1 => None,
                rank => match usize::try_from(rank) {
                    Ok(rank) => Some((rank, node)),
                    Err(_) => {
                        return Err(self.fail(codes::RANGE, node, format!("{rank} dimensions are not possible"), ""));
                    }
                },
            },
            None => None,
        };
        match (dims, rank) {
            (Some(dims), Some((rank, node))) if dims.len() != rank => {
                let message = format!("a shape of {} dimensions with ndim={rank}", dims.len());
                Err(self.fail(codes::STRUCT_INFO, node, message, ""))
            }
            (Some(dims), _) => Ok(TensorShape::Known(dims)),
            (None, Some((rank, _))) => Ok(TensorShape::Rank(rank)),
            (None, None) => Ok(TensorShape::Unknown),
        }
    }

    fn prim_info(&mut self, call: &ast::ExprCall) -> Res<StructInfo> {
        let bound = self.bind(call, &["dtype", "value"], 0)?;
        let dtype = bound[0].map(|node| self.dtype(node)).transpose()?;
        let value = match bound[1] {
            Some(node) => {
                let value = match node {
                    ast::Expr::StringLiteral(text) => self.text_value(node, text)?,
                    _ => self.eval(node)?,
                };
                let hint = dtype.or(matches!(value, Value::Int(_)).then_some(DataType::I64));
                Some(self.scalar_value(node, value, hint)?)
            }
            None => None,
        };
        match (dtype, value) {
            (Some(dtype), Some(value)) if value.dtype != dtype => {
                let message = format!("a value of type {} in a scalar of type {dtype}", value.dtype);
                Err(self.fail(codes::DTYPE, call, message, ""))
            }
            (None, Some(value)) => Ok(StructInfo::Prim { dtype: value.dtype, value: Some(value) }),
            (Some(dtype), value) => Ok(StructInfo::Prim { dtype, value }),
            (None, None) => Err(self.fail(codes::ARGUMENTS, call, "a scalar needs a data type or a value", "")),
        }
    }

    fn tuple_fields(&mut self, call: &ast::ExprCall) -> Res<Vec<StructInfo>> {
        if let Some(keyword) = call.arguments.keywords.first() {
            return Err(self.fail(codes::ARGUMENTS, keyword, "a tuple takes its fields only", ""));
        }
        let fields: &[ast::Expr] = match &*call.arguments.args {
            [ast::Expr::List(list)] => &list.elts,
            [ast::Expr::Tuple(tuple)] => &tuple.elts,
            fields => fields,
        };
        let fields: Vec<_> = fields.iter().map(|field| self.info(field)).collect();
        fields.into_iter().collect()
    }

    fn callable_info(&mut self, call: &ast::ExprCall) -> Res<StructInfo> {
        let bound = self.bind(call, &["params", "ret", "purity|pure", "derive_func"], 0)?;
        if let Some(derive) = bound[3].filter(|node| !node.is_none_literal_expr()) {
            return Err(self.fail(codes::NOT_YET, derive, "derived results are not read by this version", ""));
        }
        // The dimensions of the parameters are the callee's own.
        let before = std::mem::replace(&mut self.graph.defining, true);
        let params = match bound[0] {
            Some(ast::Expr::Tuple(tuple)) => {
                let params: Vec<_> = tuple.elts.iter().map(|param| self.info(param)).collect();
                params.into_iter().collect::<Res<Vec<_>>>().map(Some)
            }
            Some(ast::Expr::List(list)) => {
                let params: Vec<_> = list.elts.iter().map(|param| self.info(param)).collect();
                params.into_iter().collect::<Res<Vec<_>>>().map(Some)
            }
            Some(ast::Expr::NoneLiteral(_)) | None => Ok(None),
            Some(one) => self.info(one).map(|info| Some(vec![info])),
        };
        self.graph.defining = before;
        let ret = bound[1].map_or(Ok(StructInfo::Object), |node| self.info(node))?;
        let pure = match bound[2] {
            Some(node) => match self.eval(node)? {
                Value::Bool(pure) => pure,
                other => return Err(self.wrong_kind(node, "True or False", &other)),
            },
            None => bound[0].is_some(),
        };
        Ok(StructInfo::Func { params: params?, ret: Box::new(ret), pure })
    }

    /// The dimensions of a shape; `None` for `None`.
    pub(super) fn dims(&mut self, node: &ast::Expr) -> Res<Option<Vec<scalar::Expr>>> {
        let elts = match node {
            ast::Expr::Tuple(tuple) => &tuple.elts,
            ast::Expr::List(list) => &list.elts,
            other => {
                let value = self.eval(other)?;
                return self.dims_of(other, value);
            }
        };
        let dims: Vec<_> = elts.iter().map(|elt| self.dim(elt)).collect();
        dims.into_iter().collect::<Res<_>>().map(Some)
    }

    pub(super) fn dims_of(&mut self, node: &ast::Expr, value: Value) -> Res<Option<Vec<scalar::Expr>>> {
        match value {
            Value::None => Ok(None),
            Value::Tuple(items) => {
                items.into_iter().map(|item| self.dim_of(node, item)).collect::<Res<Vec<_>>>().map(Some)
            }
            Value::Graph(expr) => match (&expr.kind, expr.struct_info.dims()) {
                (ExprKind::Shape(dims), _) => Ok(Some(dims.clone())),
                (_, Some(dims)) if matches!(expr.struct_info, StructInfo::Shape(_)) => Ok(Some(dims.to_vec())),
                _ => {
                    let found = Value::Graph(expr.clone());
                    Err(self.wrong_kind(node, "a shape", &found))
                }
            },
            other => Err(self.wrong_kind(node, "a shape", &other)),
        }
    }

    /// One dimension: an integer, or a text with symbolic names.
    fn dim(&mut self, node: &ast::Expr) -> Res<scalar::Expr> {
        match node {
            ast::Expr::StringLiteral(text) => self.dim_text(node, text),
            other => {
                let value = self.eval(other)?;
                self.dim_of(other, value)
            }
        }
    }

    fn dim_of(&mut self, node: &ast::Expr, value: Value) -> Res<scalar::Expr> {
        let dim = self.wished_dim(node, value)?;
        match dim.as_int() {
            Some(size) if size < 0 => Err(self.fail(codes::RANGE, node, format!("a dimension cannot be {size}"), "")),
            _ => Ok(dim),
        }
    }

    /// A dimension of a wished shape, which may be -1.
    pub(super) fn wished_dim(&mut self, node: &ast::Expr, value: Value) -> Res<scalar::Expr> {
        let prim = match &value {
            Value::Graph(expr) => match &expr.kind {
                ExprKind::Prim(value) => Some(value.clone()),
                _ => None,
            },
            _ => None,
        };
        let dim = match (&value, prim) {
            (_, Some(prim)) => prim,
            (Value::Int(_) | Value::Scalar(_), _) => self.scalar_value(node, value, Some(DataType::I64))?,
            _ => return Err(self.wrong_kind(node, "an integer as a dimension", &value)),
        };
        if !dim.dtype.is_int() || !dim.dtype.is_scalar() {
            return Err(self.fail(codes::DTYPE, node, format!("a dimension is an integer, found {}", dim.dtype), ""));
        }
        let dim = dim.cast(DataType::I64);
        self.checked(node, dim)
    }

    /// A dimension from a text such as `"n + 1"`.
    fn dim_text(&mut self, node: &ast::Expr, literal: &ast::ExprStringLiteral) -> Res<scalar::Expr> {
        let value = self.text_value(node, literal)?;
        self.dim_of(node, value)
    }

    /// A scalar from a text, whose names are dimensions.
    fn text_value(&mut self, node: &ast::Expr, literal: &ast::ExprStringLiteral) -> Res<Value> {
        let text = literal.value.to_str();
        let ([part], None) = (literal.value.as_slice(), too_deep(text)) else {
            return Err(self.fail(codes::FORM, node, "a dimension is one short text", ""));
        };
        let parsed = match ruff_python_parser::parse_string_annotation(self.text, part) {
            Ok(parsed) => parsed,
            Err(error) => {
                let message =
                    format!("{text:?} is no dimension: {}", crate::parse::file::lower_case(&error.error.to_string()));
                return Err(self.fail(codes::SYNTAX, node, message, ""));
            }
        };
        let mut found = DimNames::default();
        found.visit_expr(&parsed.syntax().body);
        let dims: Vec<_> = found.0.iter().map(|name| self.dim_variable(node, name)).collect::<Res<_>>()?;
        self.scoped(|parser| {
            for (name, dim) in found.0.iter().zip(dims) {
                parser.scopes.define(name, Value::Scalar(dim));
            }
            parser.eval(&parsed.syntax().body)
        })
    }

    /// The variable of a name in a dimension's text.
    fn dim_variable(&mut self, node: &ast::Expr, name: &str) -> Res<scalar::Expr> {
        if let Some(var) = self.graph.dims.get(name) {
            return Ok(scalar::Expr::var(var));
        }
        match self.scopes.get(name) {
            Some(Value::Scalar(scalar)) => return Ok(scalar.clone()),
            Some(Value::Int(number)) => {
                let number = *number;
                return self.constant_of(node, number, DataType::I64);
            }
            _ => {}
        }
        if self.graph.defining {
            let size = self.graph.sizes.contains(name);
            let var = if size { scalar::Var::size(name, DataType::I64) } else { scalar::Var::new(name, DataType::I64) };
            self.graph.dims.insert(var.name.clone(), var.clone());
            return Ok(scalar::Expr::var(&var));
        }
        let known: Vec<Arc<str>> = self.graph.dims.keys().cloned().collect();
        let message = format!("unknown symbolic dimension `{name}`: no parameter defines it");
        Err(self.unknown(codes::UNKNOWN_NAME, node, message, name, known.iter().map(|known| &**known)))
    }

    /// Why `found` is not of the info `annotation`, if it is not: other, or not known to be.
    pub(super) fn mismatch(&self, annotation: &StructInfo, found: &StructInfo) -> Option<String> {
        self.compare(annotation, found, true)
    }

    /// Why `found` can never be of the info `wanted`.
    pub(super) fn contradiction(&self, wanted: &StructInfo, found: &StructInfo) -> Option<String> {
        self.compare(wanted, found, false)
    }

    /// With `known`, what is not known of `found` is a difference, too.
    fn compare(&self, wanted: &StructInfo, found: &StructInfo, known: bool) -> Option<String> {
        match (wanted, found) {
            (StructInfo::Object, _) => None,
            (_, StructInfo::Object) if !known => None,
            (
                StructInfo::Tensor { shape: a, dtype: x, vdevice: on },
                StructInfo::Tensor { shape: b, dtype: y, vdevice: found_on },
            ) => {
                match (on, found_on) {
                    (Some(on), Some(found_on)) if on != found_on => {
                        return Some(format!("expected it on {on}, found it on {found_on}"));
                    }
                    (Some(on), None) if known => {
                        return Some(format!("expected it on {on}, its device is not known here"));
                    }
                    _ => {}
                }
                match (x, y) {
                    (Some(x), Some(y)) if x != y => return Some(format!("expected {x}, found {y}")),
                    (Some(x), None) if known => return Some(format!("expected {x}, the data type is not known here")),
                    _ => {}
                }
                self.compare_shapes(a, b, known)
            }
            (StructInfo::Shape(a), StructInfo::Shape(b)) => self.compare_shapes(a, b, known),
            (StructInfo::Prim { dtype: x, value: a }, StructInfo::Prim { dtype: y, value: b }) => {
                if x != y {
                    return Some(format!("expected {x}, found {y}"));
                }
                match (a, b) {
                    (Some(a), Some(b)) if self.infer.analyzer.prove_different(a, b) => Some("another value".into()),
                    (Some(_), None) if known => Some("the value is not known here".into()),
                    _ => None,
                }
            }
            (StructInfo::Tuple(a), StructInfo::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).find_map(|(a, b)| self.compare(a, b, known))
            }
            (StructInfo::Func { .. }, StructInfo::Func { .. }) => None,
            (wanted, found) => Some(format!("expected {}, found {}", describe_info(wanted), describe_info(found))),
        }
    }

    fn compare_shapes(&self, wanted: &TensorShape, found: &TensorShape, known: bool) -> Option<String> {
        let rank = |shape: &TensorShape| match shape {
            TensorShape::Known(dims) => Some(dims.len()),
            TensorShape::Rank(rank) => Some(*rank),
            TensorShape::Unknown => None,
        };
        match (rank(wanted), rank(found)) {
            (Some(a), Some(b)) if a != b => return Some(format!("expected {a} dimensions, found {b}")),
            (Some(a), None) if known => {
                return Some(format!("expected {a} dimensions, their number is not known here"));
            }
            _ => {}
        }
        match (wanted, found) {
            (TensorShape::Known(a), TensorShape::Known(b)) => a.iter().zip(b).enumerate().find_map(|(axis, (a, b))| {
                let text = crate::parse::dims::text;
                let differs = self.infer.analyzer.prove_different(a, b);
                differs.then(|| format!("expected {} in dimension {axis}, found {}", text(a), text(b)))
            }),
            (TensorShape::Known(_), _) if known => Some("the dimensions are not known here".into()),
            _ => None,
        }
    }

    /// Arguments of a call that are given as a tuple or list; a single one is a tuple of one.
    pub(super) fn argument_list(&mut self, node: &ast::Expr) -> Res<Vec<Expr>> {
        let items = match self.eval(node)? {
            Value::Tuple(items) => items,
            Value::Graph(expr) => match &expr.kind {
                ExprKind::Tuple(fields) => fields.iter().cloned().map(Value::Graph).collect(),
                _ => match &expr.struct_info {
                    // A value that is a tuple provides its fields.
                    StructInfo::Tuple(fields) => {
                        let tuple = self.leaf(node, expr.clone())?;
                        let fields = (0..fields.len()).map(|index| Expr::tuple_get(tuple.clone(), index));
                        let fields: Vec<_> = fields.collect::<Vec<_>>();
                        fields
                            .into_iter()
                            .map(|field| self.inferred(node, &[], field).map(Value::Graph))
                            .collect::<Res<_>>()?
                    }
                    _ => vec![Value::Graph(expr.clone())],
                },
            },
            one => vec![one],
        };
        let mut args = Vec::new();
        for item in items {
            let arg = self.graph_value(node, item)?;
            args.push(self.leaf(node, arg)?);
        }
        Ok(args)
    }

    /// The struct infos of results: one, or several in a list or tuple.
    pub(super) fn infos(&mut self, node: &ast::Expr) -> Res<Vec<StructInfo>> {
        match node {
            ast::Expr::List(list) => list.elts.iter().map(|elt| self.info(elt)).collect(),
            ast::Expr::Tuple(tuple) => tuple.elts.iter().map(|elt| self.info(elt)).collect(),
            one => Ok(vec![self.info(one)?]),
        }
    }
}

/// How deep tuples and functions may be nested in a struct info, and how many parts it may have that are not written
/// out.
const MAX_DEPTH: usize = 64;
const MAX_PARTS: usize = 4096;
/// The length of `R.Shape,`.
const SHORTEST_PART: usize = 8;

/// Whether the info has at most `depth` levels and no more parts than are left.
fn fits(info: &StructInfo, depth: usize, left: &mut usize) -> bool {
    let (Some(depth), Some(rest)) = (depth.checked_sub(1), left.checked_sub(1)) else { return false };
    *left = rest;
    match info {
        StructInfo::Tuple(fields) => fields.iter().all(|field| fits(field, depth, left)),
        StructInfo::Func { params, ret, .. } => {
            params.iter().flatten().all(|param| fits(param, depth, left)) && fits(ret, depth, left)
        }
        _ => true,
    }
}

/// The dimensions that an info defines: the bare variables.
pub(super) fn defined(info: &StructInfo, found: &mut NearSet<scalar::Var>) {
    match info {
        StructInfo::Tensor { .. } | StructInfo::Shape(_) => {
            found.extend(info.dims().unwrap_or_default().iter().filter_map(|dim| dim.as_var().cloned()));
        }
        StructInfo::Prim { value, .. } => found.extend(value.iter().filter_map(|value| value.as_var().cloned())),
        StructInfo::Tuple(fields) => fields.iter().for_each(|field| defined(field, found)),
        StructInfo::Func { params, .. } => params.iter().flatten().for_each(|param| defined(param, found)),
        StructInfo::Object => {}
    }
}

/// The info as it is visible where these dimensions are not.
pub(super) fn without(info: &StructInfo, dims: &NearSet<scalar::Var>) -> StructInfo {
    let hidden = |expr: &scalar::Expr| {
        let mut found = expr.as_var().is_some_and(|var| dims.contains(var));
        tilewright_ir::node::walk(expr, |var: &scalar::Var| found |= dims.contains(var));
        found
    };
    let shape = |shape: &TensorShape| match shape {
        TensorShape::Known(known) if known.iter().any(hidden) => TensorShape::Rank(known.len()),
        other => other.clone(),
    };
    match info {
        StructInfo::Tensor { shape: known, dtype, vdevice } => {
            StructInfo::Tensor { shape: shape(known), dtype: *dtype, vdevice: vdevice.clone() }
        }
        StructInfo::Shape(known) => StructInfo::Shape(shape(known)),
        StructInfo::Prim { dtype, value } => {
            StructInfo::Prim { dtype: *dtype, value: value.clone().filter(|value| !hidden(value)) }
        }
        StructInfo::Tuple(fields) => StructInfo::Tuple(fields.iter().map(|field| without(field, dims)).collect()),
        StructInfo::Object | StructInfo::Func { .. } => info.clone(),
    }
}

/// The plain names of an expression, in order of first appearance.
#[derive(Default)]
struct DimNames(Vec<String>);

impl<'e> Visitor<'e> for DimNames {
    fn visit_expr(&mut self, expr: &'e ast::Expr) {
        match expr {
            ast::Expr::Name(name) if !self.0.iter().any(|known| *known == name.id.as_str()) => {
                self.0.push(name.id.to_string());
            }
            // The callee is a function of `T`, not a dimension.
            ast::Expr::Call(call) => call.arguments.args.iter().for_each(|arg| self.visit_expr(arg)),
            other => walk_expr(self, other),
        }
    }
}
