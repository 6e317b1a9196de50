//! Loops.

use ruff_python_ast as ast;
use tilewright_ir::Attrs;
use tilewright_ir::tir::{BinOp, Expr, ForKind, Range, StmtKind, Var};
use tilewright_support::Diagnostic;

use super::stmt::Pieces;
use super::target_names;
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res, count};
use crate::parse::star;
use crate::parse::value::Value;

/// How the iterations of one `for` run.
struct Domain {
    ranges: Vec<Range>,
    /// For a loop that does not count by one: its start and its step. The range is that of its iterations.
    step: Option<(Expr, Expr)>,
    kind: ForKind,
    annotations: Attrs,
}

impl Parser<'_> {
    pub(super) fn for_statement(&mut self, stmt: &ast::StmtFor, pieces: &mut Pieces) -> Res<()> {
        self.no_async(stmt.is_async, stmt);
        if let Some(first) = stmt.orelse.first() {
            self.fail(codes::FORM, first, "a loop has no `else`", "");
        }
        let names = target_names(&stmt.target)
            .ok_or_else(|| self.fail(codes::FORM, &*stmt.target, "expected the names of loop variables", ""));
        let domain = self.domain(&stmt.iter).inspect(|domain| self.warn_of_empty_loops(&stmt.iter, domain));
        let domain = match (&names, domain) {
            (Ok(names), Ok(domain)) if star::targets(&stmt.target, domain.ranges.len()).is_none() => {
                let message =
                    format!("{} for {}", count(names.len(), "loop variable"), count(domain.ranges.len(), "extent"));
                Err(self.fail(codes::ARGUMENTS, &*stmt.target, message, ""))
            }
            (_, domain) => domain,
        };
        let names = names.unwrap_or_default();
        let Ok(domain) = domain else {
            self.poisoned(&names, &stmt.body);
            return Err(Reported);
        };
        let targets = star::targets(&stmt.target, domain.ranges.len()).unwrap_or_default();
        let texts = targets.iter().flat_map(|target| (0..target.values).map(|index| target.name_of(index)));
        let vars: Vec<_> = texts.zip(&domain.ranges).map(|(name, r)| Var::new(name, r.extent.dtype)).collect();
        self.frame().nested += 1;
        let mut body = self.scoped(|parser| {
            let values = vars.iter().map(|var| Value::Scalar(stepped(&domain.step, var))).collect();
            let _: Res<()> = parser.define_targets(&targets, values);
            for (var, range) in vars.iter().zip(&domain.ranges) {
                parser.tir.loops.insert(var.id(), range.clone());
            }
            parser.suite(&stmt.body)
        });
        self.frame().nested -= 1;
        for (var, Range { min, extent }) in vars.into_iter().zip(domain.ranges).rev() {
            let (kind, annotations) = (domain.kind.clone(), domain.annotations.clone());
            body = StmtKind::For { var, min, extent, kind, annotations, body }.into();
        }
        pieces.push(body);
        Ok(())
    }

    /// Reads a suite whose names are in error, for the errors that do not come from them.
    fn poisoned(&mut self, names: &[&ast::ExprName], body: &[ast::Stmt]) {
        self.frame().nested += 1;
        self.scoped(|parser| {
            names.iter().for_each(|name| parser.scopes.define(&name.id, Value::Poison));
            parser.suite(body);
        });
        self.frame().nested -= 1;
    }

    fn domain(&mut self, iter: &ast::Expr) -> Res<Domain> {
        let ast::Expr::Call(call) = iter else {
            let label = format!("such as `{}(n)`", self.spell("script.tir.serial"));
            return Err(self.fail(codes::FORM, iter, "a loop runs over a range", label));
        };
        let path = self.path(&call.func);
        let name = match (&path, &*call.func) {
            (Some(path), _) => path.strip_prefix("script.tir.").unwrap_or(path),
            (None, ast::Expr::Name(name)) if name.id == "range" => "range",
            (None, other) => {
                let message = format!("`{}` is no range for a loop", self.text_of(other));
                return Err(self.fail(codes::FORM, other, message, ""));
            }
        };
        let kind = match name {
            "grid" => return self.grid(call),
            "range" | "serial" => ForKind::Serial,
            "parallel" => ForKind::Parallel,
            "vectorized" => ForKind::Vectorized,
            "unroll" => ForKind::Unrolled,
            "thread_binding" => return self.thread_binding(call),
            _ => {
                let text = self.text_of(&*call.func).to_owned();
                let known = ["grid", "range", "serial", "parallel", "vectorized", "unroll", "thread_binding"];
                let known = known.map(|name| self.spell(&format!("script.tir.{name}")));
                let message = format!("`{text}` is no range for a loop");
                let known = known.iter().map(String::as_str);
                return Err(self.unknown(codes::UNKNOWN_FUNCTION, &*call.func, message, &text, known));
            }
        };
        const PARAMS: [&str; 4] = ["start|begin", "stop|end", "step", "annotations"];
        // Annotations are given by name.
        let params = if call.arguments.args.len() > 3 { &PARAMS[..3] } else { &PARAMS[..] };
        let bound = self.bind(call, params, 1)?;
        let annotations = bound[3].map_or(Ok(Attrs::new()), |node| self.attrs_argument(Some(node)))?;
        let step = bound[2].filter(|step| !step.is_none_literal_expr());
        if let Some(step_node) = step {
            let step = self.integer(step_node)?;
            if step != 1 {
                return self.stepping(&bound, step_node, step, kind, annotations);
            }
        }
        let range = self.start_stop(bound[0], bound[1])?;
        if kind == ForKind::Unrolled && range.extent.as_int().is_none() {
            let message = "the extent of an unrolled loop is not a constant";
            let help = format!("count with `{}`, which takes any extent", self.spell("script.tir.serial"));
            let span = self.span(bound[1].or(bound[0]).unwrap_or(&call.func));
            return Err(self.report(Diagnostic::error(codes::UNROLLED, message).at(span).help(help)));
        }
        Ok(Domain { ranges: vec![range], step: None, kind, annotations })
    }

    /// `range(start, stop, step)`: as many iterations as Python's.
    fn stepping(
        &mut self,
        bound: &[Option<&ast::Expr>],
        step_node: &ast::Expr,
        step: i64,
        kind: ForKind,
        annotations: Attrs,
    ) -> Res<Domain> {
        if step == 0 {
            return Err(self.fail(codes::RANGE, step_node, "a loop cannot count by 0", ""));
        }
        let Range { min: start, extent } = self.start_stop(bound[0], bound[1])?;
        // From `start` to before `stop`, or down to after it: the distance, divided and rounded up.
        let distance = if step > 0 { extent } else { Expr::int(0, extent.dtype) - extent };
        let size = Expr::int(step.checked_abs().unwrap_or(i64::MAX), distance.dtype);
        let count = &distance + &(&size - 1);
        let count = Expr::binary(BinOp::FloorDiv, &count, &size);
        let count = self.checked(step_node, count)?;
        let count = self.infer.analyzer.simplify(&count);
        let step = Expr::int(step, start.dtype);
        Ok(Domain { ranges: vec![Range::up_to(count)], step: Some((start, step)), kind, annotations })
    }

    /// A negative extent runs nothing, as in Python; where it is written as a number it is a mistake all the same, most
    /// often in a captured value.
    fn warn_of_empty_loops(&mut self, iter: &ast::Expr, domain: &Domain) {
        if let Some(extent) = domain.ranges.iter().find_map(|range| range.extent.as_int().filter(|&extent| extent < 0))
        {
            let message = format!("a loop over {extent} iterations never runs");
            let warning = Diagnostic::warning(codes::RANGE, message).at(self.span(iter)).label("expected 0 or more");
            self.diagnostics.push(warning);
        }
    }

    fn grid(&mut self, call: &ast::ExprCall) -> Res<Domain> {
        if let Some(keyword) = call.arguments.keywords.first() {
            return Err(self.fail(codes::ARGUMENTS, keyword, "a grid takes extents only", ""));
        }
        let ranges: Vec<_> = call.arguments.args.iter().map(|extent| self.start_stop(Some(extent), None)).collect();
        let ranges = ranges.into_iter().collect::<Res<_>>()?;
        Ok(Domain { ranges, step: None, kind: ForKind::Serial, annotations: Attrs::new() })
    }

    fn thread_binding(&mut self, call: &ast::ExprCall) -> Res<Domain> {
        let mut bound = self.bind(call, &["start|begin", "stop|end", "thread", "annotations"], 1)?;
        if bound[2].is_none() && matches!(bound[1], Some(ast::Expr::StringLiteral(_))) {
            bound.swap(1, 2);
        }
        let range = self.start_stop(bound[0], bound[1])?;
        let Some(thread) = bound[2] else {
            return Err(self.fail(codes::ARGUMENTS, call, "a thread binding needs `thread=\"…\"`", ""));
        };
        let thread = self.string(thread)?;
        let annotations = bound[3].map_or(Ok(Attrs::new()), |node| self.attrs_argument(Some(node)))?;
        Ok(Domain { ranges: vec![range], step: None, kind: ForKind::ThreadBinding(thread), annotations })
    }

    /// The range of `start, stop`, or of an extent alone.
    pub(super) fn start_stop(&mut self, start: Option<&ast::Expr>, stop: Option<&ast::Expr>) -> Res<Range> {
        let start_node = start.ok_or(Reported)?;
        let stop = stop.filter(|stop| !stop.is_none_literal_expr());
        let Some(stop_node) = stop else {
            let extent = self.integer_scalar(start_node)?;
            return Ok(Range::up_to(extent));
        };
        let (start, stop) = (self.eval(start_node), self.eval(stop_node));
        let (start, stop) = self.unify([start_node, stop_node], start?, stop?)?;
        self.check_integer(start_node, &start)?;
        self.check_integer(stop_node, &stop)?;
        crate::spelling::range_between(&start, &stop).ok_or_else(|| {
            let message = format!("start and stop of types {} and {}", start.dtype, stop.dtype);
            self.fail(codes::DTYPE, stop_node, message, "")
        })
    }

    fn integer_scalar(&mut self, node: &ast::Expr) -> Res<Expr> {
        let scalar = self.scalar(node, None)?;
        self.check_integer(node, &scalar)?;
        Ok(scalar)
    }

    pub(super) fn check_integer(&mut self, node: &ast::Expr, scalar: &Expr) -> Res<()> {
        if scalar.dtype.is_int() && scalar.dtype.is_scalar() {
            return Ok(());
        }
        Err(self.fail(codes::DTYPE, node, format!("expected an integer, found {}", scalar.dtype), ""))
    }
}

/// The value of a loop's name: its variable, or where a loop that counts by another step is.
fn stepped(step: &Option<(Expr, Expr)>, var: &Var) -> Expr {
    match step {
        None => Expr::var(var),
        Some((start, step)) if start.as_int() == Some(0) => Expr::var(var) * step.clone(),
        Some((start, step)) => start + &(Expr::var(var) * step.clone()),
    }
}
