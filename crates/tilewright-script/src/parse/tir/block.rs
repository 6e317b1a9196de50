//! Blocks: axes, regions, and the other statements at their top.

use std::sync::Arc;

use ruff_python_ast as ast;
use tilewright_ir::Attrs;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    Block, Buffer, BufferRegion, Expr, IterKind, IterVar, MatchBuffer, Range, Stmt, StmtKind, Var,
};
use tilewright_support::Diagnostic;
use tilewright_tensor::DataType;

use super::stmt::Pieces;
use super::target_names;
use super::with::With;
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res, count};
use crate::parse::star;
use crate::parse::value::Value;

/// The statements at the top of a block, collected.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    name: Arc<str>,
    iters: Vec<IterVar>,
    values: Vec<Expr>,
    predicate: Option<Expr>,
    reads: Option<Vec<BufferRegion>>,
    writes: Option<Vec<BufferRegion>>,
    annotations: Attrs,
    pub(super) alloc_buffers: Vec<Buffer>,
    match_buffers: Vec<MatchBuffer>,
    init: Option<Stmt>,
    /// Whether a statement of the block could not be read.
    pub(super) in_error: bool,
    /// Loops and conditions of this block around the current statement.
    pub(super) nested: usize,
}

impl Frame {
    pub(super) fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            iters: Vec::new(),
            values: Vec::new(),
            predicate: None,
            reads: None,
            writes: None,
            annotations: Attrs::new(),
            alloc_buffers: Vec::new(),
            match_buffers: Vec::new(),
            init: None,
            in_error: false,
            nested: 0,
        }
    }
}

impl Parser<'_> {
    /// The block around the current statement.
    pub(super) fn frame(&mut self) -> &mut Frame {
        if self.tir.frames.is_empty() {
            self.tir.frames.push(Frame::new(""));
        }
        let last = self.tir.frames.len() - 1;
        &mut self.tir.frames[last]
    }

    /// `with T.block("name"):`.
    pub(super) fn block(&mut self, with: With<'_>, call: &ast::ExprCall, pieces: &mut Pieces) -> Res<()> {
        let name = match self.bind(call, &["name", "no_realize"], 0) {
            Ok(bound) => bound[0].map_or(Ok("".into()), |name| self.string(name)),
            Err(reported) => Err(reported),
        };
        let at_top = self.tir.frames.len() == 1 && self.frame().nested == 0;
        let span = self.span(with.stmt);
        self.tir.frames.push(Frame::new(name.clone().unwrap_or_else(|_| "".into())));
        let body = self.scoped(|parser| parser.inside(with));
        let Some(frame) = self.tir.frames.pop() else { return Err(Reported) };
        name?;
        let mut block = Block {
            name: frame.name,
            iters: frame.iters,
            alloc_buffers: frame.alloc_buffers,
            match_buffers: frame.match_buffers,
            reads: Vec::new(),
            writes: Vec::new(),
            annotations: frame.annotations,
            init: frame.init,
            body,
            origins: tilewright_support::Origins::at(span),
        };
        // A root block that is written out is the implicit one: it says nothing of regions unless the user does.
        let silent_root = at_top && block.iters.is_empty() && &*block.name == "root";
        let silent = frame.reads.is_none() && frame.writes.is_none();
        if !(silent_root && silent) {
            let inferred = block_regions(&block);
            block.reads = frame.reads.unwrap_or(inferred.reads);
            block.writes = frame.writes.unwrap_or(inferred.writes);
        }
        let predicate = frame.predicate.unwrap_or_else(|| Expr::bool(true));
        pieces.push(StmtKind::Block { values: frame.values, predicate, block });
        Ok(())
    }

    /// `with T.init():`.
    pub(super) fn init(&mut self, with: With<'_>, call: &ast::ExprCall) -> Res<()> {
        let placed = self.bind(call, &[], 0).and_then(|_| self.at_top_of_block(call));
        let init = self.nested_inside(with);
        placed?;
        if self.frame().init.is_some() {
            return Err(self.fail(codes::BOUND_TWICE, call, "a block has one init", ""));
        }
        self.frame().init = Some(init);
        Ok(())
    }

    fn at_top_of_block(&mut self, call: &ast::ExprCall) -> Res<()> {
        if self.tir.frames.len() > 1 && self.frame().nested == 0 {
            return Ok(());
        }
        let text = self.text_of(&*call.func).to_owned();
        let block = self.spell("script.tir.block");
        let diagnostic = Diagnostic::error(codes::PLACE, format!("`{text}` belongs to the top of a block"))
            .at(self.span(call))
            .help(format!("put it right below `with {block}(\"name\"):`"));
        Err(self.report(diagnostic))
    }

    /// `T.reads(…)`, `T.writes(…)`, `T.where(…)`, `T.block_attr(…)`.
    pub(super) fn block_statement(&mut self, name: &str, call: &ast::ExprCall) -> Res<()> {
        self.at_top_of_block(call)?;
        match name {
            "where" => {
                let bound = self.bind(call, &["predicate"], 1)?;
                let predicate = self.condition(bound[0].ok_or(Reported)?)?;
                if self.frame().predicate.is_some() {
                    return Err(self.fail(codes::BOUND_TWICE, call, "a block has one predicate", ""));
                }
                self.frame().predicate = Some(predicate);
            }
            "block_attr" | "sblock_attr" => {
                let bound = self.bind(call, &["attrs"], 1)?;
                let attrs = self.attrs_argument(bound[0])?;
                self.frame().annotations.extend(attrs);
            }
            _ => {
                self.no_keywords(call)?;
                let regions: Vec<_> = call.arguments.args.iter().map(|arg| self.regions(arg)).collect();
                let regions = regions.into_iter().collect::<Res<Vec<_>>>()?.concat();
                let frame = self.frame();
                let slot = if name == "reads" { &mut frame.reads } else { &mut frame.writes };
                if slot.is_some() {
                    return Err(self.fail(codes::BOUND_TWICE, call, format!("a block says once what it {name}"), ""));
                }
                *slot = Some(regions);
            }
        }
        Ok(())
    }

    /// One region, or a list of some.
    fn regions(&mut self, node: &ast::Expr) -> Res<Vec<BufferRegion>> {
        match node {
            ast::Expr::List(list) => Ok(list.elts.iter().map(|e| self.regions(e)).collect::<Res<Vec<_>>>()?.concat()),
            ast::Expr::Tuple(list) => Ok(list.elts.iter().map(|e| self.regions(e)).collect::<Res<Vec<_>>>()?.concat()),
            one => Ok(vec![self.region(one)?]),
        }
    }

    /// `A[i, 0:4]`, or a whole buffer.
    fn region(&mut self, node: &ast::Expr) -> Res<BufferRegion> {
        let ast::Expr::Subscript(subscript) = node else {
            return match self.eval(node)? {
                Value::Buffer(buffer) => {
                    let region = buffer.shape.iter().map(|extent| Range::up_to(extent.clone())).collect();
                    Ok(BufferRegion { buffer, region })
                }
                other => Err(self.wrong_kind(node, "a region of a buffer", &other)),
            };
        };
        let buffer = match self.eval(&subscript.value)? {
            Value::Buffer(buffer) => buffer,
            other => return Err(self.wrong_kind(&*subscript.value, "a buffer", &other)),
        };
        let items = match &*subscript.slice {
            ast::Expr::Tuple(tuple) => &tuple.elts[..],
            one => std::slice::from_ref(one),
        };
        self.check_arity(&buffer, items.len(), &*subscript.slice)?;
        let region = items.iter().zip(&buffer.shape).map(|(item, extent)| self.region_range(item, extent));
        let region = region.collect::<Vec<_>>().into_iter().collect::<Res<_>>()?;
        Ok(BufferRegion { buffer, region })
    }

    fn region_range(&mut self, item: &ast::Expr, extent: &Expr) -> Res<Range> {
        let ast::Expr::Slice(slice) = item else {
            let index = self.scalar(item, None)?;
            self.check_integer(item, &index)?;
            let one = Expr::int(1, index.dtype);
            return Ok(Range::new(index, one));
        };
        match (&slice.lower, &slice.upper) {
            (None, None) => Ok(Range::up_to(extent.clone())),
            (lower, Some(upper)) => match lower {
                Some(lower) => self.start_stop(Some(lower), Some(upper)),
                None => self.start_stop(Some(upper), None),
            },
            (Some(lower), None) => {
                let lower = self.scalar(lower, Some(extent.dtype))?;
                let range = crate::spelling::range_between(&lower, extent);
                range.ok_or_else(|| self.fail(codes::DTYPE, item, "start and extent have no common type", ""))
            }
        }
    }

    /// `X = T.match_buffer(A[0:4, i], (4,))` of a block.
    pub(super) fn match_region(&mut self, name: &str, call: &ast::ExprCall) -> Res<Buffer> {
        self.at_top_of_block(call)?;
        let Some(source) = call.arguments.find_argument_value("param", 0) else {
            return Err(self.fail(codes::ARGUMENTS, call, "expected a region of a buffer to match", ""));
        };
        let source = self.region(source)?;
        let extents = source.region.iter().map(|range| range.extent.clone()).collect();
        let buffer = self.buffer_over(call, name, true, Some(extents))?;
        if buffer.dtype != source.buffer.dtype {
            let message = format!("`{}` holds {}, `{name}` {}", source.buffer.name, source.buffer.dtype, buffer.dtype);
            return Err(self.fail(codes::DTYPE, call, message, ""));
        }
        self.frame().match_buffers.push(MatchBuffer { buffer: buffer.clone(), source });
        Ok(buffer)
    }

    /// `vi, vj = T.axis.remap("SS", [i, j])`, `vi = T.axis.spatial(n, i)`.
    pub(super) fn axes(&mut self, target: &ast::Expr, kind: &str, call: &ast::ExprCall) -> Res<()> {
        self.at_top_of_block(call)?;
        let axes = match kind {
            "remap" => self.remap(call)?,
            "spatial" | "S" => vec![self.axis(IterKind::Spatial, call)?],
            "reduce" | "R" => vec![self.axis(IterKind::Reduce, call)?],
            "scan" => vec![self.axis(IterKind::Scan, call)?],
            "opaque" | "O" => vec![self.axis(IterKind::Opaque, call)?],
            _ => {
                let text = self.text_of(&*call.func).to_owned();
                let known = ["remap", "spatial", "reduce", "scan", "opaque"];
                let known = known.map(|kind| self.spell(&format!("script.tir.axis.{kind}")));
                let message = format!("unknown kind of axis `{text}`");
                let known = known.iter().map(String::as_str);
                return Err(self.unknown(codes::UNKNOWN_FUNCTION, &*call.func, message, &text, known));
            }
        };
        let Some(targets) = star::targets(target, axes.len()) else {
            let names = target_names(target).map_or(0, |names| names.len());
            let message = format!("{} for {}", count(names, "name"), count(axes.len(), "axis"));
            return Err(self.fail(codes::AXIS, call, message, ""));
        };
        let names = targets.iter().flat_map(|target| (0..target.values).map(|index| target.name_of(index)));
        let mut values = Vec::with_capacity(axes.len());
        for (name, (kind, domain, value)) in names.zip(axes) {
            let var = Var::new(name, domain.extent.dtype);
            values.push(Value::Scalar(Expr::var(&var)));
            let frame = self.frame();
            frame.iters.push(IterVar { var, domain, kind });
            frame.values.push(value);
        }
        self.define_targets(&targets, values)
    }

    fn axis(&mut self, kind: IterKind, call: &ast::ExprCall) -> Res<(IterKind, Range, Expr)> {
        let bound = self.bind(call, &["dom", "value|binding", "dtype"], 2)?;
        let (Some(domain), Some(value)) = (bound[0], bound[1]) else { return Err(Reported) };
        let given = self.eval(value)?;
        let hint = match &given {
            Value::Scalar(scalar) if !scalar.dtype.is_int() => return Err(self.no_index(value, scalar.dtype)),
            Value::Scalar(scalar) => Some(scalar.dtype),
            _ => None,
        };
        let domain = match domain {
            ast::Expr::Tuple(ends) if ends.elts.len() == 2 => {
                self.start_stop(Some(&ends.elts[0]), Some(&ends.elts[1]))?
            }
            extent => {
                let scalar = self.scalar(extent, hint)?;
                self.check_integer(extent, &scalar)?;
                Range::up_to(scalar)
            }
        };
        let scalar = self.scalar_value(value, given, Some(domain.extent.dtype))?;
        if !scalar.dtype.is_int() {
            return Err(self.no_index(value, scalar.dtype));
        }
        let scalar = scalar.cast(domain.extent.dtype);
        let scalar = self.checked(value, scalar)?;
        Ok((kind, domain, scalar))
    }

    fn no_index(&mut self, value: &ast::Expr, dtype: DataType) -> Reported {
        self.fail(codes::AXIS, value, format!("an axis is bound to an integer, found {dtype}"), "")
    }

    fn remap(&mut self, call: &ast::ExprCall) -> Res<Vec<(IterKind, Range, Expr)>> {
        let bound = self.bind(call, &["kinds", "bindings", "dtype"], 2)?;
        let (Some(kinds_node), Some(bindings)) = (bound[0], bound[1]) else { return Err(Reported) };
        let kinds = self.string(kinds_node)?;
        let items: Vec<(&ast::Expr, Res<Value>)> = match bindings {
            ast::Expr::List(list) => list.elts.iter().map(|item| (item, self.eval(item))).collect(),
            ast::Expr::Tuple(tuple) => tuple.elts.iter().map(|item| (item, self.eval(item))).collect(),
            other => match self.eval(other)? {
                Value::Tuple(items) => items.into_iter().map(|item| (other, Ok(item))).collect(),
                found => return Err(self.wrong_kind(other, "a list of loop variables", &found)),
            },
        };
        if kinds.chars().count() != items.len() {
            let (kinds, variables) = (count(kinds.chars().count(), "kind"), count(items.len(), "loop variable"));
            let message = format!("{kinds} for {variables}");
            let label = "one letter for each variable: `S` (spatial), `R` (reduce) or `O` (opaque)";
            return Err(self.fail(codes::AXIS, kinds_node, message, label));
        }
        // One message for the letters, which have one location.
        let letters = kinds.chars().map(|letter| self.axis_letter(kinds_node, letter)).collect::<Res<Vec<_>>>()?;
        let axes: Vec<_> =
            letters.into_iter().zip(items).map(|(kind, (node, item))| self.remapped(kind, node, item?)).collect();
        axes.into_iter().collect()
    }

    fn axis_letter(&mut self, kinds: &ast::Expr, letter: char) -> Res<IterKind> {
        match letter {
            'S' => Ok(IterKind::Spatial),
            'R' => Ok(IterKind::Reduce),
            'O' => Ok(IterKind::Opaque),
            other => {
                let message =
                    format!("unknown kind of axis `{other}`: expected `S` (spatial), `R` (reduce) or `O` (opaque)");
                Err(self.fail(codes::AXIS, kinds, message, ""))
            }
        }
    }

    fn remapped(&mut self, kind: IterKind, item: &ast::Expr, value: Value) -> Res<(IterKind, Range, Expr)> {
        let value = self.scalar_value(item, value, None)?;
        let domain = value.as_var().and_then(|var| self.tir.loops.get(&var.id())).cloned();
        match domain {
            Some(domain) => Ok((kind, domain, value)),
            None => {
                let text = self.text_of(item).to_owned();
                let spatial = self.spell("script.tir.axis.spatial");
                let diagnostic = Diagnostic::error(codes::AXIS, format!("`{text}` is no variable of a loop"))
                    .at(self.span(item))
                    .help(format!("say the extent of the axis: `{spatial}(extent, {text})`"));
                Err(self.report(diagnostic))
            }
        }
    }
}
