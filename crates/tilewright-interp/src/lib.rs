//! The reference interpreter: the meaning of the IR, of both levels and of every form.
//!
//! It is slow and obvious on purpose. Passes and code generators are right when their results are, bit for bit, those
//! that the interpreter gives before them (but for the latitude that [`tilewright_expr::semantics`] grants).
//!
//! ```
//! use tilewright_expr::{BinOp, Buffer, Expr, Var};
//! use tilewright_interp::{Arg, InterpCx};
//! use tilewright_ir::tir::{ForKind, Param, PrimFunc, Stmt};
//! use tilewright_tensor::{DataType, Tensor};
//!
//! // for i in T.parallel(3): B[i] = A[i] + A[i]
//! let [a, b] = ["A", "B"].map(|name| Buffer::new(name, vec![Expr::i64(3)], DataType::F32));
//! let i = Var::new("i", DataType::I64);
//! let element = Expr::load(&a, vec![Expr::var(&i)])?;
//! let store = Stmt::store(&b, vec![Expr::var(&i)], &Expr::binary(BinOp::Add, &element, &element)?)?;
//! let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(3), ForKind::Parallel, store);
//! let params = vec![Param::buffer(&a), Param::buffer(&b)];
//! let double = PrimFunc::with_root(params, Default::default(), vec![], body, Default::default());
//!
//! let (x, y) = (Tensor::from_vec::<f32>(&[3], vec![1.0, 2.0, 3.0])?, Tensor::zeros(DataType::F32, &[3])?);
//! InterpCx::new(1).run_prim_func(&double, &[Arg::from(&x), Arg::Destination(y.clone())])?;
//! assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`InterpCx`] and its [`run_prim_func`](InterpCx::run_prim_func) and
//! [`run_function`](InterpCx::run_function); [`Arg`] and [`Value`]; [`InterpError`] with [`ErrorKind`], the list of
//! what it catches; then `interpreter` (the state of a PrimFunc's run) with `scalar` (expressions), `stmt` (loops),
//! `threads` (barriers), `block` (blocks and their promises) and `memory`; then `graph` (Relax functions), `info`
//! (values against struct infos) and `storage` and `builtin` (operators of the virtual machine).
//!
//! Checks during a run:
//! - every access lies inside its buffer, and inside the regions that the surrounding blocks declare;
//! - memory that the function allocates itself is not read before it is written; it holds seeded garbage, like the
//!   results that `call_tir` allocates and the memory that storage planning gives;
//! - axes of blocks stay inside their domains; instances with different spatial axes write different elements;
//! - parallel, vectorised and thread loops run in a seeded random order, and iterations of a parallel or vectorised
//!   loop do not touch an element that another one writes; threads meet at barriers, and read nothing that another
//!   thread left in `local` memory, or another block in `shared` memory;
//! - tensors that do not alias by promise (`tir.noalias`) do not, where one of them is written;
//! - index arithmetic does not overflow, and no integer division faults;
//! - every value of a graph is what its struct info says.
//!
//! Invariants: scalar operations mean what [`tilewright_expr::semantics`] says and are computed nowhere else. The crate
//! knows no target, keeps no state between runs but the random numbers of its context, and contains no `unsafe`.

mod block;
mod builtin;
mod data_dependent;
mod error;
mod foreign;
mod graph;
mod info;
mod interpreter;
mod memory;
mod prim;
mod random;
mod scalar;
mod shape_heap;
mod stmt;
mod storage;
mod threads;
mod value;

use std::cell::Cell;
use std::fmt;

use tilewright_ir::pass::Evaluator;
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{IRModule, low::LowTir};
use tilewright_support::Map;
use tilewright_tensor::Tensor;

pub use error::{ErrorKind, InterpError, Location};
pub use random::Random;
pub use value::{Arg, Closure, Value};

/// A function of the host that graphs call by name. It writes destinations in place
/// ([`Tensor::overwrite`](tilewright_tensor::Tensor::overwrite)); an `Err` is its message.
pub type Packed = Box<dyn Fn(&[Value]) -> Result<Value, String>>;

/// The context of a run besides the program and its arguments.
pub struct InterpCx {
    /// The functions for `call_packed` and `call_dps_packed`.
    pub packed: Map<String, Packed>,
    /// How deep calls of graph functions may nest.
    pub max_depth: usize,
    /// The maximum number of bytes of one buffer or tensor that the program allocates.
    pub max_bytes: usize,
    random: Cell<Random>,
}

impl Default for InterpCx {
    fn default() -> Self {
        Self::new(0)
    }
}

impl fmt::Debug for InterpCx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> = self.packed.keys().collect();
        names.sort();
        f.debug_struct("InterpCx").field("packed", &names).field("max_depth", &self.max_depth).finish_non_exhaustive()
    }
}

impl InterpCx {
    /// A context whose garbage and random orders follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self { packed: Map::default(), max_depth: 1000, max_bytes: 1 << 30, random: Cell::new(Random::new(seed)) }
    }

    /// Adds a host function.
    #[must_use]
    pub fn with_packed(
        mut self,
        name: impl Into<String>,
        function: impl Fn(&[Value]) -> Result<Value, String> + 'static,
    ) -> Self {
        self.packed.insert(name.into(), Box::new(function));
        self
    }

    /// Runs a PrimFunc of any form on its arguments, one for each parameter. Tensors are written in place; after an
    /// error their contents are unspecified.
    pub fn run_prim_func(&self, function: &PrimFunc, args: &[Arg]) -> Result<(), InterpError> {
        prim::run(self, function.global_symbol().unwrap_or("PrimFunc"), function, args)
    }

    /// Runs a flat function; its parameters are those of its kernel (all buffers, then all scalars).
    pub fn run_low(&self, function: &LowTir, args: &[Arg]) -> Result<(), InterpError> {
        prim::run(self, function.symbol(), function.function(), args)
    }

    /// Runs a graph function of the module and gives its result. A PrimFunc runs too, writing its tensors in place.
    pub fn run_function(&self, module: &IRModule, name: &str, args: &[Value]) -> Result<Value, InterpError> {
        graph::run(self, module, name, args)
    }

    /// The generator of this context's random numbers.
    fn random(&self) -> Random {
        let mut random = self.random.get();
        let fork = random.fork();
        self.random.set(random);
        fork
    }
}

impl Evaluator for InterpCx {
    fn run(&self, function: &PrimFunc, args: &[Tensor]) -> Result<(), String> {
        let args: Vec<Arg> = args.iter().cloned().map(Arg::Tensor).collect();
        self.run_prim_func(function, &args).map_err(|e| e.to_string())
    }
}
