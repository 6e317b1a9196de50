//! Random graph functions.

use tilewright_expr::{Buffer, Expr as Scalar, Var as ScalarVar};
use tilewright_ir::calls::TirCall;
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Expr, Function, GlobalVar, SeqExpr, StructInfo, TensorShape, Var,
};
use tilewright_ir::tir::{Param, PrimFunc, Stmt, attr_names};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use super::Generator;

/// The functions that a module calls.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    /// A PrimFunc of two tensors of one shape, which writes the second.
    copy: GlobalVar,
    /// The same with a scalar after them.
    scaled: GlobalVar,
    /// A graph function of a tensor of two dimensions.
    identity: GlobalVar,
}

impl Callable {
    pub(super) fn add_to(module: &mut IRModule) -> Self {
        let tensor =
            |n: &ScalarVar, m: &ScalarVar, name| Buffer::new(name, vec![Scalar::var(n), Scalar::var(m)], DataType::F32);
        let prim = |name: &str, scalar: bool| {
            let (n, m) = (ScalarVar::new("n", DataType::I64), ScalarVar::new("m", DataType::I64));
            let (x, y) = (tensor(&n, &m, "x"), tensor(&n, &m, "y"));
            let index = vec![Scalar::i64(0), Scalar::i64(0)];
            let value = Scalar::load(&x, index.clone()).unwrap();
            let body = Stmt::store(&y, index, &value).unwrap();
            let mut params = vec![Param::buffer(&x), Param::buffer(&y)];
            if scalar {
                params.push(Param::scalar(&ScalarVar::new("k", DataType::I64)));
            }
            let attrs = [(attr_names::GLOBAL_SYMBOL.into(), Attr::str(name))].into();
            PrimFunc { params, attrs, body, origins: Origins::default() }
        };
        let copy = module.insert("copy", prim("copy", false));
        let scaled = module.insert("scaled", prim("scaled", true));
        let dims = ["n", "m"].map(|name| Scalar::var(&ScalarVar::new(name, DataType::I64))).to_vec();
        let info = StructInfo::tensor(dims, DataType::F32);
        let param = Var::new("x", info.clone());
        let body = SeqExpr { blocks: Vec::new(), result: Expr::var(&param) };
        let identity = Function {
            params: vec![param],
            body,
            ret: info,
            pure: true,
            attrs: Attrs::new(),
            origins: Origins::default(),
        };
        Self { copy, scaled, identity: module.insert("identity", identity) }
    }
}

/// The values in scope in a graph function.
#[derive(Clone)]
struct Values {
    /// Those of the type that all tensors of the function have.
    tensors: Vec<Expr>,
    condition: Var,
    info: StructInfo,
    /// A symbolic dimension.
    dim: Scalar,
}

impl Generator {
    pub(super) fn function(&mut self, name: &str) -> Function {
        self.impure = false;
        let dim = Scalar::var(&self.dimension());
        let dims = [dim.clone(), Scalar::i64(4), &dim * 2, &dim + 1];
        let info = StructInfo::tensor(vec![dim.clone(), self.pick(&dims)], DataType::F32);
        let mut params: Vec<_> = (0..self.below(3) + 1).map(|_| Var::new(self.name(), info.clone())).collect();
        let condition = Var::new("c", StructInfo::tensor_of(&[], DataType::BOOL));
        let tensors = params.iter().map(Expr::var).collect();
        params.push(condition.clone());
        for _ in 0..self.below(3) {
            let info = self.struct_info(&dim, 2);
            params.push(Var::new(self.name(), info));
        }
        let mut values = Values { tensors, condition, info, dim };
        let mut blocks: Vec<BindingBlock> = Vec::new();
        for _ in 0..self.below(3) + 1 {
            let dataflow = self.chance(2);
            if dataflow || blocks.last().is_none_or(|block| block.dataflow) {
                blocks.push(self.binding_block(&mut values, dataflow, 2));
            }
        }
        let result = if self.chance(3) {
            Expr::tuple((0..self.below(3)).map(|_| self.pick(&values.tensors)).collect())
        } else {
            self.pick(&values.tensors)
        };
        let pure = !self.impure && !self.chance(4);
        let (ret, attrs) = (result.struct_info.clone(), self.symbol(name));
        Function { params, body: SeqExpr { blocks, result }, ret, pure, attrs, origins: Origins::default() }
    }

    /// Any struct info over the symbolic dimension.
    /// A symbolic dimension with a name of its own, sometimes one that is declared as a size.
    fn dimension(&mut self) -> ScalarVar {
        let of = if self.chance(4) { ScalarVar::size } else { ScalarVar::new };
        of(self.name(), DataType::I64)
    }

    fn struct_info(&mut self, dim: &Scalar, depth: usize) -> StructInfo {
        let dtype = self.pick(&[Some(DataType::F16), Some(DataType::I8), Some(DataType::BOOL), None]);
        match self.below(if depth == 0 { 7 } else { 9 }) {
            0 => StructInfo::Object,
            1 => StructInfo::Prim { dtype: self.pick(&[DataType::I64, DataType::F32]), value: None },
            2 => StructInfo::Prim {
                dtype: DataType::I64,
                value: Some(self.pick(&[dim * 3, dim.clone(), Scalar::i64(-1)])),
            },
            3 => StructInfo::Shape(self.shape(dim)),
            4 if !self.devices.is_empty() => {
                let device = self.pick(&self.devices.clone());
                StructInfo::tensor_with(self.shape(dim), dtype).on_device(&device)
            }
            4..=6 => StructInfo::tensor_with(self.shape(dim), dtype),
            7 => StructInfo::Tuple((0..self.below(3)).map(|_| self.struct_info(dim, depth - 1)).collect()),
            _ => {
                let params =
                    self.chance(2).then(|| (0..self.below(3)).map(|_| self.struct_info(dim, depth - 1)).collect());
                let ret = Box::new(self.struct_info(dim, depth - 1));
                StructInfo::Func { params, ret, pure: self.chance(2) }
            }
        }
    }

    fn shape(&mut self, dim: &Scalar) -> TensorShape {
        match self.below(4) {
            0 => TensorShape::Unknown,
            1 => TensorShape::Rank(self.below(3)),
            _ => TensorShape::Known(
                (0..self.below(3)).map(|_| self.pick(&[dim.clone(), Scalar::i64(7), dim + 2])).collect(),
            ),
        }
    }

    fn binding_block(&mut self, values: &mut Values, dataflow: bool, depth: usize) -> BindingBlock {
        let mut inside = values.clone();
        let mut bindings = Vec::new();
        for _ in 0..self.below(3) + 1 {
            let value = self.graph(&mut inside, &mut bindings, dataflow, depth);
            let hidden = dataflow && self.chance(2);
            let is_tensor = value.struct_info.equal(&values.info);
            let value = match is_tensor && value.as_var().is_some() && self.chance(2) {
                true => BindingValue::MatchCast { struct_info: value.struct_info.clone(), value },
                false => BindingValue::Expr(value),
            };
            let var = self.bind(value, hidden, &mut bindings);
            if is_tensor {
                inside.tensors.push(var.clone());
                if !hidden {
                    values.tensors.push(var);
                }
            }
        }
        BindingBlock { dataflow, bindings }
    }

    fn bind(&mut self, value: BindingValue, hidden: bool, bindings: &mut Vec<Binding>) -> Expr {
        let info = match &value {
            BindingValue::Expr(value) => value.struct_info.clone(),
            BindingValue::MatchCast { struct_info, .. } => struct_info.clone(),
        };
        let name = self.name();
        let var = if hidden { Var::dataflow(name, info) } else { Var::new(name, info) };
        bindings.push(Binding { value, var: var.clone(), origins: Origins::default() });
        Expr::var(&var)
    }

    /// A value; what it needs bound first is added to the bindings.
    fn graph(&mut self, values: &mut Values, bindings: &mut Vec<Binding>, dataflow: bool, depth: usize) -> Expr {
        let cx = InferCx::default();
        let op =
            |name: &str, args| Expr::call_op(&cx, tilewright_ops::lookup(name).unwrap(), args, Attrs::new()).unwrap();
        let x = self.pick(&values.tensors);
        match self.below(if dataflow { 14 } else { 20 }) {
            0 => op("nn.relu", vec![x]),
            1 => op("add", vec![x.clone(), x]),
            2 => op("permute_dims", vec![x]),
            3 => Expr::call_dps_packed("env.f", vec![x], vec![values.info.clone(); self.below(2) + 1]).unwrap(),
            4 => self.tuple(values, bindings, dataflow),
            5 => self.constant(),
            6 | 7 => self.call_tir(values),
            8 => {
                let callee = Expr::global(&self.callable().identity);
                Expr::call_value(&cx, callee, vec![x]).unwrap()
            }
            9 => match self.below(4) {
                0 => Expr::shape(vec![values.dim.clone(), Scalar::i64(3), &values.dim * 2]),
                1 => Expr::prim(self.pick(&[
                    Scalar::i64(-2),
                    Scalar::i32(4),
                    Scalar::float(0.5, DataType::F32),
                    &values.dim + 1,
                ])),
                2 => Expr::str(self.pick(&["", "a\"\n"])),
                _ => Expr::dtype_value(DataType::BF16),
            },
            10 => Expr::call_pure_packed("env.p", vec![x], vec![values.info.clone()]),
            11 => Expr::extern_func("env.e"),
            12 => x,
            13 => {
                let wide = StructInfo::tensor_with(TensorShape::Rank(2), Some(DataType::F32));
                let named = self.dimension();
                let cast = StructInfo::tensor(vec![Scalar::var(&named), Scalar::i64(4)], DataType::F32);
                let value = Expr::call_pure_packed("env.w", vec![x], vec![wide]);
                let value = self.bind(BindingValue::Expr(value), false, bindings);
                self.bind(BindingValue::MatchCast { value, struct_info: cast }, false, bindings)
            }
            14 => {
                self.impure = true;
                let infos = vec![values.info.clone(); self.below(3)];
                Expr::call_packed("env.g", vec![x], infos)
            }
            15 => {
                self.impure = true;
                Expr::call_inplace_packed(&cx, "env.i", vec![x], &[Some(0)], vec![values.info.clone()]).unwrap()
            }
            16 => {
                self.impure = true;
                Expr::call_builtin_with_ctx("vm.builtin.b", vec![x], vec![StructInfo::Object])
            }
            17 if depth > 0 => self.closure(values, bindings, depth),
            _ if depth > 0 => {
                let mut branch = || {
                    let mut inner = values.clone();
                    let block = self.binding_block(&mut inner, false, depth - 1);
                    SeqExpr { blocks: vec![block], result: self.pick(&inner.tensors) }
                };
                let (then, otherwise) = (branch(), branch());
                Expr::conditional(Expr::var(&values.condition), then, otherwise).unwrap()
            }
            _ => x,
        }
    }

    fn tuple(&mut self, values: &Values, bindings: &mut Vec<Binding>, dataflow: bool) -> Expr {
        let tuple = Expr::tuple(vec![self.pick(&values.tensors), Expr::str("a"), Expr::prim(Scalar::i64(-2))]);
        if self.chance(2) {
            return tuple;
        }
        let tuple = self.bind(BindingValue::Expr(tuple), dataflow, bindings);
        Expr::tuple_get(tuple, self.below(3)).unwrap()
    }

    fn constant(&mut self) -> Expr {
        Expr::constant(match self.below(6) {
            0 => Tensor::scalar(self.pick(&[0.1f32, -3e30, 0.0, -0.0])),
            1 => Tensor::scalar(self.pick(&[f32::NAN, f32::INFINITY])),
            2 => Tensor::scalar(self.pick(&[i64::MIN, i64::MAX])),
            3 => Tensor::scalar(self.chance(2)),
            4 => Tensor::from_vec::<f64>(&[0, 2], Vec::new()).unwrap(),
            _ => Tensor::from_vec(&[3], vec![1i8, -2, self.below(5) as i8]).unwrap(),
        })
    }

    fn call_tir(&mut self, values: &Values) -> Expr {
        let cx = InferCx::default();
        let (x, out) = (self.pick(&values.tensors), values.info.clone());
        let Callable { copy, scaled, .. } = self.callable();
        match self.below(4) {
            0 => Expr::call_tir(&cx, copy, vec![x], vec![out]).unwrap(),
            1 => {
                let said = TirCall { tir_vars: vec![values.dim.clone()], te_grad: None };
                Expr::call_tir_with(&cx, scaled, vec![x], vec![out], said).unwrap()
            }
            2 => {
                let te_grad = Some(("grad".into(), self.attrs(1)));
                Expr::call_tir_with(&cx, copy, vec![x], vec![out], TirCall { tir_vars: Vec::new(), te_grad }).unwrap()
            }
            _ => {
                // A tensor that is overwritten is read by nothing else.
                let other = self.pick(&values.tensors);
                let args = vec![x.clone(), other];
                let inplace = Expr::call_tir_inplace(&cx, copy.clone(), args, vec![Some(1)], vec![out.clone()]);
                inplace.unwrap_or_else(|_| Expr::call_tir(&cx, copy, vec![x], vec![out]).unwrap())
            }
        }
    }

    /// A function of the function's own tensors, bound to a variable and called.
    fn closure(&mut self, values: &Values, bindings: &mut Vec<Binding>, depth: usize) -> Expr {
        let param = Var::new(self.name(), values.info.clone());
        let mut inner = values.clone();
        inner.tensors.push(Expr::var(&param));
        let outer = std::mem::replace(&mut self.impure, false);
        let block = self.binding_block(&mut inner, false, depth - 1);
        let pure = !self.impure;
        self.impure = outer || !pure;
        let body = SeqExpr { blocks: vec![block], result: self.pick(&inner.tensors) };
        let function = Function {
            params: vec![param],
            ret: body.result.struct_info.clone(),
            body,
            pure,
            attrs: Attrs::new(),
            origins: Origins::default(),
        };
        let value = Expr::raw(function.signature(), tilewright_ir::relax::ExprKind::Function(Box::new(function)));
        let callee = self.bind(BindingValue::Expr(value), false, bindings);
        let x = self.pick(&values.tensors);
        match self.chance(2) {
            true => Expr::call_value(&InferCx::default(), callee, vec![x]).unwrap(),
            false => {
                let infos = vec![values.info.clone()];
                Expr::invoke_closure(&InferCx::default(), callee, vec![x], infos, pure).unwrap()
            }
        }
    }

    fn callable(&self) -> Callable {
        self.callable.clone().unwrap()
    }
}
