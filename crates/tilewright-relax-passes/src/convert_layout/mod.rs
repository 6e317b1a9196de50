//! `ConvertLayout`: operators work on tensors in the layouts that the user wants.
//!
//! ```text
//! y = nn.conv2d(x, w)            x1 = permute_dims(x, [0, 2, 3, 1])
//! z = nn.relu(y)            ⇒    w1 = permute_dims(w, [0, 2, 3, 1])
//!                                y1 = nn.conv2d(x1, w1, data_layout="NHWC", kernel_layout="OHWI", out_layout="NHWC")
//!                                z1 = nn.relu(y1)
//!                                z  = permute_dims(z1, [0, 3, 1, 2])
//! ```
//!
//! From any form to any form; dataflow blocks change, also those in branches and closures. Operators without a wanted
//! layout adopt the layout of their operands if they can, which is a property of the operator ([`Layouts`]): nothing
//! here knows one by name. A tensor is permuted back where a use requires its own layout, or where it leaves the block.
//! Each is permuted once per layout; `FoldConstant` permutes constants at compile time.
//!
//! A layout is written as a permutation: for each dimension of the new tensor the dimension of the original one.
//! Layouts that split an axis are no permutations: a call that has one stays as it is.

mod calls;
mod order;

use std::sync::Arc;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::op::{AttrDefault, InferCx, Layouts, OpRef};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, Expr, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, IRModule};
use tilewright_ops::manipulate::permute_dims;
use tilewright_support::{Map, OrderedMap, Origins};

use self::order::{Order, between, inverse, is_own, step};
use crate::normalize::normalized;
use crate::sequence::{bound_value, map_dataflow, map_functions};

/// Changes the order of dimensions.
#[derive(Clone, Debug, Default)]
pub struct ConvertLayout {
    /// By operator, the layouts of its first operands, then that of its result; of those that are left out, the
    /// operands' stay and the result's is that of the first operand.
    desired: OrderedMap<&'static str, Vec<String>>,
}

const NAME: &str = "ConvertLayout";

impl ConvertLayout {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Operators work on tensors in the layouts that are wanted.",
        params: &[ParamDef {
            name: "desired_layouts",
            kind: ParamKind::TextLists,
            default: AttrDefault::Required,
            doc: "By operator, such as `relax.nn.conv2d`, the layouts of its operands, and of its result if that is not the \
                  first of them: `[\"NHWC\", \"OHWI\"]`.",
        }],
        make: |args| {
            let mut pass = Self::default();
            for (name, layouts) in args.text_lists("desired_layouts") {
                let op = tilewright_ops::lookup(name.strip_prefix("relax.").unwrap_or(&name))
                    .ok_or_else(|| format!("`{NAME}`: there is no operator `{name}`"))?;
                check(op, &layouts)?;
                pass.desired.insert(op.0.name, layouts);
            }
            Ok(Arc::new(pass))
        },
    };
}

/// Each layout is an order of the axes that the operator's own one has.
fn check(op: OpRef, layouts: &[String]) -> Result<(), String> {
    let Layouts::Named { operands, result } = op.layouts() else {
        return Err(format!("`{NAME}`: no attribute of `{}` is a layout", op.name));
    };
    let own = |name: &str| op.attrs.iter().find(|attr| attr.name == name).map(|attr| attr.default);
    let texts = operands.iter().chain([&result]).map(|name| match own(name) {
        Some(AttrDefault::Str(text)) => text,
        Some(AttrDefault::Of(other)) => match own(other) {
            Some(AttrDefault::Str(text)) => text,
            _ => "",
        },
        _ => "",
    });
    let texts: Vec<&str> = texts.collect();
    if layouts.is_empty() || layouts.len() > texts.len() {
        let max = texts.len();
        return Err(format!("`{NAME}`: `{}` has 1 to {max} layouts, found {}", op.name, layouts.len()));
    }
    match texts.iter().zip(layouts).find(|(own, wanted)| between(own, wanted).is_none()) {
        Some((own, wanted)) => Err(format!("`{NAME}`: `{wanted}` is no order of the axes {own} of `{}`", op.name)),
        None => Ok(()),
    }
}

impl Pass for ConvertLayout {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| {
            let mut function = normalized(function);
            function.body = map_dataflow(&function.body, &mut |bindings| {
                let mut block = Block::of(self);
                bindings.iter().for_each(|binding| block.binding(binding));
                block.out
            });
            function
        })
    }
}

/// The layout of a value: of a tensor, or of each field of a tuple.
#[derive(Clone, Debug)]
enum Placed {
    Tensor(Order),
    /// `None` for fields that are as they were.
    Tuple(Vec<Option<Order>>),
}

impl Placed {
    fn is_own(&self) -> bool {
        match self {
            Self::Tensor(order) => is_own(order),
            Self::Tuple(orders) => orders.iter().flatten().all(|order| is_own(order)),
        }
    }
}

/// A block under construction.
struct Block<'p> {
    cx: InferCx,
    pass: &'p ConvertLayout,
    /// The permuted values of variables that are computed in another layout.
    placed: Map<VarId, (Expr, Placed)>,
    /// Those of them that are not bound in their own order yet.
    pending: Map<VarId, Var>,
    /// Variables in other orders than they are computed in.
    permuted: Map<(VarId, Order), Expr>,
    out: Vec<Binding>,
    /// The origin of the bindings under construction.
    origins: Origins,
}

impl<'p> Block<'p> {
    fn of(pass: &'p ConvertLayout) -> Self {
        Self {
            cx: InferCx::default(),
            pass,
            placed: Map::default(),
            pending: Map::default(),
            permuted: Map::default(),
            out: Vec::new(),
            origins: Origins::default(),
        }
    }

    fn binding(&mut self, binding: &Binding) {
        self.origins = binding.origins.clone();
        if let Some(value) = bound_value(binding)
            && let Some((changed, placed)) = self.changed(value)
            && self.stands_for(&changed.struct_info, &binding.var.struct_info, &placed)
        {
            if placed.is_own() {
                self.out.push(Binding::new(binding.var.clone(), changed, self.origins.clone()));
                return;
            }
            let var = Var::dataflow(binding.var.name.clone(), changed.struct_info.clone());
            self.out.push(Binding::new(var.clone(), changed, self.origins.clone()));
            self.placed.insert(binding.var.id(), (Expr::var(&var), placed));
            self.pending.insert(binding.var.id(), binding.var.clone());
            if !binding.var.dataflow {
                self.put_back(&binding.var);
            }
            return;
        }
        let mut used = Vec::new();
        walk(&binding.value, |var: &Var| used.push(var.clone()));
        used.iter().for_each(|var| self.put_back(var));
        self.out.push(binding.clone());
    }

    fn bind(&mut self, value: Expr) -> Expr {
        let var = Var::dataflow("lv", value.struct_info.clone());
        self.out.push(Binding::new(var.clone(), value, self.origins.clone()));
        Expr::var(&var)
    }

    /// Whether the computed struct info is the declared one, up to the layout.
    fn stands_for(&self, found: &StructInfo, wanted: &StructInfo, placed: &Placed) -> bool {
        match (placed, found, wanted) {
            (Placed::Tensor(order), _, _) => {
                let (Some(found_dims), Some(dims)) = (found.dims(), wanted.dims()) else { return false };
                let equal = |(dim, &at): (&tilewright_expr::Expr, &usize)| {
                    dims.get(at).is_some_and(|own| self.cx.analyzer.prove_equal(dim, own))
                };
                found.dtype() == wanted.dtype()
                    && found_dims.len() == dims.len()
                    && order.len() == dims.len()
                    && found_dims.iter().zip(order).all(equal)
            }
            (Placed::Tuple(orders), StructInfo::Tuple(found), StructInfo::Tuple(wanted)) => {
                let mut fields = orders.iter().zip(found.iter().zip(wanted));
                found.len() == wanted.len()
                    && fields.all(|(order, (found, wanted))| match order {
                        Some(order) => self.stands_for(found, wanted, &Placed::Tensor(order.clone())),
                        None => found.equal(wanted),
                    })
            }
            _ => false,
        }
    }

    /// Binds the variable to its value in its own order, if that is not done yet.
    fn put_back(&mut self, var: &Var) {
        let (Some(var), Some((value, placed))) = (self.pending.remove(&var.id()), self.placed.get(&var.id()).cloned())
        else {
            return;
        };
        let own = match placed {
            Placed::Tensor(order) => self.permute(&value, &inverse(&order)),
            Placed::Tuple(orders) => {
                let fields = orders.iter().enumerate().map(|(index, order)| {
                    let field = Expr::tuple_get(value.clone(), index).ok()?;
                    let field = self.bind(field);
                    order.as_ref().map_or(Some(field.clone()), |order| {
                        let own = self.permute(&field, &inverse(order))?;
                        Some(self.bind(own))
                    })
                });
                fields.collect::<Option<Vec<_>>>().map(Expr::tuple)
            }
        };
        if let Some(own) = own {
            self.out.push(Binding::new(var, own, self.origins.clone()));
        }
    }

    fn permute(&self, value: &Expr, order: &[usize]) -> Option<Expr> {
        let axes: Vec<i64> = order.iter().map(|&at| at as i64).collect();
        permute_dims::call(&self.cx, value.clone(), Some(&axes)).ok()
    }

    /// The layout in which a tensor is computed, if it is not its own.
    fn order_of(&self, operand: &Expr) -> Option<&Order> {
        match self.placed.get(&operand.as_var()?.id())? {
            (_, Placed::Tensor(order)) => Some(order),
            (_, Placed::Tuple(_)) => None,
        }
    }

    /// The operand in an order.
    fn operand(&mut self, operand: &Expr, order: &[usize]) -> Option<Expr> {
        let var = operand.as_var();
        let placed = var.and_then(|var| self.placed.get(&var.id()).cloned());
        let (source, step) = match placed {
            Some((_, Placed::Tensor(_))) if is_own(order) => {
                var.cloned().iter().for_each(|var| self.put_back(var));
                return Some(operand.clone());
            }
            Some((value, Placed::Tensor(own))) => (value, step(&own, order)),
            _ => (operand.clone(), order.to_vec()),
        };
        if is_own(&step) {
            return Some(source);
        }
        let key = var.map(|var| (var.id(), order.to_vec()));
        if let Some(known) = key.as_ref().and_then(|key| self.permuted.get(key)) {
            return Some(known.clone());
        }
        let value = self.permute(&source, &step)?;
        let permuted = self.bind(value);
        if let Some(key) = key {
            self.permuted.insert(key, permuted.clone());
        }
        Some(permuted)
    }

    /// The layouts that the user wants of this operator, for its operands and its result.
    fn wanted(&self, op: OpRef, operands: usize) -> Option<(&'p [String], &'p str)> {
        let given = self.pass.desired.get(op.0.name)?;
        let result = given.get(operands).or_else(|| given.first())?;
        Some((&given[..given.len().min(operands)], result))
    }
}

/// The text of a layout among the attributes.
fn text<'a>(attrs: &'a tilewright_ir::Attrs, name: &str) -> Option<&'a str> {
    attrs.get(name).and_then(Attr::as_str)
}
