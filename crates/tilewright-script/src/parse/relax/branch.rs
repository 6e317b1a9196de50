//! Conditions of a graph: `if c: … y = a` `else: … y = b`.

use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use tilewright_ir::relax::{BindingValue, Expr, SeqExpr};
use tilewright_support::{Diagnostic, with_stack};

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

impl Parser<'_> {
    /// `if c: … y = a` `else: … y = b`: a binding of `y`, the name that both branches end with.
    pub(super) fn graph_if(&mut self, branch: &ast::StmtIf) -> Res<()> {
        let result = self.graph_choice(branch, &branch.test, &branch.body, &branch.elif_else_clauses);
        if result.is_err()
            && let Some(name) = last_name(&branch.body)
        {
            self.scopes.define(&name.id, Value::Poison);
        }
        result
    }

    /// A condition with what follows it: `elif` is a condition inside the other branch.
    fn graph_choice(
        &mut self,
        branch: &impl Ranged,
        test: &ast::Expr,
        body: &[ast::Stmt],
        clauses: &[ast::ElifElseClause],
    ) -> Res<()> {
        let condition = self.graph_expr(test).and_then(|condition| self.leaf(test, condition));
        if self.graph.dataflow.is_some() {
            let message = "a condition cannot be in a dataflow block";
            return Err(self.fail(codes::PLACE, branch, message, ""));
        }
        let then = self.branch(body);
        let otherwise = match clauses {
            [clause] if clause.test.is_none() => self.branch(&clause.body),
            [clause, rest @ ..] => match &clause.test {
                Some(test) => self.branch_of(clause, |parser| {
                    let _: Res<()> = with_stack(|| parser.graph_choice(clause, test, &clause.body, rest));
                }),
                None => Err(self.fail(codes::FORM, clause, "no clause may follow `else`", "")),
            },
            [] => {
                let diagnostic = Diagnostic::error(codes::FORM, "a condition of a graph needs an `else`")
                    .at(self.span(branch))
                    .help("say what the bound name is where the condition is false: `else: y = x`");
                Err(self.report(diagnostic))
            }
        };
        self.joined(branch, test, condition, then, otherwise)
    }

    fn joined(
        &mut self,
        branch: &impl Ranged,
        test: &ast::Expr,
        condition: Res<Expr>,
        then: Res<(String, SeqExpr)>,
        otherwise: Res<(String, SeqExpr)>,
    ) -> Res<()> {
        let (condition, (name, then), (other, otherwise)) = (condition?, then?, otherwise?);
        if name != other {
            let message = format!("the branches end with different names, `{name}` and `{other}`");
            return Err(self.fail(codes::FORM, branch, message, "both have to bind the same one last"));
        }
        let value = Expr::conditional(condition, then, otherwise);
        let value = self.inferred(test, &[test], value)?;
        let origins = self.origins(branch);
        let var = self.emit(&name, value, None, origins)?;
        self.scopes.define(&name, Value::Graph(Expr::var(&var)));
        Ok(())
    }

    /// A branch: its bindings but for the last, whose value is the result; and the name of that last one.
    fn branch(&mut self, body: &[ast::Stmt]) -> Res<(String, SeqExpr)> {
        match body.last() {
            Some(last) => self.branch_of(last, |parser| {
                for stmt in body {
                    let read = parser.graph_statement(stmt);
                    parser.told(stmt, read);
                }
            }),
            None => Err(Reported),
        }
    }

    /// The branch whose statements `read` reads; `end` is its end.
    fn branch_of(&mut self, end: &impl Ranged, read: impl FnOnce(&mut Self)) -> Res<(String, SeqExpr)> {
        let errors = self.errors();
        let blocks = std::mem::take(&mut self.graph.blocks);
        let current = std::mem::take(&mut self.graph.current);
        self.scoped(read);
        let last = match self.graph.current.last().map(|binding| &binding.value) {
            // A cast value stays bound: its dimensions are defined there.
            Some(BindingValue::MatchCast { .. }) => {
                self.graph.current.last().map(|binding| (binding.var.name.to_string(), Expr::var(&binding.var)))
            }
            Some(BindingValue::Expr(_)) => self.graph.current.pop().and_then(|binding| match binding.value {
                BindingValue::Expr(value) => Some((binding.var.name.to_string(), value)),
                BindingValue::MatchCast { .. } => None,
            }),
            None => None,
        };
        self.close_block(false);
        let blocks = std::mem::replace(&mut self.graph.blocks, blocks);
        self.graph.current = current;
        if self.errors() > errors {
            return Err(Reported);
        }
        match last {
            Some((name, result)) => Ok((name, SeqExpr { blocks, result })),
            None => Err(self.fail(codes::FORM, end, "a branch ends with `name = value`", "")),
        }
    }
}

/// The name that a suite binds last.
fn last_name(body: &[ast::Stmt]) -> Option<&ast::ExprName> {
    match body.last()? {
        ast::Stmt::Assign(assign) => assign.targets.first()?.as_name_expr(),
        ast::Stmt::AnnAssign(assign) => assign.target.as_name_expr(),
        _ => None,
    }
}
