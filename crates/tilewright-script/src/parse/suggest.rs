//! What a user who wrote an unknown function of a namespace may have meant: a near name, or the same name elsewhere.

use ruff_python_ast as ast;
use tilewright_support::{Diagnostic, nearest};

use super::codes;
use super::cx::{Parser, Reported};

impl Parser<'_> {
    /// An unknown function; `own` are those of its namespace and `others` those of the other namespaces, as they are
    /// spelt.
    pub(super) fn unknown_function(&mut self, expr: &ast::Expr, own: &[String], others: &[String]) -> Reported {
        let text = self.text_of(expr).to_owned();
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        // `R.relu` is `R.nn.relu`, and `R.unroll` is `T.unroll`, rather than anything that is spelt alike.
        let same = own.iter().chain(others).find(|name| last(name) == last(&text)).map(String::as_str);
        let near = same.or_else(|| nearest(&text, own.iter().map(String::as_str)));
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_FUNCTION, format!("unknown function `{text}`")).at(self.span(expr));
        self.report(match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        })
    }
}
