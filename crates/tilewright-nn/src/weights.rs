//! The declarations of a model: its weights and states, by path.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use tilewright_tensor::DataType;

use crate::cache::State;

/// A dimension as a model says it: a number, or the name of one that is known when the model runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dim {
    Known(i64),
    Named(String),
}

impl From<i64> for Dim {
    fn from(size: i64) -> Self {
        Self::Known(size)
    }
}

impl From<&str> for Dim {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(size) => size.fmt(f),
            Self::Named(name) => name.fmt(f),
        }
    }
}

/// Dimensions, numbers and names mixed: `dims!["batch", 784]`.
#[macro_export]
macro_rules! dims {
    ($($dim:expr),* $(,)?) => { [$($crate::Dim::from($dim)),*] };
}

/// A weight of a model: whoever has it can ask for its tensor in a function that is being written.
#[derive(Clone, Debug)]
pub struct Weight {
    /// Its index in the list of weights.
    pub(crate) index: usize,
    pub(crate) declared: Rc<Declared>,
}

impl Weight {
    /// The path, such as `layers.0.up.weight`.
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    pub fn shape(&self) -> &[Dim] {
        &self.declared.shape
    }

    pub fn dtype(&self) -> DataType {
        self.declared.dtype
    }
}

#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) shape: Vec<Dim>,
    pub(crate) dtype: DataType,
}

/// The weights and states of a model, in the order in which its parts declared them.
#[derive(Clone, Debug)]
pub struct Weights {
    declared: Rc<RefCell<Vec<Rc<Declared>>>>,
    states: Rc<RefCell<Vec<Rc<State>>>>,
    dtype: DataType,
}

impl Weights {
    /// None yet; `dtype` is the type of those that say none.
    pub fn new(dtype: DataType) -> Self {
        Self { declared: Rc::default(), states: Rc::default(), dtype }
    }

    /// The path of the model itself.
    pub fn root(&self) -> Path {
        Path { weights: self.clone(), prefix: String::new() }
    }

    /// The paths of all weights, in the order in which exported functions take them.
    pub fn names(&self) -> Vec<String> {
        self.declared.borrow().iter().map(|weight| weight.name.clone()).collect()
    }

    pub(crate) fn all(&self) -> Vec<Rc<Declared>> {
        self.declared.borrow().clone()
    }

    pub(crate) fn states(&self) -> Vec<Rc<State>> {
        self.states.borrow().clone()
    }

    fn add(&self, declared: Declared) -> Weight {
        let mut all = self.declared.borrow_mut();
        let weight = Weight { index: all.len(), declared: Rc::new(declared) };
        all.push(weight.declared.clone());
        weight
    }

    pub(crate) fn add_state(&self, name: String, rows: i64, unit: &[i64], dtype: DataType) -> (usize, Rc<State>) {
        let mut all = self.states.borrow_mut();
        all.push(Rc::new(State { name, rows, unit: unit.to_vec(), dtype }));
        (all.len() - 1, all[all.len() - 1].clone())
    }
}

/// A path in a model, under which a part declares weights.
#[derive(Clone, Debug)]
pub struct Path {
    pub(crate) weights: Weights,
    prefix: String,
}

impl Path {
    /// The path of a part.
    pub fn join(&self, name: impl fmt::Display) -> Self {
        Self { weights: self.weights.clone(), prefix: self.name(name) }
    }

    pub(crate) fn name(&self, name: impl fmt::Display) -> String {
        if self.prefix.is_empty() { name.to_string() } else { format!("{}.{name}", self.prefix) }
    }

    /// The type of weights that say none.
    pub fn dtype(&self) -> DataType {
        self.weights.dtype
    }

    /// Declares a weight of the model's type.
    pub fn weight(&self, name: &str, shape: &[Dim]) -> Weight {
        self.weight_of(name, shape, self.weights.dtype)
    }

    /// Declares a weight.
    pub fn weight_of(&self, name: &str, shape: &[Dim], dtype: DataType) -> Weight {
        self.weights.add(Declared { name: self.name(name), shape: shape.to_vec(), dtype })
    }
}
