//! Starred expressions: `T.Buffer((2, *shape))`, `T.grid(*extents)`, `[i, *others]`.
//!
//! The items are read before the expression that they stand in. Each becomes a name that no text can spell, so that
//! whatever reads tuples, lists and arguments sees items only.

use ruff_python_ast as ast;
use ruff_python_ast::visitor::transformer::{self, Transformer};
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_text_size::{Ranged, TextRange, TextSize};
use tilewright_ir::relax::{self, ExprKind, StructInfo};
use tilewright_support::Map;

use super::cx::{Parser, Reported, Res};
use super::value::Value;

/// The starred expressions of an expression, outermost first; those that Python itself reads are left alone.
struct Stars<'p, 'a, 'e> {
    parser: &'p Parser<'a>,
    found: Vec<&'e ast::ExprStarred>,
}

impl<'e> Visitor<'e> for Stars<'_, '_, 'e> {
    fn visit_expr(&mut self, expr: &'e ast::Expr) {
        match expr {
            ast::Expr::Starred(star) if star.ctx.is_load() => self.found.push(star),
            ast::Expr::Call(call) if self.parser.is_outside(&call.func) => {}
            ast::Expr::Lambda(_) | ast::Expr::ListComp(_) | ast::Expr::Generator(_) => {}
            _ => walk_expr(self, expr),
        }
    }
}

/// Replaces each starred expression by as many names as it has items.
struct Spread(Map<TextSize, (TextRange, usize)>);

impl Spread {
    fn items(&self, items: Vec<ast::Expr>) -> Vec<ast::Expr> {
        let mut spread = Vec::with_capacity(items.len());
        for item in items {
            match self.0.get(&item.start()).filter(|_| item.is_starred_expr()) {
                Some(&(range, count)) => spread.extend((0..count).map(|index| name(range, index))),
                None => spread.push(item),
            }
        }
        spread
    }
}

impl Transformer for Spread {
    fn visit_expr(&self, expr: &mut ast::Expr) {
        match expr {
            ast::Expr::Tuple(tuple) => tuple.elts = self.items(std::mem::take(&mut tuple.elts)),
            ast::Expr::List(list) => list.elts = self.items(std::mem::take(&mut list.elts)),
            ast::Expr::Call(call) => {
                call.arguments.args = self.items(std::mem::take(&mut call.arguments.args).into_vec()).into();
            }
            _ => {}
        }
        transformer::walk_expr(self, expr);
    }
}

/// The name of an item, at the place of its starred expression.
fn name(range: TextRange, index: usize) -> ast::Expr {
    ast::Expr::Name(ast::ExprName {
        node_index: Default::default(),
        range,
        id: id(range, index).into(),
        ctx: ast::ExprContext::Load,
    })
}

fn id(range: TextRange, index: usize) -> String {
    format!("*{}.{index}", u32::from(range.start()))
}

impl Parser<'_> {
    /// The expression with the items of its starred expressions; `None` where there is none.
    pub(super) fn unstarred(&mut self, expr: &ast::Expr) -> Res<Option<ast::Expr>> {
        let mut stars = Stars { parser: self, found: Vec::new() };
        stars.visit_expr(expr);
        let found = stars.found;
        if found.is_empty() {
            return Ok(None);
        }
        let mut spread = Spread(Map::default());
        for star in found {
            let items = match self.eval(&star.value)? {
                Value::Tuple(items) => items,
                Value::Graph(tuple) => self.fields(&star.value, tuple)?,
                other => return Err(self.wrong_kind(&*star.value, "a list or tuple after `*`", &other)),
            };
            spread.0.insert(star.range.start(), (star.range, items.len()));
            for (index, item) in items.into_iter().enumerate() {
                self.scopes.define(&id(star.range, index), item);
            }
        }
        let mut expr = expr.clone();
        spread.visit_expr(&mut expr);
        Ok(Some(expr))
    }

    /// The fields of a tuple of the graph.
    fn fields(&mut self, node: &ast::Expr, tuple: relax::Expr) -> Res<Vec<Value>> {
        if let ExprKind::Tuple(fields) = &tuple.kind {
            return Ok(fields.iter().cloned().map(Value::Graph).collect());
        }
        let StructInfo::Tuple(fields) = tuple.struct_info.clone() else {
            return Err(self.wrong_kind(node, "a list or tuple after `*`", &Value::Graph(tuple)));
        };
        let tuple = self.leaf(node, tuple)?;
        (0..fields.len())
            .map(|index| {
                let field = relax::Expr::tuple_get(tuple.clone(), index);
                self.inferred(node, &[], field).map(Value::Graph)
            })
            .collect()
    }

    /// The statement with the items of the starred expressions in it, but for those in the statements inside it; `None`
    /// where there is none.
    pub(super) fn unstarred_statement(&mut self, stmt: &ast::Stmt) -> Res<Option<ast::Stmt>> {
        let Some(mut changed) = stmt.clone_head() else { return Ok(None) };
        let mut any = false;
        for slot in heads(&mut changed) {
            if let Some(expr) = self.unstarred(slot)? {
                *slot = expr;
                any = true;
            }
        }
        Ok(any.then_some(changed))
    }
}

/// The copy of a statement that has a starred expression in its head.
trait CloneHead: Sized {
    fn clone_head(&self) -> Option<Self>;
}

impl CloneHead for ast::Stmt {
    fn clone_head(&self) -> Option<Self> {
        struct Any(bool);
        impl<'e> Visitor<'e> for Any {
            fn visit_expr(&mut self, expr: &'e ast::Expr) {
                self.0 |= expr.is_starred_expr();
                walk_expr(self, expr);
            }
        }
        let mut any = Any(false);
        let mut look = |expr: &ast::Expr| any.visit_expr(expr);
        match self {
            Self::Expr(stmt) => look(&stmt.value),
            Self::Assign(stmt) => {
                look(&stmt.value);
                stmt.targets.iter().for_each(&mut look);
            }
            Self::AnnAssign(stmt) => {
                look(&stmt.annotation);
                stmt.value.iter().for_each(|value| look(value));
            }
            Self::AugAssign(stmt) => {
                look(&stmt.target);
                look(&stmt.value);
            }
            Self::Return(stmt) => stmt.value.iter().for_each(|value| look(value)),
            Self::For(stmt) => look(&stmt.iter),
            Self::With(stmt) => stmt.items.iter().for_each(|item| look(&item.context_expr)),
            _ => {}
        }
        any.0.then(|| self.clone())
    }
}

/// The expressions of a statement's own.
fn heads(stmt: &mut ast::Stmt) -> Vec<&mut ast::Expr> {
    match stmt {
        ast::Stmt::Expr(stmt) => vec![&mut *stmt.value],
        ast::Stmt::Assign(stmt) => stmt.targets.iter_mut().chain([&mut *stmt.value]).collect(),
        ast::Stmt::AnnAssign(stmt) => {
            let value = stmt.value.iter_mut().map(|value| &mut **value);
            [&mut *stmt.annotation].into_iter().chain(value).collect()
        }
        ast::Stmt::AugAssign(stmt) => vec![&mut *stmt.target, &mut *stmt.value],
        ast::Stmt::Return(stmt) => stmt.value.iter_mut().map(|value| &mut **value).collect(),
        ast::Stmt::For(stmt) => vec![&mut *stmt.iter],
        ast::Stmt::With(stmt) => stmt.items.iter_mut().map(|item| &mut item.context_expr).collect(),
        _ => Vec::new(),
    }
}

/// The targets of an assignment with what each takes of `count` values.
pub(super) struct Target<'e> {
    pub(super) name: &'e ast::ExprName,
    /// Whether it takes a list: a starred name, or a single name for several values.
    pub(super) list: bool,
    pub(super) values: usize,
}

/// Which targets take which of `count` values; `None` if they do not fit.
pub(super) fn targets<'e>(target: &'e ast::Expr, count: usize) -> Option<Vec<Target<'e>>> {
    let items = match target {
        ast::Expr::Name(name) => return Some(vec![Target { name, list: count != 1, values: count }]),
        ast::Expr::Tuple(tuple) => &tuple.elts,
        ast::Expr::List(list) => &list.elts,
        _ => return None,
    };
    let plain = items.iter().filter(|item| !item.is_starred_expr()).count();
    let starred = items.len() - plain;
    if starred > 1 || count < plain || (starred == 0 && plain != count) {
        return None;
    }
    let target = |item: &'e ast::Expr| match item {
        ast::Expr::Name(name) => Some(Target { name, list: false, values: 1 }),
        ast::Expr::Starred(star) => {
            star.value.as_name_expr().map(|name| Target { name, list: true, values: count - plain })
        }
        _ => None,
    };
    items.iter().map(target).collect()
}

impl Target<'_> {
    /// The name of one of its values.
    pub(super) fn name_of(&self, index: usize) -> String {
        if self.list { format!("{}_{index}", self.name.id) } else { self.name.id.to_string() }
    }
}

impl Parser<'_> {
    /// Binds each target to its values, or to their list.
    pub(super) fn define_targets(&mut self, targets: &[Target<'_>], values: Vec<Value>) -> Res<()> {
        let mut values = values.into_iter();
        for target in targets {
            let mut own: Vec<Value> = values.by_ref().take(target.values).collect();
            let value = if target.list { Value::Tuple(own) } else { own.pop().ok_or(Reported)? };
            self.scopes.define(&target.name.id, value);
        }
        Ok(())
    }
}
