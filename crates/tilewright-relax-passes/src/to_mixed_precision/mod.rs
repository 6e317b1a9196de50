//! `ToMixedPrecision`: products of float32 tensors are computed of float16 ones.
//!
//! ```text
//!                                    x1 = astype(x, "float16"); w1 = astype(w, "float16")
//! y = matmul(x, w)            ⇒      y = matmul(x1, w1, out_dtype="float32")
//! z = softmax(y)                     z = softmax(y)
//! ```
//!
//! From any form to any form; dataflow blocks change, also those in branches and closures. What becomes of an operator
//! follows from its declaration ([`OpDef::precision`]): the operands of products and convolutions become narrow, and
//! their sums get `out_dtype`; an operator that follows is narrow where all its float32 operands are, some of them
//! computed so and the others constants that float16 can hold; all other operators, and what leaves a block, are
//! float32 as before.
//!
//! With `fp16_input_names`, parameters of these names are float16 tensors instead of float32 ones. They stay as they
//! are in functions that others of the module name.

use std::sync::Arc;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::analysis::used_global_vars;
use tilewright_ir::op::{AttrDefault, InferCx, OpDef, OpRef, Precision};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_ops::create::astype;
use tilewright_support::{Diagnostic, Map, Origins, Set};
use tilewright_tensor::{DataType, Tensor};

use crate::normalize::normalized;
use crate::sequence::{map_dataflow, map_functions, push_block, with_renewed_references};

/// Computes products of narrow operands.
#[derive(Clone, Debug)]
pub struct ToMixedPrecision {
    /// The type of sums of products: float32 or float16.
    pub out_dtype: DataType,
    /// Parameters that become float16.
    pub fp16_input_names: Vec<String>,
}

impl Default for ToMixedPrecision {
    fn default() -> Self {
        Self { out_dtype: WIDE, fp16_input_names: Vec::new() }
    }
}

const NAME: &str = "ToMixedPrecision";
const WIDE: DataType = DataType::F32;
const NARROW: DataType = DataType::F16;
/// The greatest number of float16.
const MAX_NARROW: f32 = 65504.0;
/// The least positive number that float16 rounds as well as others; smaller ones lose digits, and become 0.
const MIN_NARROW: f32 = 1.0 / 16384.0;

impl ToMixedPrecision {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Products of float32 tensors are computed of float16 ones.",
        params: &[
            ParamDef {
                name: "out_dtype",
                kind: ParamKind::DType,
                default: AttrDefault::DType(WIDE),
                doc: "The type of sums of products, `float32` or `float16`.",
            },
            ParamDef {
                name: "fp16_input_names",
                kind: ParamKind::OptionalStrs,
                default: AttrDefault::None,
                doc: "The names of parameters that become float16 tensors.",
            },
        ],
        make: |args| match args.dtype("out_dtype") {
            Some(out_dtype) if [WIDE, NARROW].contains(&out_dtype) => {
                let fp16_input_names = args.texts("fp16_input_names").unwrap_or_default();
                Ok(Arc::new(Self { out_dtype, fp16_input_names }))
            }
            other => {
                let found = other.map(|dtype| dtype.to_string()).unwrap_or_default();
                Err(format!("argument `out_dtype` of `{NAME}` must be float32 or float16, found {found}"))
            }
        },
    };
}

impl Pass for ToMixedPrecision {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        self.check(&module)?;
        let graphs = module.iter().filter_map(|(name, _)| module.relax(name));
        let named: Set<Arc<str>> = graphs.flat_map(|function| used_global_vars(&**function)).collect();
        let mut names =
            module.iter().filter(|(_, f)| matches!(f, GlobalFunc::Relax(_))).map(|(name, _)| named.contains(name));
        let module = map_functions(NAME, &module, |function, _| {
            let is_named = names.next().unwrap_or(true);
            self.mixed(&normalized(function), if is_named { &[] } else { &self.fp16_input_names })
        })?;
        with_renewed_references(NAME, &module)
    }
}

impl ToMixedPrecision {
    /// Every name is that of a parameter.
    fn check(&self, module: &IRModule) -> Result<(), PassError> {
        let has = |name: &str| {
            let mut graphs = module.iter().filter_map(|(function, _)| module.relax(function));
            graphs.any(|function| function.params.iter().any(|param| *param.name == *name))
        };
        match self.fp16_input_names.iter().find(|name| !has(name)) {
            None => Ok(()),
            Some(name) => {
                let message = format!("no function has a parameter `{name}`");
                Err(PassError::new(NAME, Diagnostic::error("TW0702", message)))
            }
        }
    }

    fn mixed(&self, function: &Function, narrow_params: &[String]) -> Function {
        let mut computed: Map<VarId, Expr> = Map::default();
        let mut given: Vec<(Var, Expr)> = Vec::new();
        let params = function.params.iter().map(|param| {
            let wanted = narrow_params.iter().any(|name| *name == *param.name);
            match narrowed(&param.struct_info) {
                Some(info @ StructInfo::Tensor { .. }) if wanted => {
                    let narrow = Var::new(param.name.clone(), info);
                    computed.insert(param.id(), Expr::var(&narrow));
                    given.push((param.clone(), Expr::var(&narrow)));
                    narrow
                }
                _ => param.clone(),
            }
        });
        let params: Vec<Var> = params.collect();
        let mut body = map_dataflow(&function.body, &mut |bindings| {
            let mut block = Block {
                cx: InferCx::default(),
                out_dtype: self.out_dtype,
                computed: computed.clone(),
                cast: Map::default(),
                pending: Map::default(),
                out: Vec::new(),
            };
            bindings.iter().for_each(|binding| block.binding(binding));
            block.out
        });
        let mut used: Set<VarId> = Set::default();
        walk(&body, |var: &Var| used.extend([var.id()]));
        let wide = given.iter().filter(|(param, _)| used.contains(&param.id())).filter_map(|(param, narrow)| {
            let value = astype::call(&InferCx::default(), narrow.clone(), WIDE).ok()?;
            Some(Binding::new(param.clone(), value, Origins::default()))
        });
        let mut blocks = Vec::new();
        push_block(&mut blocks, BindingBlock { dataflow: false, bindings: wide.collect() });
        body.blocks.drain(..).for_each(|block| push_block(&mut blocks, block));
        body.blocks = blocks;
        Function { params, body, ..function.clone() }
    }
}

/// The info with float16 for float32; nothing if there is none in it.
fn narrowed(info: &StructInfo) -> Option<StructInfo> {
    match info {
        StructInfo::Tensor { shape, dtype, vdevice } if *dtype == Some(WIDE) => {
            Some(StructInfo::Tensor { shape: shape.clone(), dtype: Some(NARROW), vdevice: vdevice.clone() })
        }
        StructInfo::Tuple(fields) if fields.iter().any(|field| narrowed(field).is_some()) => Some(StructInfo::Tuple(
            fields.iter().map(|field| narrowed(field).unwrap_or_else(|| field.clone())).collect(),
        )),
        _ => None,
    }
}

/// A block under construction.
struct Block {
    cx: InferCx,
    out_dtype: DataType,
    /// The narrow values of variables that are computed narrow.
    computed: Map<VarId, Expr>,
    /// Those of variables that are computed wide.
    cast: Map<VarId, Expr>,
    /// Variables that are computed narrow, and whose wide values have no use yet.
    pending: Map<VarId, Var>,
    out: Vec<Binding>,
}

impl Block {
    fn binding(&mut self, binding: &Binding) {
        if let BindingValue::Expr(value) = &binding.value
            && let Some(narrow) = self.narrow_value(value, &binding.origins)
        {
            if narrow.struct_info.equal(&binding.var.struct_info) {
                self.out.push(Binding::new(binding.var.clone(), narrow, binding.origins.clone()));
                return;
            }
            if narrowed(&binding.var.struct_info).is_some_and(|info| info.equal(&narrow.struct_info)) {
                let narrow = self.bind(narrow, &binding.origins);
                self.computed.insert(binding.var.id(), narrow);
                self.pending.insert(binding.var.id(), binding.var.clone());
                if !binding.var.dataflow {
                    self.widen(&binding.var, &binding.origins);
                }
                return;
            }
        }
        let mut used = Vec::new();
        walk(&binding.value, |var: &Var| used.push(var.clone()));
        used.iter().for_each(|var| self.widen(var, &binding.origins));
        self.out.push(binding.clone());
    }

    fn bind(&mut self, value: Expr, origins: &Origins) -> Expr {
        let var = Var::dataflow("lv", value.struct_info.clone());
        self.out.push(Binding::new(var.clone(), value, origins.clone()));
        Expr::var(&var)
    }

    /// The value of narrow operands, where its operator wants or bears them.
    fn narrow_value(&mut self, value: &Expr, origins: &Origins) -> Option<Expr> {
        match &value.kind {
            ExprKind::TupleGet { tuple, index } => {
                let narrow = self.computed.get(&tuple.as_var()?.id())?;
                Expr::tuple_get(narrow.clone(), *index).ok()
            }
            ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } => match op.precision() {
                Precision::Narrow if args.iter().any(|arg| narrowed(&arg.struct_info).is_some()) => {
                    let attrs = self.summed(attrs)?;
                    self.call(*op, args, attrs, origins)
                }
                Precision::Follow if self.follows(args) => self.call(*op, args, attrs.clone(), origins),
                Precision::Narrow | Precision::Follow | Precision::Wide => None,
            },
            _ => None,
        }
    }

    /// The attributes with the type of sums; `None` if the user asks for another than float32.
    fn summed(&self, attrs: &Attrs) -> Option<Attrs> {
        let mut attrs = attrs.clone();
        match attrs.get_mut(OpDef::OUT_DTYPE) {
            Some(Attr::DType(dtype)) if dtype.is_void() || *dtype == WIDE => *dtype = self.out_dtype,
            _ => return None,
        }
        Some(attrs)
    }

    fn call(&mut self, op: OpRef, args: &[Expr], attrs: Attrs, origins: &Origins) -> Option<Expr> {
        let args = args.iter().map(|arg| self.narrow(arg, origins)).collect::<Option<Vec<_>>>()?;
        Expr::call_op(&self.cx, op, args, attrs).ok()
    }

    /// Whether all float32 tensors are computed narrow or constants that may be, and one is computed.
    fn follows(&self, args: &[Expr]) -> bool {
        let mut tensors: Vec<&Expr> = Vec::new();
        for arg in args {
            match &arg.kind {
                ExprKind::Tuple(fields) => tensors.extend(fields),
                _ => tensors.push(arg),
            }
        }
        tensors.retain(|tensor| narrowed(&tensor.struct_info).is_some());
        let computed = |tensor: &Expr| tensor.as_var().is_some_and(|var| self.computed.contains_key(&var.id()));
        let fits = |tensor: &Expr| matches!(&tensor.kind, ExprKind::Constant(constant) if fits_narrow(&constant.0));
        tensors.iter().any(|tensor| computed(tensor)) && tensors.iter().all(|tensor| computed(tensor) || fits(tensor))
    }

    /// The operand with narrow tensors for wide ones.
    fn narrow(&mut self, operand: &Expr, origins: &Origins) -> Option<Expr> {
        if narrowed(&operand.struct_info).is_none() {
            return Some(operand.clone());
        }
        if let ExprKind::Tuple(fields) = &operand.kind {
            let fields = fields.iter().map(|field| self.narrow(field, origins)).collect::<Option<_>>();
            return fields.map(Expr::tuple);
        }
        let known = operand.as_var().and_then(|var| self.computed.get(&var.id()).or_else(|| self.cast.get(&var.id())));
        if let Some(known) = known {
            return Some(known.clone());
        }
        let value = astype::call(&self.cx, operand.clone(), NARROW).ok()?;
        let narrow = self.bind(value, origins);
        if let Some(var) = operand.as_var() {
            self.cast.insert(var.id(), narrow.clone());
        }
        Some(narrow)
    }

    /// Binds the variable to its wide value, if it has none yet.
    fn widen(&mut self, var: &Var, origins: &Origins) {
        let (Some(var), Some(narrow)) = (self.pending.remove(&var.id()), self.computed.get(&var.id()).cloned()) else {
            return;
        };
        if let Some(value) = self.wide(&narrow, &var.struct_info, origins) {
            self.out.push(Binding::new(var, value, origins.clone()));
        }
    }

    fn wide(&mut self, narrow: &Expr, wanted: &StructInfo, origins: &Origins) -> Option<Expr> {
        match wanted {
            StructInfo::Tuple(fields) => {
                let mut wide = Vec::new();
                for (index, wanted) in fields.iter().enumerate() {
                    let field = Expr::tuple_get(narrow.clone(), index).ok()?;
                    let field = self.bind(field, origins);
                    let value = self.wide(&field, wanted, origins)?;
                    wide.push(if value.as_var().is_some() { value } else { self.bind(value, origins) });
                }
                Some(Expr::tuple(wide))
            }
            wanted if narrow.struct_info.equal(wanted) => Some(narrow.clone()),
            _ => astype::call(&self.cx, narrow.clone(), WIDE).ok(),
        }
    }
}

fn fits_narrow(tensor: &Tensor) -> bool {
    let fits = |value: &f32| *value == 0.0 || (MIN_NARROW..=MAX_NARROW).contains(&value.abs());
    tensor.to_vec::<f32>().is_ok_and(|values| values.iter().all(fits))
}
