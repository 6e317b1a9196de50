//! States of models: rows that calls add to and later calls read.

use std::rc::Rc;

use tilewright_expr::Expr as Scalar;
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_ops::create::zeros;
use tilewright_tensor::DataType;

use crate::tensor::Writer;
use crate::{Error, Graph, Path, Result, Tensor};

const CREATE: &str = "vm.builtin.attention_kv_cache_create";
const APPEND: &str = "vm.builtin.attention_kv_cache_append";
const VIEW: &str = "vm.builtin.attention_kv_cache_view";

/// A state as it is declared.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) rows: i64,
    pub(crate) unit: Vec<i64>,
    pub(crate) dtype: DataType,
}

impl State {
    /// Writes what makes an empty cache.
    pub(crate) fn create(&self, writer: &mut Writer) -> Result<Expr> {
        let shape: Vec<Scalar> = [&[self.rows], &*self.unit].concat().into_iter().map(Scalar::i64).collect();
        let empty = zeros::call(writer.builder.infer_cx(), Expr::shape(shape.clone()), self.dtype)?;
        let args = vec![empty, Expr::shape(shape), Expr::prim(Scalar::i64(0))];
        let made = Expr::call_pure_packed(CREATE, args, vec![StructInfo::Object]);
        Ok(Expr::var(&writer.builder.emit_named(&made, Some(&self.name))?))
    }
}

/// Rows that calls add to and that later calls see: the keys or values of attention. A function with states takes them
/// after its arguments, and gives a pair of its result and the states.
#[derive(Clone, Debug)]
pub struct KvCache {
    index: usize,
    state: Rc<State>,
}

impl KvCache {
    /// Declares a cache with memory for `rows` rows of a shape; it grows as rows are added.
    pub fn new(at: &Path, name: &str, rows: i64, unit: &[i64]) -> Self {
        let (index, state) = at.weights.add_state(at.name(name), rows, unit, at.dtype());
        Self { index, state }
    }

    fn current(&self, graph: &Graph) -> Result<Expr> {
        let state = graph.0.borrow().states.get(self.index).cloned();
        state.ok_or_else(|| Error::new(format!("`{}` is no state of the exported model", self.state.name)))
    }

    /// Adds rows: (count, unit…).
    pub fn append(&self, rows: &Tensor) -> Result<()> {
        let unit: Vec<Scalar> = self.state.unit.iter().map(|&dim| Scalar::i64(dim)).collect();
        let fits = |dims: &[Scalar]| dims.iter().zip(&unit).all(|(a, b)| a.as_int() == b.as_int());
        if rows.dtype()? != self.state.dtype || rows.shape()?.len() != unit.len() + 1 || !fits(&rows.shape()?[1..]) {
            let (name, dtype, unit) = (&self.state.name, self.state.dtype, &self.state.unit);
            return Err(Error::new(format!("`{name}` holds rows of {unit:?} of {dtype}; others are added")));
        }
        let (graph, cache) = (rows.graph(), self.current(rows.graph())?);
        let mut writer = graph.0.borrow_mut();
        let (args, infos) = (vec![cache, rows.expr().clone()], vec![StructInfo::Object]);
        let grown = Expr::call_inplace_packed(writer.builder.infer_cx(), APPEND, args, &[Some(0)], infos)?;
        let grown = writer.builder.emit_named(&grown, Some(&self.state.name))?;
        writer.states[self.index] = Expr::var(&grown);
        Ok(())
    }

    /// All rows, of which there are `count`: (count, unit…).
    pub fn view(&self, graph: &Graph, count: &Scalar) -> Result<Tensor> {
        let dims: Vec<Scalar> =
            std::iter::once(count.clone()).chain(self.state.unit.iter().map(|&dim| Scalar::i64(dim))).collect();
        let info = StructInfo::tensor(dims.clone(), self.state.dtype);
        let rows = Expr::call_pure_packed(VIEW, vec![self.current(graph)?, Expr::shape(dims)], vec![info]);
        graph.emit(&rows, &format!("{}_view", self.state.name))
    }
}
