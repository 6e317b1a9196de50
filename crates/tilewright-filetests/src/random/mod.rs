//! Random modules that run: graphs over every pure operator with a formula, with PrimFuncs, private functions, function
//! values, branches, casts, tuples and calls of packed functions, with a symbolic dimension.
//!
//! [`module`] makes one from a seed; [`Sampled`] knows what it means. The tests run every pass on them.

mod calls;
mod check;
mod graph;

use std::sync::Arc;

use tilewright::ir::json;
use tilewright::ir::op::OpTable;
use tilewright::{IRModule, Target, ops, pipelines};

use crate::compare::Plain;
use crate::data::{Argument, Values};
use crate::run::{Flat, compiled, devices, interpret};

pub use check::keeps_meaning;
pub use graph::{module, operators};

/// The name of the symbolic dimension of the modules.
const DIM: &str = "n";

/// A module, arguments for its function `main`, and the result.
#[derive(Debug)]
pub struct Sampled {
    pub module: IRModule,
    args: Vec<Argument>,
    meaning: Plain,
}

impl Sampled {
    /// The module of a seed with arguments; an error where its own run ends in one, such as a division by zero.
    pub fn new(seed: u64) -> Result<Self, String> {
        let module = module(seed).map_err(|error| format!("seed {seed}: {error}"))?;
        let size = [3, 1, 0, 4][(seed % 4) as usize];
        let values = Values { seed, special: seed.is_multiple_of(3), dims: vec![(DIM.to_owned(), size)] };
        let args = values.for_function(&module, "main")?;
        let meaning = interpret(&module, "main", &args, Flat::No)?;
        Ok(Self { module, args, meaning })
    }

    /// Whether another module means the same to the interpreter; floats may differ by so much of the largest.
    pub fn is_meant_by(&self, other: &IRModule, tolerance: f64) -> Result<(), String> {
        self.meaning.agree(&interpret(other, "main", &self.args, Flat::No)?, tolerance)
    }

    /// Whether another module, which computes in float16 what the module computes in float32, differs by rounding
    /// alone: with float32 instead of float16 it means the same, and its results differ by no more than those of
    /// bfloat16, whose unit of rounding is eight times that of float16, bring them: so the condition of the module is
    /// measured.
    pub fn is_rounded_by(&self, other: &IRModule, tolerance: f64) -> Result<(), String> {
        let text = json::save(&json::Node::Module(Arc::new(other.clone())));
        let with = |dtype: &str| match json::load(text.replace("\"float16\"", dtype).as_bytes(), OpTable(ops::lookup)) {
            Ok(json::Node::Module(module)) => Ok(IRModule::clone(&module)),
            other => Err(format!("a module does not come back: {other:?}")),
        };
        self.is_meant_by(&with("\"float32\"")?, tolerance)?;
        let coarse = self.meaning.difference(&interpret(&with("\"bfloat16\"")?, "main", &self.args, Flat::No)?);
        self.is_meant_by(other, tolerance + coarse)
    }

    /// Whether compiled code of another module computes the same.
    pub fn is_computed_by(&self, other: &IRModule, tolerance: f64) -> Result<(), String> {
        let device = devices()[0];
        self.meaning
            .agree(&compiled(other, pipelines::default_build(&Target::host()), "main", &self.args, device)?, tolerance)
    }
}
