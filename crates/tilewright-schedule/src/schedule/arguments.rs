//! The arguments of a call: by position and by name, blocks by their names, buffers by name or as themselves.
//!
//! A block's name is a call of `get_block` first, which the trace has, too. A buffer becomes its number among those
//! that the block reads or writes, so that a trace says it without naming objects.

use std::sync::Arc;

use tilewright_ir::Attr;
use tilewright_ir::tir::{Block, BufferRegion, StmtKind};
use tilewright_support::nearest;

use super::{Schedule, ScheduleError, default_arg};
use crate::primitive::{Fault, FaultKind, GET_BLOCK, Primitive};
use crate::registry;
use crate::trace::{Arg, Output, Rv};

/// Parameters that take blocks.
const BLOCKS: &[&str] = &["block", "scope_block", "block_or_loop", "consumer_blocks", "target"];

impl Schedule {
    /// Calls a primitive by its name with arguments by position and by name.
    pub fn call_with(
        &mut self,
        name: &str,
        mut positional: Vec<Arg>,
        mut named: Vec<(String, Arg)>,
    ) -> Result<Output, ScheduleError> {
        let wrong = |primitive, message| {
            let kind = FaultKind::Argument;
            ScheduleError { primitive, message, place: None, kind }
        };
        let Some(primitive) = registry::by_name(name) else {
            let near = nearest(name, registry::all().map(|known| known.method));
            let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            return Err(wrong("schedule", format!("there is no primitive `{name}`{hint}")));
        };
        registry::translate(name, &mut positional, &mut named)
            .map_err(|message| wrong(primitive.method, message.to_owned()))?;
        let args = complete(primitive, positional, named).map_err(|message| wrong(primitive.method, message))?;
        let before = (self.handles.len(), self.trace.instructions.len());
        let done = self.resolved(primitive, args).and_then(|args| self.call(primitive, args));
        if done.is_err() {
            self.handles.truncate(before.0);
            self.trace.instructions.truncate(before.1);
        }
        done
    }

    /// The arguments with handles for the names of blocks, and numbers for buffers.
    fn resolved(&mut self, primitive: &'static Primitive, mut args: Vec<Arg>) -> Result<Vec<Arg>, ScheduleError> {
        if primitive.name == GET_BLOCK.name {
            self.name_function(&mut args);
            return Ok(args);
        }
        let function = self.function_of(primitive, &args).ok();
        // As TVM does: consumers come first, and with them their steps in the trace.
        for consumers in [true, false] {
            for (arg, (name, _)) in args.iter_mut().zip(primitive.params) {
                if BLOCKS.contains(name) && (*name == "consumer_blocks") == consumers {
                    self.blocks_by_name(arg, function.as_ref())?;
                }
            }
        }
        let failed = |fault: Fault| {
            let Fault { message, kind, .. } = fault;
            ScheduleError { primitive: primitive.method, message, place: None, kind }
        };
        let block = primitive.params.iter().position(|(name, _)| *name == "block");
        let Some(Arg::Rv(block)) = block.and_then(|at| args.get(at)).cloned() else { return Ok(args) };
        let writes = primitive.params.iter().zip(&args).find(|((name, _), _)| *name == "buf_type");
        let writes = !matches!(writes, Some((_, Arg::Attr(Attr::Str(text)))) if **text == *"read");
        for (arg, (name, _)) in args.iter_mut().zip(primitive.params) {
            match *name {
                "buffer" => *arg = self.slot(block, arg).map_err(failed)?,
                "read_buffer_index" => self.number(block, arg, false).map_err(failed)?,
                "write_buffer_index" => self.number(block, arg, true).map_err(failed)?,
                "buffer_index" => self.number(block, arg, writes).map_err(failed)?,
                "buf_index_array" => {
                    if let Arg::List(items) = arg {
                        items.iter_mut().try_for_each(|item| self.number(block, item, writes)).map_err(failed)?;
                    }
                }
                _ => {}
            }
        }
        Ok(args)
    }

    /// Writes the function that is worked on where a call of `get_block` names none.
    fn name_function(&self, args: &mut [Arg]) {
        if let ([_, function @ Arg::Attr(Attr::None)], Some(name)) = (args, &self.working_on) {
            *function = Arg::Attr(Attr::Str(name.clone()));
        }
    }

    fn blocks_by_name(&mut self, arg: &mut Arg, function: Option<&Arc<str>>) -> Result<(), ScheduleError> {
        match arg {
            Arg::Attr(Attr::Str(_)) => {
                let name = Arg::Attr(function.map_or(Attr::None, |name| Attr::Str(name.clone())));
                let mut args = vec![arg.clone(), name];
                self.name_function(&mut args);
                if let Output::One(rv) = self.call(&GET_BLOCK, args)? {
                    *arg = Arg::Rv(rv);
                }
                Ok(())
            }
            Arg::List(items) => items.iter_mut().try_for_each(|item| self.blocks_by_name(item, function)),
            _ => Ok(()),
        }
    }

    /// A buffer's number among those that a block reads, or writes, in the place of the buffer or of its name.
    fn number(&self, block: Rv, arg: &mut Arg, write: bool) -> Result<(), Fault> {
        match &*arg {
            Arg::Attr(Attr::Str(_)) | Arg::Buffer(_) => {
                let index = self.position(block, arg, write)?;
                let index = index.ok_or_else(|| {
                    let does = if write { "write" } else { "read" };
                    Fault::of_call(format!("the block does not {does} {}", described(arg)))
                })?;
                *arg = Arg::Attr(Attr::Int(index));
            }
            Arg::List(items) => {
                if let Some((other, index)) = said(items) {
                    if other != write {
                        let does = if write { "writes" } else { "reads" };
                        return Err(Fault::of_call(format!("expected a buffer that the block {does}, found {arg}")));
                    }
                    *arg = Arg::Attr(Attr::Int(index));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A buffer's number with whether it is one that the block reads or writes.
    fn slot(&self, block: Rv, arg: &Arg) -> Result<Arg, Fault> {
        match arg {
            Arg::Attr(Attr::Str(_)) | Arg::Buffer(_) => {
                for write in [true, false] {
                    if let Some(index) = self.position(block, arg, write)? {
                        return Ok(Arg::Slot { write, index });
                    }
                }
                Err(Fault::of_call(format!("the block uses no {}", described(arg))))
            }
            Arg::Attr(Attr::Int(index)) => Ok(Arg::Slot { write: true, index: *index }),
            Arg::List(items) => {
                Ok(said(items).map_or_else(|| arg.clone(), |(write, index)| Arg::Slot { write, index }))
            }
            other => Ok(other.clone()),
        }
    }

    /// The number of the one buffer among those that a block reads, or writes, which the argument means.
    fn position(&self, block: Rv, arg: &Arg, write: bool) -> Result<Option<i64>, Fault> {
        let Some(stmt) = self.stmt(block) else { return Ok(None) };
        let StmtKind::Block { block, .. } = &stmt.kind else { return Ok(None) };
        let Block { reads, writes, .. } = block;
        let regions: &[BufferRegion] = if write { writes } else { reads };
        let meant = |region: &BufferRegion| match arg {
            Arg::Buffer(buffer) => region.buffer == *buffer,
            Arg::Attr(Attr::Str(name)) => region.buffer.name == *name,
            _ => false,
        };
        let found: Vec<(usize, &BufferRegion)> = regions.iter().enumerate().filter(|(_, r)| meant(r)).collect();
        match found.as_slice() {
            [] => Ok(None),
            [(at, first), rest @ ..] => match rest.iter().any(|(_, other)| other.buffer != first.buffer) {
                true => Err(Fault::of_call(format!("the block uses several buffers named {}", described(arg)))),
                false => Ok(i64::try_from(*at).ok()),
            },
        }
    }
}

/// `("read", 0)`, or `("write", 0)`.
fn said(items: &[Arg]) -> Option<(bool, i64)> {
    match items {
        [Arg::Attr(Attr::Str(kind)), index] if matches!(&**kind, "read" | "write") => {
            let index = match index {
                Arg::Attr(attr) => attr.as_int(),
                Arg::Expr(expr) => expr.as_int(),
                _ => None,
            };
            Some((&**kind == "write", index?))
        }
        _ => None,
    }
}

fn described(arg: &Arg) -> String {
    match arg {
        Arg::Buffer(buffer) => format!("buffer `{}`", buffer.name),
        Arg::Attr(Attr::Str(name)) => format!("buffer `{name}`"),
        other => format!("buffer {other}"),
    }
}

/// One argument for each parameter.
fn complete(
    primitive: &'static Primitive,
    positional: Vec<Arg>,
    named: Vec<(String, Arg)>,
) -> Result<Vec<Arg>, String> {
    let mut args: Vec<Option<Arg>> = match primitive.params.first() {
        Some((name, _)) if name.starts_with('*') && !matches!(positional.as_slice(), [Arg::List(_)]) => {
            vec![Some(Arg::List(positional))]
        }
        _ => positional.into_iter().map(Some).collect(),
    };
    if args.len() > primitive.params.len() {
        return Err(format!("expected at most {} arguments, found {}", primitive.params.len(), args.len()));
    }
    args.resize(primitive.params.len(), None);
    for (name, arg) in named {
        let name = primitive.param(&name);
        match primitive.params.iter().position(|(known, _)| known.trim_start_matches('*') == name) {
            Some(at) if args.get(at).is_some_and(Option::is_none) => args[at] = Some(arg),
            Some(_) => return Err(format!("argument `{name}` is given twice")),
            None => return Err(format!("there is no argument `{name}`")),
        }
    }
    args.into_iter()
        .zip(primitive.params)
        .map(|(arg, (name, default))| {
            arg.or_else(|| default_arg(*default)).ok_or_else(|| format!("argument `{name}` is missing"))
        })
        .collect()
}
