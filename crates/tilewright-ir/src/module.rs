//! Modules: functions of both levels by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_expr::node::{EqCx, IrNode, Mismatch};
use tilewright_support::OrderedMap;

use crate::relax::{Function, GlobalVar, StructInfo, VDevice};
use crate::tir::{PrimFunc, attr_names};
use crate::{Attr, Attrs};

/// A function of a module.
#[derive(Clone, Debug, IrNode)]
pub enum GlobalFunc {
    Prim(#[ir(scope)] Arc<PrimFunc>),
    Relax(#[ir(scope)] Arc<Function>),
}

impl GlobalFunc {
    pub fn signature(&self) -> StructInfo {
        match self {
            Self::Prim(f) => f.signature(),
            Self::Relax(f) => f.signature(),
        }
    }

    pub fn attrs(&self) -> &Attrs {
        match self {
            Self::Prim(f) => &f.attrs,
            Self::Relax(f) => &f.attrs,
        }
    }

    /// The name under which the function is visible outside its module; absent on private functions.
    pub fn global_symbol(&self) -> Option<&str> {
        match self {
            Self::Prim(f) => f.global_symbol(),
            Self::Relax(f) => f.global_symbol(),
        }
    }

    /// The function with another symbol.
    #[must_use]
    pub fn with_symbol(mut self, symbol: impl Into<Arc<str>>) -> Self {
        let attrs = match &mut self {
            Self::Prim(f) => &mut Arc::make_mut(f).attrs,
            Self::Relax(f) => &mut Arc::make_mut(f).attrs,
        };
        attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(symbol));
        self
    }
}

impl From<PrimFunc> for GlobalFunc {
    fn from(function: PrimFunc) -> Self {
        Self::Prim(Arc::new(function))
    }
}

impl From<Function> for GlobalFunc {
    fn from(function: Function) -> Self {
        Self::Relax(Arc::new(function))
    }
}

/// Global infos of a module, in a list of some name (`"vdevice"`, `"dummy"`).
#[derive(Clone, Debug, PartialEq, Eq, IrNode)]
pub enum GlobalInfo {
    /// A device that struct infos name by its target and its index among the devices of that target.
    VDevice(VDevice),
    /// Says nothing.
    Dummy,
}

/// The unit of compilation. Order of functions is the order of insertion and has no meaning.
#[derive(Clone, Debug, Default, IrNode)]
pub struct IRModule {
    functions: OrderedMap<Arc<str>, GlobalFunc>,
    pub attrs: Attrs,
    /// Lists of things that are no functions, by name.
    pub global_infos: BTreeMap<Arc<str>, Vec<GlobalInfo>>,
}

impl GlobalInfo {
    /// The name of the list of a module that holds its devices.
    pub const VDEVICES: &str = "vdevice";
}

impl IRModule {
    pub fn new() -> Self {
        Self::default()
    }

    /// The devices that the module names, in order.
    pub fn vdevices(&self) -> impl Iterator<Item = &VDevice> {
        self.global_infos.get(GlobalInfo::VDEVICES).into_iter().flatten().filter_map(|info| match info {
            GlobalInfo::VDevice(device) => Some(device),
            GlobalInfo::Dummy => None,
        })
    }

    /// Adds or replaces a function.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, function: impl Into<GlobalFunc>) -> GlobalVar {
        let (name, function) = (name.into(), function.into());
        let signature = function.signature();
        self.functions.insert(name.clone(), function);
        GlobalVar { name, signature }
    }

    /// Adds a function under the wished name, or the first free one of `name1`, `name2`, …
    pub fn insert_unique(&mut self, wish: &str, function: impl Into<GlobalFunc>) -> GlobalVar {
        let free = |name: &str| !self.functions.contains_key(name);
        let name = if free(wish) {
            wish.to_owned()
        } else {
            (1..).map(|i| format!("{wish}{i}")).find(|name| free(name)).unwrap_or_default()
        };
        self.insert(name, function)
    }

    pub fn remove(&mut self, name: &str) -> Option<GlobalFunc> {
        self.functions.shift_remove(name)
    }

    pub fn get(&self, name: &str) -> Option<&GlobalFunc> {
        self.functions.get(name)
    }

    pub fn prim(&self, name: &str) -> Option<&Arc<PrimFunc>> {
        match self.get(name) {
            Some(GlobalFunc::Prim(f)) => Some(f),
            _ => None,
        }
    }

    pub fn relax(&self, name: &str) -> Option<&Arc<Function>> {
        match self.get(name) {
            Some(GlobalFunc::Relax(f)) => Some(f),
            _ => None,
        }
    }

    /// A reference to a function by name, with its signature.
    pub fn global_var(&self, name: &str) -> Option<GlobalVar> {
        let (name, function) = self.functions.get_key_value(name)?;
        Some(GlobalVar { name: name.clone(), signature: function.signature() })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &GlobalFunc)> {
        self.functions.iter()
    }

    pub fn len(&self) -> usize {
        self.functions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The functions in printing order: PrimFuncs first, each kind by name.
    pub fn sorted(&self) -> Vec<(&Arc<str>, &GlobalFunc)> {
        let mut all: Vec<_> = self.functions.iter().collect();
        all.sort_by(|a, b| (matches!(a.1, GlobalFunc::Relax(_)), a.0).cmp(&(matches!(b.1, GlobalFunc::Relax(_)), b.0)));
        all
    }

    /// Structural equality: the same names, each with an equal function. On a difference, the path to it.
    pub fn compare(&self, other: &Self) -> Result<(), Mismatch> {
        EqCx::compare(self, other)
    }
}
