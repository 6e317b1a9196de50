//! Layers and models as Rust values, in PyTorch's manner: they declare weights when they are made, and write a graph
//! function when they are exported.
//!
//! ```
//! use tilewright_nn::{Exporter, Linear, Path, Result, Tensor, Weights, dims, op};
//! use tilewright_tensor::DataType;
//!
//! struct Mlp {
//!     up: Linear,
//!     down: Linear,
//! }
//!
//! impl Mlp {
//!     fn new(at: &Path) -> Self {
//!         Self { up: Linear::new(&at.join("up"), 784, 128), down: Linear::new(&at.join("down"), 128, 10) }
//!     }
//!
//!     fn forward(&self, x: &Tensor) -> Result<Tensor> {
//!         self.down.forward(&op::relu(&self.up.forward(x)?)?)
//!     }
//! }
//!
//! let weights = Weights::new(DataType::F32);
//! let mlp = Mlp::new(&weights.root());
//! let mut exporter = Exporter::new(&weights);
//! exporter.method("forward").tensor("x", &dims!["n", 784], DataType::F32).write(|args| mlp.forward(&args.tensor("x")?))?;
//! let module = exporter.finish()?;
//! assert_eq!(module.relax("forward").map(|function| function.params.len()), Some(5));
//! assert_eq!(weights.names()[3], "down.bias");
//! # Ok::<(), tilewright_nn::Error>(())
//! ```
//!
//! Reading order: [`Weights`] (what a model declares), [`Tensor`] (a value of the function that is being written),
//! [`op`] (the table of functions of tensors), `layer` (models' parts, such as [`Linear`], and the table of them,
//! [`LAYERS`]), [`KvCache`] (a state that grows),
//! [`Exporter`].
//!
//! Invariants: there is no ambient state, since a tensor knows the function that it belongs to; a module that is
//! written here is, to the letter, what Python's `relax.frontend.nn` writes for the same layers, because Python calls
//! the functions of the tables here ([`Graph::within`]).

mod cache;
mod export;
mod layer;
pub mod op;
mod tensor;
mod weights;

pub use cache::KvCache;
pub use export::{Args, Exporter, Method, Returned};
pub use layer::{
    Conv, Conv1d, Conv2d, Conv3d, ConvOptions, Embedding, GroupNorm, LAYERS, LayerDef, LayerNorm, Linear, RmsNorm,
    forward, layer,
};
pub use tensor::{Error, Graph, Result, Tensor};
pub use weights::{Dim, Path, Weight, Weights};
