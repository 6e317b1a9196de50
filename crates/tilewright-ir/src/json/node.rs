//! The kinds of IR that may be saved by themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_expr::node::{EqCx, HashCx, IrNode, Mismatch};

use crate::relax::{self, Binding, BindingBlock, Constant, Function, GlobalVar, SeqExpr, StructInfo, VDevice};
use crate::tir::{self, Block, Buffer, BufferRegion, IterVar, MatchBuffer, PrimFunc, Range, Stmt};
use crate::{Attr, GlobalInfo, IRModule};

/// Any piece of IR, and lists and maps of such.
#[derive(Clone, Debug, IrNode)]
pub enum Node {
    Module(Arc<IRModule>),
    /// With its name, which has no meaning.
    PrimFunc {
        #[ir(skip)]
        name: Arc<str>,
        #[ir(flatten)]
        function: Arc<PrimFunc>,
    },
    /// With its name, which has no meaning.
    Function {
        #[ir(skip)]
        name: Arc<str>,
        #[ir(flatten)]
        function: Arc<Function>,
    },
    Scalar(tir::Expr),
    Var(tir::Var),
    Range(Range),
    Buffer(Buffer),
    Region(BufferRegion),
    IterVar(IterVar),
    MatchBuffer(MatchBuffer),
    Stmt(Stmt),
    Block(Arc<Block>),
    Info(StructInfo),
    Relax(relax::Expr),
    GraphVar(relax::Var),
    GlobalVar(GlobalVar),
    Binding(Arc<Binding>),
    BindingBlock(Arc<BindingBlock>),
    Seq(Arc<SeqExpr>),
    Attr(Attr),
    GlobalInfo(GlobalInfo),
    VDevice(VDevice),
    Tensor(Constant),
    /// An operator of either level by its full name.
    Op(#[ir(name = "name")] Arc<str>),
    List(Vec<Node>),
    Map(BTreeMap<Arc<str>, Node>),
}

impl Node {
    /// Structural equality; free variables by identity.
    pub fn compare(&self, other: &Self) -> Result<(), Mismatch> {
        EqCx::compare(self, other)
    }

    pub fn structural_hash(&self) -> u64 {
        HashCx::hash(self)
    }
}

impl From<IRModule> for Node {
    fn from(module: IRModule) -> Self {
        Self::Module(Arc::new(module))
    }
}
