//! Suggestions for an unknown name: a similar name, the same name elsewhere, or the name in other libraries.

use ruff_python_ast as ast;
use tilewright_support::{Diagnostic, nearest};

use super::codes;
use super::cx::{Parser, Reported};

/// Functions of loops under the names that NumPy, C and graphs have for them.
const NAMESAKES: [(&str, &str); 12] = [
    ("maximum", "max"),
    ("minimum", "min"),
    ("power", "pow"),
    ("float", "float32"),
    ("double", "float64"),
    ("half", "float16"),
    ("int", "int32"),
    ("long", "int64"),
    ("uint", "uint32"),
    ("where", "Select"),
    ("fabs", "abs"),
    ("astype", "Cast"),
];

/// Names of a data type in other libraries.
pub(super) fn usual_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" | "single" | "fp32" | "f32" => "float32",
        "double" | "fp64" | "f64" => "float64",
        "half" | "fp16" | "f16" => "float16",
        "bf16" => "bfloat16",
        "int" | "i32" => "int32",
        "long" | "i64" => "int64",
        "short" | "i16" => "int16",
        "byte" | "u8" => "uint8",
        "uint" | "u32" => "uint32",
        "char" | "i8" => "int8",
        _ => return None,
    })
}

impl Parser<'_> {
    /// The function of the level that is being read which is called like that, elsewhere if not here.
    pub(super) fn namesake(&self, name: &str) -> Option<String> {
        if !self.in_prim_func() {
            let own = super::relax::all_names().find(|own| own.rsplit('.').next() == Some(name))?;
            return Some(self.spell(&format!("script.relax.{own}")));
        }
        let usual = NAMESAKES.iter().find(|(elsewhere, _)| *elsewhere == name).map_or(name, |(_, own)| own);
        let known = super::tir::all_names().iter().any(|own| own == usual);
        known.then(|| self.spell(&format!("script.tir.{usual}")))
    }

    /// An unknown function; `own` are those of its namespace and `others` those of the other namespaces, as they are
    /// spelt.
    pub(super) fn unknown_function(&mut self, expr: &ast::Expr, own: &[String], others: &[String]) -> Reported {
        let text = self.text_of(expr).to_owned();
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        // `R.relu` is `R.nn.relu`, and `R.unroll` is `T.unroll`, rather than anything that is spelt alike.
        let same = own.iter().chain(others).find(|name| last(name) == last(&text)).map(String::as_str);
        let here = self.in_prim_func().then(|| self.namesake(&last(&text))).flatten();
        let same = here.as_deref().filter(|here| *here != text).or(same);
        let near = same.or_else(|| nearest(&text, own.iter().map(String::as_str)));
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_FUNCTION, format!("unknown function `{text}`")).at(self.span(expr));
        self.report(match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        })
    }
}
