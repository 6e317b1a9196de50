//! The block builder: Relax functions binding by binding.
//!
//! [`BlockBuilder`] holds a module under construction, the function that is being written and the block that is open in
//! it. Emitted values are brought into *normal form* first: every intermediate value gets a variable, and every
//! expression the struct info that its rule gives ([`typed`]). An *operand* is an argument in this form: a variable, a
//! constant, a shape, a scalar, a text, a data type, a function's name, or a tuple of operands.
//!
//! Reading order: [`BlockBuilder`], `sequence` (blocks, branches and functions that are open), `rebuild` (normal form),
//! [`Mutator`] (rewriting a function with the builder at hand), [`binding_rewrite`] (editing one dataflow block).
//!
//! Invariants: what the builder cannot do is a [`BuildError`] with the reason, never a panic, and leaves it unchanged
//! except for bindings that were emitted on the way. The builder proves with its analyser only what it is told of
//! dimensions, so that it and the verifier agree.
//!
//! ```
//! use tilewright_ir::builder::BlockBuilder;
//! use tilewright_ir::relax::{Expr, StructInfo, Var};
//! use tilewright_tensor::DataType;
//!
//! let mut bb = BlockBuilder::new();
//! let x = Var::new("x", StructInfo::tensor_of(&[2, 3], DataType::F32));
//! bb.begin_function("main", vec![x.clone()]);
//! bb.begin_dataflow()?;
//! let pair = bb.emit(&Expr::tuple(vec![Expr::var(&x), Expr::var(&x)]))?;
//! let out = bb.emit_output(&Expr::tuple_get(Expr::var(&pair), 1)?)?;
//! bb.end_dataflow()?;
//! let main = bb.emit_func_output(&Expr::var(&out))?;
//! let module = bb.finalize()?;
//! assert_eq!((&*main.name, &*pair.name, &*out.name), ("main", "lv", "gv"));
//! assert!(tilewright_ir::verify::verify(&module, tilewright_ir::verify::Form::Any).is_ok());
//! # Ok::<(), tilewright_ir::builder::BuildError>(())
//! ```

pub mod binding_rewrite;
mod infer;
mod mutate;
mod outputs;
mod rebuild;
mod sequence;

use std::fmt;
use std::sync::Arc;

use tilewright_arith::{Analyzer, Scope};
use tilewright_expr::node::VarId;
use tilewright_support::{Map, NameSupply, Origins, Set};

use crate::analysis::{BaseCheck, definable_dims, struct_info_base_check};
use crate::op::{InferCx, InferError};
use crate::relax::{Binding, BindingValue, Expr, GlobalVar, SeqExpr, StructInfo, Var};
use crate::{GlobalFunc, IRModule};

pub use infer::typed;
pub use mutate::{Mutator, map_exprs, mutate, mutate_module, normalize_function, with_params};
use sequence::Sequence;

/// Why something cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The rule of an expression refuses it.
    Infer(InferError),
    /// Nothing of this kind can be done here.
    State(String),
}

impl BuildError {
    pub(crate) fn state(message: impl Into<String>) -> Self {
        Self::State(message.into())
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Infer(error) => error.fmt(f),
            Self::State(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<InferError> for BuildError {
    fn from(error: InferError) -> Self {
        Self::Infer(error)
    }
}

/// Builds Relax functions; see the [module](self).
#[derive(Debug, Default)]
pub struct BlockBuilder {
    module: IRModule,
    cx: InferCx,
    names: NameSupply,
    /// The origins of emitted bindings.
    origins: Origins,
    /// Functions, branches and free sequences that are being written, from outside inwards.
    sequences: Vec<Sequence>,
    /// The values of variables that were emitted.
    bound: Map<VarId, Expr>,
    /// Dataflow variables whose block is over.
    hidden: Set<VarId>,
    /// Warnings: actions that the user may not have meant.
    warnings: Vec<String>,
    /// Dimensions that were defined, for each scope that is open.
    scopes: Vec<DimScope>,
}

/// A scope of symbolic dimensions.
#[derive(Debug)]
struct DimScope {
    /// The previous state of the analyser.
    facts: Scope,
    dims: Set<VarId>,
}

/// The module and its functions.
impl BlockBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder that adds to a module.
    pub fn with_module(module: IRModule) -> Self {
        Self { module, ..Self::default() }
    }

    /// The module as it is now, without functions that are being written.
    pub fn get(&self) -> &IRModule {
        &self.module
    }

    /// The module, if nothing is left open.
    pub fn finalize(self) -> Result<IRModule, BuildError> {
        match self.sequences.last() {
            None => Ok(self.module),
            Some(open) => Err(BuildError::state(format!("{} is not finished", open.describe()))),
        }
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Adds a function under the wished name or one like it. A function that is in the module already is not added
    /// anew; one whose global symbol another function has already gets its own name for it.
    pub fn add_func(&mut self, function: impl Into<GlobalFunc>, name: &str) -> GlobalVar {
        let function = function.into();
        for (known, other) in self.module.iter() {
            let same = match (&function, other) {
                (GlobalFunc::Prim(a), GlobalFunc::Prim(b)) => Arc::ptr_eq(a, b),
                (GlobalFunc::Relax(a), GlobalFunc::Relax(b)) => Arc::ptr_eq(a, b),
                _ => false,
            };
            if same {
                return GlobalVar { name: known.clone(), signature: function.signature() };
            }
        }
        // A function that is being written has its name already.
        let begun = |name: &str| self.sequences.iter().any(|sequence| sequence.begins(name));
        let taken = |name: &str| begun(name) || self.module.get(name).is_some();
        let others = (1..).map(|i| format!("{name}{i}"));
        let wish = std::iter::once(name.to_owned()).chain(others).find(|name| !taken(name));
        let wish = wish.as_deref().unwrap_or(name);
        let symbol_is_taken = function
            .global_symbol()
            .is_some_and(|symbol| self.module.iter().any(|(_, other)| other.global_symbol() == Some(symbol)));
        let function = if symbol_is_taken { function.with_symbol(wish) } else { function };
        self.module.insert_unique(wish, function)
    }

    /// Replaces a function of the module.
    pub fn update_func(
        &mut self,
        global: &GlobalVar,
        function: impl Into<GlobalFunc>,
    ) -> Result<GlobalVar, BuildError> {
        if self.module.get(&global.name).is_none() {
            return Err(BuildError::state(format!("the module has no function `{}`", global.name)));
        }
        Ok(self.module.insert(global.name.clone(), function))
    }
}

/// Names, facts and origins.
impl BlockBuilder {
    /// The wish itself, or the first of `wish1`, `wish2`, … that nothing in the current function is called.
    pub fn unique_name(&mut self, wish: &str) -> String {
        self.names.fresh(wish, "")
    }

    /// The context of operators' rules.
    pub fn infer_cx(&self) -> &InferCx {
        &self.cx
    }

    /// Facts about symbolic dimensions; those added last hold until the innermost scope ends.
    pub fn analyzer(&mut self) -> &mut Analyzer {
        &mut self.cx.analyzer
    }

    /// The origins of bindings that are emitted from here on.
    pub fn set_origins(&mut self, origins: Origins) {
        self.origins = origins;
    }

    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Begins a scope of symbolic dimensions: those that the parameters define, and those that `match_cast`s in it do.
    pub fn begin_scope(&mut self, params: &[Var]) {
        let dims = params.iter().flat_map(|param| definable_dims(&param.struct_info)).map(|dim| dim.id()).collect();
        self.scopes.push(DimScope { facts: self.cx.analyzer.enter(), dims });
    }

    /// Ends the innermost scope of symbolic dimensions, and forgets what was learnt in it.
    pub fn end_scope(&mut self) -> Result<(), BuildError> {
        let scope = self.scopes.pop().ok_or_else(|| BuildError::state("no scope is open"))?;
        self.cx.analyzer.leave(scope.facts);
        Ok(())
    }

    /// Whether a parameter or a `match_cast` of an open scope defines the dimension.
    pub fn defines(&self, dim: &tilewright_expr::Var) -> bool {
        self.scopes.iter().any(|scope| scope.dims.contains(&dim.id()))
    }
}

/// Bindings.
impl BlockBuilder {
    /// Binds the value to a new variable: of the dataflow block that is open (`lv`), else of the function (`gv`).
    pub fn emit(&mut self, value: &Expr) -> Result<Var, BuildError> {
        self.emit_named(value, None)
    }

    /// As [`BlockBuilder::emit`], with a wish for the variable's name.
    pub fn emit_named(&mut self, value: &Expr, name: Option<&str>) -> Result<Var, BuildError> {
        let dataflow = self.block()?.dataflow;
        let value = self.normalize(value)?;
        self.bind_new(value, name, dataflow)
    }

    /// Binds a value of the open dataflow block to an output of the block.
    pub fn emit_output(&mut self, value: &Expr) -> Result<Var, BuildError> {
        self.emit_output_named(value, None)
    }

    /// As [`BlockBuilder::emit_output`], with a wish for the variable's name.
    pub fn emit_output_named(&mut self, value: &Expr, name: Option<&str>) -> Result<Var, BuildError> {
        if !self.block()?.dataflow {
            return Err(BuildError::state("an output is emitted, but no dataflow block is open"));
        }
        let value = self.normalize(value)?;
        self.bind_new(value, name, false)
    }

    /// Binds the value as `R.match_cast` to the struct info, which defines the dimensions in it that nothing else
    /// defines.
    pub fn emit_match_cast(&mut self, value: &Expr, struct_info: StructInfo) -> Result<Var, BuildError> {
        self.emit_match_cast_named(value, struct_info, None)
    }

    /// As [`BlockBuilder::emit_match_cast`], with a wish for the variable's name.
    pub fn emit_match_cast_named(
        &mut self,
        value: &Expr,
        struct_info: StructInfo,
        name: Option<&str>,
    ) -> Result<Var, BuildError> {
        let dataflow = self.block()?.dataflow;
        let value = self.normalize_operand(value)?;
        if struct_info_base_check(&self.cx, &struct_info, &value.struct_info) == BaseCheck::FailL0 {
            let (to, from) = (crate::verify::show(&struct_info), crate::verify::show(&value.struct_info));
            return Err(BuildError::state(format!("a value that is {from} can never be {to}")));
        }
        let name = self.unique_name(name.unwrap_or(if dataflow { "lv" } else { "gv" }));
        let var = match dataflow {
            true => Var::dataflow(name, struct_info.clone()),
            false => Var::new(name, struct_info.clone()),
        };
        self.define_dims(&struct_info);
        let value = BindingValue::MatchCast { value, struct_info };
        self.emit_binding(Binding { value, var: var.clone(), origins: self.origins.clone() })?;
        Ok(var)
    }

    /// Adds a binding as it is: its value is in normal form and its variable new.
    pub fn emit_binding(&mut self, binding: Binding) -> Result<(), BuildError> {
        if let BindingValue::Expr(value) = &binding.value {
            self.bound.insert(binding.var.id(), value.clone());
        }
        self.names.reserve(&binding.var.name);
        self.block()?.bindings.push(binding);
        Ok(())
    }

    /// Adds the bindings of a sequence as they are, its dataflow blocks as such or as part of the one that is open;
    /// what is left is its result.
    pub fn emit_sequence(&mut self, seq: &SeqExpr) -> Result<Expr, BuildError> {
        for block in &seq.blocks {
            let begins = block.dataflow && !self.in_dataflow();
            if begins {
                self.begin_dataflow()?;
            }
            for binding in &block.bindings {
                self.emit_binding(binding.clone())?;
            }
            if begins {
                self.end_dataflow()?;
            }
        }
        Ok(seq.result.clone())
    }

    /// The value that a variable was bound to by [`BlockBuilder::emit`] and its like; not what was cast, no parameter.
    pub fn lookup_binding(&self, var: &Var) -> Option<&Expr> {
        self.bound.get(&var.id())
    }

    /// As [`BlockBuilder::lookup_binding`], where the value may be written anew right here: not where it mentions
    /// variables of a dataflow block that is over.
    pub fn visible_value(&self, var: &Var) -> Option<&Expr> {
        let value = self.bound.get(&var.id())?;
        let mut visible = true;
        if !self.hidden.is_empty() {
            tilewright_expr::node::walk(value, |var: &Var| visible &= !self.hidden.contains(&var.id()));
        }
        visible.then_some(value)
    }

    fn bind_new(&mut self, value: Expr, name: Option<&str>, dataflow: bool) -> Result<Var, BuildError> {
        let name = self.unique_name(name.unwrap_or(if dataflow { "lv" } else { "gv" }));
        let info = value.struct_info.clone();
        let var = if dataflow { Var::dataflow(name, info) } else { Var::new(name, info) };
        self.emit_binding(Binding::new(var.clone(), value, self.origins.clone()))?;
        Ok(var)
    }

    fn define_dims(&mut self, info: &StructInfo) {
        let dims: Vec<_> = definable_dims(info).into_iter().filter(|dim| !self.defines(dim)).map(|d| d.id()).collect();
        if let Some(scope) = self.scopes.last_mut() {
            scope.dims.extend(dims);
        }
    }
}
