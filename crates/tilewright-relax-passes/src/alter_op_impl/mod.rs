//! `AlterOpImpl`: PrimFuncs of an operator are replaced by the user's, on tensors of other layouts.
//!
//! ```text
//!                                              x1 = layout_transform(x, (i) -> (i // 4, i % 4))
//! y = call_tir(cls.add, (x, w), (16,))    ⇒    w1 = layout_transform(w, (i) -> (i // 4, i % 4))
//!                                              y1 = call_tir(cls.relax_add_replacement, (x1, w1), (4, 4))
//!                                              y  = layout_transform(y1, (i, j) -> (i * 4 + j))
//! ```
//!
//! From any form to any form. The pass changes calls by `R.call_tir` of PrimFuncs whose attribute `operator_name` names
//! an operator that has a replacement. The replacement's index maps are those of the arguments, then those of the
//! results; an identity map changes nothing. Where a map splits a dimension into parts that do not divide it, the
//! replacement works on padded tensors, and a PrimFunc `remove_pad` crops the result. Replaced functions stay in the
//! module until `DeadCodeElimination`; `OptimizeLayoutTransform` removes layout transformations that cancel each other.

use std::sync::Arc;

use tilewright_expr::Var as ScalarVar;
use tilewright_ir::calls::TirCall;
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo, TensorShape};
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, IRModule, IndexMap};
use tilewright_ops::manipulate::layout_transform;
use tilewright_support::{Diagnostic, OrderedMap};
use tilewright_te::{compute, create_prim_func, placeholder};
use tilewright_tensor::DataType;

use crate::legalize_ops::Library;
use crate::normalize::normalized;
use crate::sequence::{Emitter, Rebuild, map_functions, rebuild};

/// Replaces the PrimFuncs of operators.
#[derive(Clone, Debug, Default)]
pub struct AlterOpImpl {
    /// By the operator's name, as the attribute `operator_name` of PrimFuncs says it.
    pub replacements: OrderedMap<Arc<str>, Replacement>,
}

/// The replacement of an operator's PrimFuncs.
#[derive(Clone, Debug)]
pub struct Replacement {
    pub function: PrimFunc,
    /// The index maps of the arguments of a call, then those of its results.
    pub transforms: Vec<IndexMap>,
}

pub(crate) const NAME: &str = "AlterOpImpl";
/// The attribute of a PrimFunc that names the operator that it computes.
const OPERATOR_NAME: &str = "operator_name";

impl Pass for AlterOpImpl {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut alter = Alter {
            pass: self,
            cx: InferCx::default(),
            before: &module,
            library: Library::of(&module, cx.legalize_cx()),
        };
        let graphs = map_functions(NAME, &module, |function, diagnostics| {
            let mut function = normalized(function);
            function.body = rebuild(&function.body, &mut alter, diagnostics);
            function
        })?;
        Ok(alter.library.with_graphs(&graphs))
    }
}

struct Alter<'a> {
    pass: &'a AlterOpImpl,
    cx: InferCx,
    before: &'a IRModule,
    library: Library,
}

/// A call of a PrimFunc that is replaced.
struct Call<'a> {
    operator: &'a str,
    replacement: &'a Replacement,
    args: &'a [Expr],
    results: &'a [StructInfo],
    said: TirCall,
}

impl<'a> Call<'a> {
    /// The call, if what it calls is replaced.
    fn of(pass: &'a AlterOpImpl, module: &'a IRModule, value: &'a Expr) -> Option<Self> {
        let ExprKind::Call { callee: Callee::Tir(global), args, attrs, sinfo_args } = &value.kind else { return None };
        let operator = module.prim(&global.name)?.attrs.get(OPERATOR_NAME)?.as_str()?;
        let replacement = pass.replacements.get(operator)?;
        Some(Self { operator, replacement, args, results: sinfo_args, said: TirCall::of(attrs) })
    }
}

impl Rebuild for Alter<'_> {
    fn binding(&mut self, mut binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        let BindingValue::Expr(value) = &binding.value else {
            out.push(binding);
            return Ok(());
        };
        if let Some(call) = Call::of(self.pass, self.before, value) {
            let mut emitter = Emitter { dataflow, origins: &binding.origins, out };
            let altered = self.altered(&call, &mut emitter).map_err(|error| {
                Box::new(Diagnostic::error("TW0732", format!("the replacement of `{}`: {error}", call.operator)))
            })?;
            binding.value = BindingValue::Expr(altered);
        }
        out.push(binding);
        Ok(())
    }
}

impl Alter<'_> {
    /// The replacement's call, and the inverse transformations of its results.
    fn altered(&mut self, call: &Call<'_>, emitter: &mut Emitter<'_>) -> Result<Expr, InferError> {
        let is_tensor = |arg: &&Expr| matches!(arg.struct_info, StructInfo::Tensor { .. });
        let (inputs, maps) = (call.args.iter().filter(is_tensor).count(), &call.replacement.transforms);
        if maps.len() != inputs + call.results.len() {
            return Err(InferError::new(format!(
                "expected a map of indices for each of {inputs} tensors and {} results, found {}",
                call.results.len(),
                maps.len()
            )));
        }
        let (of_inputs, of_results) = maps.split_at(inputs);
        let mut of_inputs = of_inputs.iter();
        let mut args = Vec::new();
        for arg in call.args {
            let map = is_tensor(&arg).then(|| of_inputs.next()).flatten();
            args.push(match map {
                Some(map) if !is_identity(map) => {
                    emitter.bind(layout_transform::call(&self.cx, arg.clone(), map.clone(), None, None, None)?)
                }
                _ => arg.clone(),
            });
        }
        let ways = of_results.iter().zip(call.results).map(|(map, result)| Way::of(map, result));
        let ways: Vec<Way> = ways.collect::<Result<_, _>>()?;
        let wish = format!("{}_replacement", call.operator.replace('.', "_"));
        let function = named(&call.replacement.function, call.operator);
        let global = self.library.add(&wish, function, emitter.origins);
        let altered = ways.iter().map(|way| way.altered.clone()).collect();
        let value = Expr::call_tir_with(&self.cx, global, args, altered, call.said.clone())?;
        match (ways.as_slice(), call.results) {
            ([way], [result]) if way.back.is_some() => {
                let altered = emitter.bind(value);
                self.put_back(way, altered, result, emitter)
            }
            ([_], _) => Ok(value),
            (ways, results) => {
                let altered = emitter.bind(value);
                let fields = ways.iter().zip(results).enumerate().map(|(index, (way, result))| {
                    let field = emitter.bind(Expr::tuple_get(altered.clone(), index)?);
                    let value = self.put_back(way, field.clone(), result, emitter)?;
                    Ok(if value.as_var().is_some() { value } else { emitter.bind(value) })
                });
                Ok(Expr::tuple(fields.collect::<Result<_, InferError>>()?))
            }
        }
    }

    /// Transforms a result back to its own layout.
    fn put_back(
        &mut self,
        way: &Way,
        altered: Expr,
        as_it_was: &StructInfo,
        emitter: &mut Emitter<'_>,
    ) -> Result<Expr, InferError> {
        let Some(back) = &way.back else { return Ok(altered) };
        let value = layout_transform::call(&self.cx, altered, back.clone(), None, None, None)?;
        if !way.is_padded {
            return Ok(value);
        }
        let whole = emitter.bind(value);
        let function = without_pad(&whole.struct_info, as_it_was)?;
        let global = self.library.add("remove_pad", function, emitter.origins);
        Expr::call_tir(&self.cx, global, vec![whole], vec![as_it_was.clone()])
    }
}

/// The transformation of a result from the replacement's layout to its own.
struct Way {
    /// The struct info of the replacement's result.
    altered: StructInfo,
    /// `None` if the layouts are the same.
    back: Option<IndexMap>,
    /// Whether the transformed result is padded.
    is_padded: bool,
}

impl Way {
    fn of(map: &IndexMap, result: &StructInfo) -> Result<Self, InferError> {
        if is_identity(map) {
            return Ok(Self { altered: result.clone(), back: None, is_padded: false });
        }
        let (Some(dims), Some(dtype)) = (result.dims(), result.dtype()) else {
            return Err(InferError::new("the shape of a result is not known here"));
        };
        let outputs: Vec<ScalarVar> =
            (0..map.results().len()).map(|at| ScalarVar::new(format!("axis{at}"), DataType::I64)).collect();
        let back =
            map.inverse(&mut InferCx::default().analyzer, dims, &outputs).filter(|_| map.initial().len() == dims.len());
        let back = back.ok_or_else(|| InferError::new("a map of indices is not known to be one-to-one on a result"))?;
        let altered = StructInfo::Tensor {
            shape: TensorShape::Known(back.shape),
            dtype: Some(dtype),
            vdevice: result.vdevice().cloned(),
        };
        let map = IndexMap::new(outputs, back.initial).map_err(InferError::new)?;
        Ok(Self { altered, back: Some(map), is_padded: back.inside.is_some() })
    }
}

/// The leading elements along each dimension: crops a padded tensor.
fn without_pad(whole: &StructInfo, as_it_was: &StructInfo) -> Result<PrimFunc, InferError> {
    let (Some(from), Some(to), Some(dtype)) = (whole.dims(), as_it_was.dims(), whole.dtype()) else {
        return Err(InferError::new("the shape of a result is not known here"));
    };
    let x = placeholder(from, dtype, "x");
    let made = compute(to, "remove_pad", |i| x.at_all(i)).and_then(|y| create_prim_func(&[x, y]));
    made.map_err(|error| InferError::new(error.to_string()))
}

/// Whether the map is the identity.
fn is_identity(map: &IndexMap) -> bool {
    map.initial().len() == map.results().len()
        && map.initial().iter().zip(map.results()).all(|(var, index)| index.as_var() == Some(var))
}

/// The replacement, with the attributes of the replaced function.
fn named(function: &PrimFunc, operator: &str) -> PrimFunc {
    let mut function = function.clone();
    function.attrs.remove(attr_names::GLOBAL_SYMBOL);
    function.attrs.insert(OPERATOR_NAME.into(), Attr::str(operator));
    function
}
