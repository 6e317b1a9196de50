//! Names for output: legal in Python, each variable its own among those in scope.

use tilewright_expr::node::VarId;
use tilewright_support::{Map, Set};

/// Words that a name of the user's must not become.
const RESERVED: [&str; 47] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "I", "R", "T", "cls", "float", "metadata",
    "range", "tvm", "Module", "tuple", "bool", "int",
];

/// What a scope defined.
#[derive(Default, Debug)]
struct Scope {
    names: Vec<String>,
    ids: Vec<VarId>,
}

/// The names in scope.
#[derive(Default, Debug)]
pub(super) struct Names {
    of: Map<VarId, String>,
    taken: Set<String>,
    /// Where the search for a free number begins, by wish.
    next: Map<String, usize>,
    scopes: Vec<Scope>,
}

impl Names {
    /// Opens a scope: names that are defined in it are free again behind it.
    pub(super) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn close(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        for name in &scope.names {
            self.taken.remove(name);
        }
        for id in &scope.ids {
            self.of.remove(id);
        }
        self.next.clear();
    }

    /// A name that no other in scope has: the wish, or the wish with the first free number.
    pub(super) fn fresh(&mut self, wish: &str) -> String {
        let wish = identifier(wish);
        let mut name = wish.clone();
        if self.taken.contains(&name) {
            let next = self.next.entry(wish.clone()).or_insert(1);
            loop {
                name = format!("{wish}_{next}");
                *next += 1;
                if !self.taken.contains(&name) {
                    break;
                }
            }
        }
        self.taken.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.push(name.clone());
        }
        name
    }

    /// Names a variable or buffer.
    pub(super) fn define(&mut self, id: VarId, wish: &str) -> String {
        let name = self.fresh(wish);
        self.alias(id, name.clone());
        name
    }

    /// Says how a variable is written that has no name of its own.
    pub(super) fn alias(&mut self, id: VarId, text: String) {
        self.of.insert(id, text);
        if let Some(scope) = self.scopes.last_mut() {
            scope.ids.push(id);
        }
    }

    pub(super) fn get(&self, id: VarId) -> Option<&str> {
        self.of.get(&id).map(String::as_str)
    }
}

/// The wish as an identifier of Python that means nothing yet.
pub(super) fn identifier(wish: &str) -> String {
    let mut name: String = wish.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'v');
    }
    if RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_in_scope_and_free_behind_it() {
        let mut names = Names::default();
        assert_eq!((names.fresh("i"), names.fresh("i")), ("i".into(), "i_1".into()));
        names.open();
        assert_eq!((names.fresh("i"), names.fresh("j")), ("i_2".into(), "j".into()));
        names.close();
        assert_eq!((names.fresh("j"), names.fresh("i_2")), ("j".into(), "i_2".into()));
    }

    #[test]
    fn every_wish_becomes_an_identifier() {
        for (wish, name) in [("a.b", "a_b"), ("", "v"), ("1x", "v1x"), ("lambda", "lambda_"), ("T", "T_"), ("é", "_")]
        {
            assert_eq!(identifier(wish), name);
        }
    }
}
