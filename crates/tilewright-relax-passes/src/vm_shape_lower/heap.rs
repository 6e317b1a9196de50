//! The heap of a function: which slot holds which dimension or computed size, and the calls that fill and read them.

use tilewright_expr as scalar;
use tilewright_expr::node::{HashCx, VarId, rewrite};
use tilewright_ir::builder::typed;
use tilewright_ir::calls::scalar_info;
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::relax::{Binding, BindingBlock, Expr, ExprKind, Function, GlobalVar, StructInfo, Var};
use tilewright_ir::{IRModule, tir};
use tilewright_ops::builtin::alloc_tensor;
use tilewright_ops::vm::{make_prim_value, make_shape, match_prim_value, match_shape};
use tilewright_support::{Map, Origins, with_stack};
use tilewright_tensor::DataType;

use super::is_symbolic;
use crate::compute_prim_value::is_computed;
use crate::number_heap;

type Result<T> = std::result::Result<T, InferError>;

/// The actions on a matched dimension: the codes of `vm.match_shape`.
mod code {
    pub(super) const IS: i64 = 0;
    pub(super) const STORE: i64 = 1;
    pub(super) const NOTHING: i64 = 2;
    pub(super) const IS_SLOT: i64 = 3;
}

/// The sources of the dimensions of a shape: the codes of `vm.make_shape`.
mod source {
    pub(super) const NUMBER: i64 = 0;
    pub(super) const SLOT: i64 = 1;
}

/// The slots that are defined at the current binding. A branch begins with those before it, and its additions end with
/// it.
#[derive(Clone, Default)]
pub(super) struct Slots {
    dims: Map<VarId, (scalar::Var, i64)>,
    /// By their structure.
    sizes: Map<u64, Vec<(scalar::Expr, i64)>>,
}

/// The two phases of matching a value's dimensions: the first defines bare variables, the second compares computed
/// dimensions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    First,
    Second,
}

/// The heap of a function, and the bindings that are written.
pub(super) struct Heap<'m> {
    module: &'m mut IRModule,
    pub(super) cx: InferCx,
    /// The tensor; its size is a dimension of its own until all slots are known.
    var: Var,
    size: scalar::Var,
    next: i64,
    /// The PrimFuncs on it.
    functions: Vec<GlobalVar>,
    pub(super) slots: Slots,
    /// The bindings of the open sequence.
    pub(super) out: Vec<Binding>,
    /// The origins of emitted bindings.
    pub(super) origins: Origins,
}

impl<'m> Heap<'m> {
    pub(super) fn new(module: &'m mut IRModule, origins: &Origins) -> Self {
        let size = scalar::Var::new("slots", DataType::I64);
        let var = Var::new("shape_heap", StructInfo::tensor(vec![scalar::Expr::var(&size)], DataType::I64));
        let (functions, slots, out, origins) = (Vec::new(), Slots::default(), Vec::new(), origins.clone());
        Self { module, cx: InferCx::default(), var, size, next: 0, functions, slots, out, origins }
    }

    /// The heap of a function inside this one's, with copies of the numbers that the function takes from around it.
    pub(super) fn inside(&mut self, function: &Function) -> Result<Heap<'_>> {
        let outer = Expr::var(&self.var);
        let taken: Vec<(scalar::Var, i64)> = tilewright_ir::analysis::dims_in(function)
            .iter()
            .filter_map(|dim| self.slots.dims.get(&dim.id()).cloned())
            .collect();
        let mut inner = Heap::new(self.module, &function.origins);
        for (dim, slot) in taken {
            let number = make_prim_value::call(&inner.cx, outer.clone(), slot, dim.dtype)?;
            let number = inner.bind("number", number);
            inner.matched(&number, &scalar_info(&scalar::Expr::var(&dim)), "", Look::First)?;
        }
        Ok(inner)
    }

    fn slot(&mut self) -> i64 {
        self.next += 1;
        self.next - 1
    }

    /// Binds the value to a new variable.
    pub(super) fn bind(&mut self, name: &str, value: Expr) -> Expr {
        let var = Var::new(name, value.struct_info.clone());
        let of_var = Expr::var(&var);
        self.out.push(Binding::new(var, value, self.origins.clone()));
        of_var
    }

    /// The function with the allocation of the heap at its beginning, if it has a slot.
    pub(super) fn finished(self, mut function: Function) -> Result<Function> {
        let slots = scalar::Expr::i64(self.next);
        let known = |e: &scalar::Expr| (e.as_var() == Some(&self.size)).then(|| slots.clone());
        for global in &self.functions {
            if let Some(kernel) = self.module.prim(&global.name)
                && let Some(kernel) = rewrite(&**kernel, known)
            {
                self.module.insert(global.name.clone(), kernel);
            }
        }
        if self.next == 0 {
            return Ok(function);
        }
        let shape = Expr::shape(vec![scalar::Expr::var(&self.size)]);
        let heap = alloc_tensor::call(&self.cx, shape, DataType::I64, 0, "global")?;
        let binding = Binding::new(self.var.clone(), heap, function.origins.clone());
        match function.body.blocks.first_mut() {
            Some(first) => first.bindings.insert(0, binding),
            None => function.body.blocks.push(BindingBlock { dataflow: false, bindings: vec![binding] }),
        }
        Ok(rewrite(&function, known).unwrap_or(function))
    }
}

/// Filling the heap.
impl Heap<'_> {
    /// Compares the value with what the info says of its sizes, and gives dimensions that are new their slots.
    pub(super) fn matched(&mut self, value: &Expr, info: &StructInfo, label: &str, look: Look) -> Result<()> {
        if let StructInfo::Tuple(fields) = info {
            for (index, field) in fields.iter().enumerate().filter(|(_, field)| matters(field, look)) {
                let value = self.bind("field", Expr::tuple_get(value.clone(), index)?);
                with_stack(|| self.matched(&value, field, &format!("{label}[{index}]"), look))?;
            }
            return Ok(());
        }
        if !matters(info, look) {
            return Ok(());
        }
        if let StructInfo::Prim { dtype, value: Some(number) } = info {
            let (code, number) = self.match_code(number, look)?;
            let heap = Expr::var(&self.var);
            let call = match_prim_value::call(&self.cx, value.clone(), heap, code, number, *dtype, label)?;
            self.bind("_", call);
            return Ok(());
        }
        let dims = info.dims().unwrap_or_default();
        let codes = dims.iter().map(|dim| self.match_code(dim, look)).collect::<Result<Vec<_>>>()?;
        let call = match_shape::call(&self.cx, value.clone(), Expr::var(&self.var), numbers(codes), label)?;
        self.bind("_", call);
        Ok(())
    }

    fn match_code(&mut self, dim: &scalar::Expr, look: Look) -> Result<(i64, i64)> {
        match look {
            Look::First if is_computed(dim) => Ok((code::NOTHING, 0)),
            Look::First => {
                if let Some(var) = dim.as_var()
                    && !self.slots.dims.contains_key(&var.id())
                {
                    let slot = self.slot();
                    self.slots.dims.insert(var.id(), (var.clone(), slot));
                    return Ok((code::STORE, slot));
                }
                match self.size_source(dim)? {
                    SizeSource::Number(number) => Ok((code::IS, number)),
                    SizeSource::Slot(slot) => Ok((code::IS_SLOT, slot)),
                }
            }
            Look::Second if !is_computed(dim) => Ok((code::NOTHING, 0)),
            Look::Second => match self.size_source(dim)? {
                SizeSource::Number(number) => Ok((code::IS, number)),
                SizeSource::Slot(slot) => Ok((code::IS_SLOT, slot)),
            },
        }
    }

    fn computed_slot(&self, size: &scalar::Expr) -> Option<i64> {
        let known = self.slots.sizes.get(&HashCx::hash(size))?;
        known.iter().find(|(other, _)| other.equal(size)).map(|(_, slot)| *slot)
    }

    /// Computes those of the sizes that are no numbers, no dimensions and not known yet, in one PrimFunc.
    fn compute(&mut self, sizes: &[scalar::Expr]) -> Result<()> {
        let heap = number_heap::heap(scalar::Expr::var(&self.size));
        let mut stores = Vec::new();
        for size in sizes.iter().filter(|size| is_computed(size)) {
            if self.computed_slot(size).is_none() {
                let slot = self.slot();
                stores.push((slot, self.loading(&heap, size)?));
                self.slots.sizes.entry(HashCx::hash(size)).or_default().push((size.clone(), slot));
            }
        }
        if stores.is_empty() {
            return Ok(());
        }
        let function = number_heap::computing(&heap, &[], &stores)?;
        let function = tir::PrimFunc { origins: self.origins.clone(), ..function };
        let global = self.module.insert_unique("shape_func", function);
        let call = Expr::call_value(&self.cx, Expr::global(&global), vec![Expr::var(&self.var)])?;
        self.functions.push(global);
        self.bind("_", call);
        Ok(())
    }

    /// The size with the numbers of the heap for its dimensions.
    fn loading(&self, heap: &tir::Buffer, size: &scalar::Expr) -> Result<scalar::Expr> {
        let mut loads = Map::default();
        for dim in number_heap::dims_of(size) {
            let Some((_, slot)) = self.slots.dims.get(&dim.id()) else { return Err(unknown(&dim)) };
            loads.insert(dim.id(), number_heap::load(heap, *slot, dim.dtype)?);
        }
        let load = |e: &scalar::Expr| loads.get(&e.as_var()?.id()).cloned();
        Ok(rewrite(size, load).unwrap_or_else(|| size.clone()))
    }
}

/// The source of a size.
enum SizeSource {
    Number(i64),
    Slot(i64),
}

/// Reading the heap.
impl Heap<'_> {
    fn size_source(&mut self, size: &scalar::Expr) -> Result<SizeSource> {
        if let Some(number) = size.as_int() {
            return Ok(SizeSource::Number(number));
        }
        if let Some(dim) = size.as_var() {
            return match self.slots.dims.get(&dim.id()) {
                Some((_, slot)) => Ok(SizeSource::Slot(*slot)),
                None => Err(unknown(dim)),
            };
        }
        self.compute(std::slice::from_ref(size))?;
        self.computed_slot(size).map(SizeSource::Slot).ok_or_else(|| InferError::new("a size was not computed"))
    }

    /// The shape of these sizes; one of numbers alone is written out.
    pub(super) fn shape(&mut self, dims: &[scalar::Expr]) -> Result<Expr> {
        if !dims.iter().any(is_symbolic) {
            return Ok(Expr::shape(dims.to_vec()));
        }
        self.compute(dims)?;
        let mut codes = Vec::new();
        for dim in dims {
            codes.push(match self.size_source(dim)? {
                SizeSource::Number(number) => (source::NUMBER, number),
                SizeSource::Slot(slot) => (source::SLOT, slot),
            });
        }
        make_shape::call(&self.cx, Expr::var(&self.var), numbers(codes))
    }

    /// The scalar that a symbolic dimension is.
    pub(super) fn scalar(&mut self, number: &scalar::Expr) -> Result<Expr> {
        match self.size_source(number)? {
            SizeSource::Number(_) => Ok(Expr::prim(number.clone())),
            SizeSource::Slot(slot) => make_prim_value::call(&self.cx, Expr::var(&self.var), slot, number.dtype),
        }
    }

    /// Whether the name is that of a graph function.
    pub(super) fn is_graph(&self, global: &GlobalVar) -> bool {
        self.module.relax(&global.name).is_some()
    }

    /// An expression of this kind as the rules type it.
    pub(super) fn typed(&self, kind: ExprKind, said: &StructInfo) -> Result<Expr> {
        typed(&self.cx, kind, said)
    }
}

/// Whether a look at a value of this info does anything.
fn matters(info: &StructInfo, look: Look) -> bool {
    let concerns = |dim: &scalar::Expr| is_symbolic(dim) && (look == Look::First || is_computed(dim));
    match info {
        StructInfo::Tuple(fields) => with_stack(|| fields.iter().any(|field| matters(field, look))),
        StructInfo::Prim { value: Some(number), .. } => match look {
            Look::First => number.as_var().is_some(),
            Look::Second => concerns(number),
        },
        StructInfo::Tensor { .. } | StructInfo::Shape(_) => info.dims().unwrap_or_default().iter().any(concerns),
        StructInfo::Object | StructInfo::Prim { value: None, .. } | StructInfo::Func { .. } => false,
    }
}

fn numbers(codes: Vec<(i64, i64)>) -> Vec<Expr> {
    codes.into_iter().flat_map(|(code, number)| [code, number]).map(|n| Expr::prim(scalar::Expr::i64(n))).collect()
}

fn unknown(dim: &scalar::Var) -> InferError {
    InferError::new(format!("symbolic dimension `{}` has no value here", dim.name))
}
