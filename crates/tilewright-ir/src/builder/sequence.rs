//! The sequences that the builder is writing: functions, branches and free sequences, each with one open block.

use tilewright_expr::node::VarId;
use tilewright_support::{Map, NameSupply, Origins};

use super::outputs::expose_used_outside;
use super::{BlockBuilder, BuildError};
use crate::analysis::{erase_dims, find_impure_call};
use crate::relax::{BindingBlock, Expr, Function, GlobalVar, SeqExpr, Var};
use crate::tir::attr_names::GLOBAL_SYMBOL;
use crate::{Attr, Attrs};

/// A list of blocks that is being written.
#[derive(Debug)]
pub(super) struct Sequence {
    blocks: Vec<BindingBlock>,
    pub(super) open: OpenBlock,
    /// The function whose body this is, if it is one.
    function: Option<Begun>,
}

/// The block that bindings go to.
#[derive(Debug, Default)]
pub(super) struct OpenBlock {
    pub(super) dataflow: bool,
    pub(super) bindings: Vec<crate::relax::Binding>,
    /// Operands of shared nodes by address, with the node, which keeps the address.
    pub(super) shared: Map<usize, (Expr, Expr)>,
}

/// The declaration of a function at its begin.
#[derive(Debug)]
struct Begun {
    name: String,
    params: Vec<Var>,
    attrs: Attrs,
    pure: bool,
    /// The names of the function around.
    names: NameSupply,
    origins: Origins,
}

impl Sequence {
    /// Whether it is the body of the function of this name.
    pub(super) fn begins(&self, name: &str) -> bool {
        self.function.as_ref().is_some_and(|begun| begun.name == name)
    }

    pub(super) fn describe(&self) -> String {
        match &self.function {
            Some(function) => format!("function `{}`", function.name),
            None => "a sequence of blocks".to_owned(),
        }
    }

    fn close_block(&mut self, dataflow: bool) -> OpenBlock {
        std::mem::replace(&mut self.open, OpenBlock { dataflow, ..OpenBlock::default() })
    }

    fn push(&mut self, block: BindingBlock) {
        match self.blocks.last_mut() {
            _ if block.bindings.is_empty() => {}
            Some(last) if !last.dataflow && !block.dataflow => last.bindings.extend(block.bindings),
            _ => self.blocks.push(block),
        }
    }
}

/// Blocks, sequences and functions.
impl BlockBuilder {
    /// The block that is open.
    pub(super) fn block(&mut self) -> Result<&mut OpenBlock, BuildError> {
        match self.sequences.last_mut() {
            Some(sequence) => Ok(&mut sequence.open),
            None => {
                Err(BuildError::state("nothing can be emitted here: no function is open, or it has its output already"))
            }
        }
    }

    /// Whether bindings go to a dataflow block.
    pub fn in_dataflow(&self) -> bool {
        self.sequences.last().is_some_and(|sequence| sequence.open.dataflow)
    }

    /// Whether a function is being written.
    pub fn in_function(&self) -> bool {
        self.sequences.iter().any(|sequence| sequence.function.is_some())
    }

    /// Begins a dataflow block; what was emitted before it is a block of its own.
    pub fn begin_dataflow(&mut self) -> Result<(), BuildError> {
        let sequence = self.sequences.last_mut();
        let sequence = sequence.ok_or_else(|| BuildError::state("a dataflow block is begun outside of a function"))?;
        if sequence.open.dataflow {
            return Err(BuildError::state("a dataflow block is open already"));
        }
        let block = sequence.close_block(true);
        sequence.push(BindingBlock { dataflow: false, bindings: block.bindings });
        Ok(())
    }

    /// Ends the dataflow block that is open. Its own variables are not visible from here on.
    pub fn end_dataflow(&mut self) -> Result<BindingBlock, BuildError> {
        let Some(sequence) = self.sequences.last_mut().filter(|sequence| sequence.open.dataflow) else {
            return Err(BuildError::state("no dataflow block is open"));
        };
        let block = BindingBlock { dataflow: true, bindings: sequence.close_block(false).bindings };
        self.hidden.extend(block.bindings.iter().map(|b| &b.var).filter(|var| var.dataflow).map(Var::id));
        sequence.push(block.clone());
        Ok(block)
    }

    /// Begins a sequence of blocks that belongs to no function yet: a branch, or the body of a function value.
    pub fn begin_sequence(&mut self) {
        self.sequences.push(Sequence { blocks: Vec::new(), open: OpenBlock::default(), function: None });
    }

    /// Ends the innermost sequence with its result.
    pub fn end_sequence(&mut self, result: &Expr) -> Result<SeqExpr, BuildError> {
        match self.sequences.last() {
            Some(sequence) if sequence.function.is_none() => {}
            Some(sequence) => return Err(BuildError::state(format!("{} is open, no sequence", sequence.describe()))),
            None => return Err(BuildError::state("no sequence is open")),
        }
        let result = self.finish_block(result)?;
        let sequence = self.sequences.pop();
        Ok(SeqExpr { blocks: sequence.map(|sequence| sequence.blocks).unwrap_or_default(), result })
    }

    /// Drops the innermost sequence, if one is open: after an error inside it.
    pub fn abandon_sequence(&mut self) {
        if let Some(Sequence { function: Some(begun), .. }) = self.sequences.pop() {
            self.names = begun.names;
            // The scope was begun with the function.
            let _ = self.end_scope();
        }
    }

    /// Begins a public function.
    pub fn begin_function(&mut self, name: &str, params: Vec<Var>) {
        let attrs = Attrs::from([(GLOBAL_SYMBOL.into(), Attr::str(name))]);
        self.begin_function_with(name, params, attrs, true);
    }

    /// Begins a function with these attributes. One without `global_symbol` is private.
    pub fn begin_function_with(&mut self, name: &str, params: Vec<Var>, attrs: Attrs, pure: bool) {
        let mut names = NameSupply::default();
        for param in &params {
            names.reserve(&param.name);
        }
        self.begin_scope(&params);
        let names = std::mem::replace(&mut self.names, names);
        let begun = Begun { name: name.to_owned(), params, attrs, pure, names, origins: self.origins.clone() };
        self.sequences.push(Sequence { blocks: Vec::new(), open: OpenBlock::default(), function: Some(begun) });
    }

    /// Says which parameters the function has that is being written, where that is known only now.
    pub fn set_params(&mut self, params: Vec<Var>) -> Result<(), BuildError> {
        let begun = self.sequences.iter_mut().rev().find_map(|sequence| sequence.function.as_mut());
        let begun = begun.ok_or_else(|| BuildError::state("no function is open"))?;
        begun.params.clone_from(&params);
        for param in &params {
            self.names.reserve(&param.name);
            self.define_dims(&param.struct_info);
        }
        Ok(())
    }

    /// Ends the function with its result and adds it to the module. Its result's struct info is what is known of it by
    /// the dimensions of the parameters alone.
    pub fn emit_func_output(&mut self, result: &Expr) -> Result<GlobalVar, BuildError> {
        match self.sequences.last() {
            Some(sequence) if sequence.function.is_some() => {}
            Some(_) => return Err(BuildError::state("the function ends while a sequence inside it is open")),
            None => return Err(BuildError::state("no function is open, or it has its output already")),
        }
        let result = self.finish_block(result)?;
        let Some(Sequence { blocks, function: Some(begun), .. }) = self.sequences.pop() else {
            return Err(BuildError::state("no function is open"));
        };
        self.end_scope()?;
        self.names = begun.names;
        let mut body = SeqExpr { blocks, result };
        for name in expose_used_outside(&mut body) {
            self.warnings.push(format!(
                "the dataflow variable `{name}` of function `{}` is used outside of its block: it is made an output of it",
                begun.name
            ));
        }
        if begun.pure
            && let Some(call) = find_impure_call(&body)
        {
            let message = format!("function `{}` says that it is pure, and calls {call}", begun.name);
            return Err(BuildError::state(message));
        }
        let defined: Vec<VarId> = begun
            .params
            .iter()
            .flat_map(|param| crate::analysis::definable_dims(&param.struct_info))
            .map(|dim| dim.id())
            .collect();
        let ret = erase_dims(&body.result.struct_info, &|dim| defined.contains(&dim.id()));
        let Begun { name, params, attrs, pure, origins, .. } = begun;
        Ok(self.module.insert_unique(&name, Function { params, body, ret, pure, attrs, origins }))
    }

    /// Ends the block that is open, with the result as an operand.
    fn finish_block(&mut self, result: &Expr) -> Result<Expr, BuildError> {
        if self.in_dataflow() {
            return Err(BuildError::state("a dataflow block is still open"));
        }
        let result = self.normalize_operand(result)?;
        if let Some(sequence) = self.sequences.last_mut() {
            let block = sequence.close_block(false);
            sequence.push(BindingBlock { dataflow: false, bindings: block.bindings });
        }
        Ok(result)
    }
}
