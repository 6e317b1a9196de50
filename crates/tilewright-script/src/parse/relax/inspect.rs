//! What a tensor says of itself: `x.struct_info`, `x.astype("float16")`, and at run time `x.dtype.bits`, `x.ndim`,
//! `x.shape[i]`, `x.strides[i]`, `x.byte_offset`, `x.elem_offset`, which are calls of the operators `inspect.…`.

use ruff_python_ast as ast;
use tilewright_ir::Attr;
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Res};
use crate::parse::value::Value;

/// The parts of a data type.
const PARTS: [(&str, &str); 3] = [
    ("type_code", "inspect.tensor_dtype_code"),
    ("bits", "inspect.tensor_dtype_bits"),
    ("lanes", "inspect.tensor_dtype_lanes"),
];

impl Parser<'_> {
    /// An attribute of a value of the graph; `None` if it has no such one.
    pub(in crate::parse) fn tensor_field(&mut self, expr: &ast::Expr, value: &Value, name: &str) -> Res<Option<Value>> {
        let tensor = match value {
            Value::TensorField(tensor, "dtype") => {
                let Some((_, op)) = PARTS.iter().find(|(part, _)| *part == name) else { return Ok(None) };
                return self.inspected(expr, tensor.clone(), op, None).map(Some);
            }
            Value::Graph(tensor) => tensor,
            _ => return Ok(None),
        };
        if name == "struct_info" {
            return Ok(Some(Value::Info(tensor.struct_info.clone())));
        }
        if !matches!(tensor.struct_info, StructInfo::Tensor { .. }) {
            return Ok(None);
        }
        Ok(Some(match name {
            "dtype" => Value::TensorField(tensor.clone(), "dtype"),
            "shape" => Value::TensorField(tensor.clone(), "shape"),
            "strides" => Value::TensorField(tensor.clone(), "strides"),
            "ndim" => self.inspected(expr, tensor.clone(), "inspect.tensor_ndim", None)?,
            "byte_offset" => self.inspected(expr, tensor.clone(), "inspect.tensor_byte_offset", None)?,
            "elem_offset" => self.inspected(expr, tensor.clone(), "inspect.tensor_elem_offset", None)?,
            _ => return Ok(None),
        }))
    }

    /// `x.shape[i]`, `x.strides[i]`.
    pub(in crate::parse) fn tensor_size(
        &mut self,
        expr: &ast::Expr,
        tensor: Expr,
        field: &str,
        index: &ast::Expr,
    ) -> Res<Value> {
        let op = match field {
            "shape" => "inspect.tensor_shape_i",
            "strides" => "inspect.tensor_stride_i",
            _ => return Err(self.fail(codes::KIND, expr, format!("the {field} of a tensor has no items"), "")),
        };
        let index = self.graph_expr(index)?;
        let index = self.leaf(expr, index)?;
        self.inspected(expr, tensor, op, Some(index))
    }

    fn inspected(&mut self, expr: &ast::Expr, tensor: Expr, op: &str, index: Option<Expr>) -> Res<Value> {
        let tensor = self.leaf(expr, tensor)?;
        let Some(op) = tilewright_ops::lookup(op) else {
            return Err(self.fail(codes::UNKNOWN_FUNCTION, expr, format!("there is no operator `{op}`"), ""));
        };
        let args = [tensor].into_iter().chain(index).collect();
        let result = Expr::call_op(&self.infer, op, args, Default::default());
        self.inferred(expr, &[], result).map(Value::Graph)
    }

    /// `x.astype("float16")`.
    pub(in crate::parse) fn astype(
        &mut self,
        expr: &ast::Expr,
        node: &ast::Expr,
        tensor: Expr,
        dtype: DataType,
    ) -> Res<Value> {
        let tensor = self.leaf(node, tensor)?;
        let Some(op) = tilewright_ops::lookup("astype") else {
            return Err(self.fail(codes::UNKNOWN_FUNCTION, expr, "there is no operator `astype`", ""));
        };
        let attrs = [("dtype".into(), Attr::DType(dtype))].into_iter().collect();
        let result = Expr::call_op(&self.infer, op, vec![tensor], attrs);
        self.inferred(expr, &[node], result).map(Value::Graph)
    }
}
