//! Names for output: legal in Python, each variable its own among those in scope.

use tilewright_expr::node::VarId;
use tilewright_support::{Map, Set};
use unicode_ident::{is_xid_continue, is_xid_start};
use unicode_normalization::is_nfkc;

use super::PrintOptions;

/// Whether the word is one of Python's own, which names nothing.
#[rustfmt::skip]
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "False" | "None" | "True" | "and" | "as" | "assert" | "async" | "await" | "break" | "class" | "continue" | "def"
        | "del" | "elif" | "else" | "except" | "finally" | "for" | "from" | "global" | "if" | "import" | "in" | "is"
        | "lambda" | "nonlocal" | "not" | "or" | "pass" | "raise" | "return" | "try" | "while" | "with" | "yield"
    )
}

/// Whether the word means something in a script, so that a variable of this name would hide that.
fn has_a_meaning(word: &str) -> bool {
    matches!(
        word,
        "I" | "R" | "T" | "cls" | "float" | "metadata" | "range" | "tvm" | "Module" | "tuple" | "bool" | "int"
    )
}

/// What a scope defined.
#[derive(Default, Debug)]
struct Scope {
    names: Vec<Given>,
    ids: Vec<VarId>,
}

/// A name that was given, and what for.
#[derive(Debug)]
struct Given {
    name: String,
    /// The wish and the number behind it, where the wish alone was taken.
    numbered: Option<(String, usize)>,
}

/// The names in scope.
#[derive(Default, Debug)]
pub(super) struct Names {
    of: Map<VarId, String>,
    taken: Set<String>,
    /// Where the search for a free number begins, by wish: the smaller ones are taken.
    next: Map<String, usize>,
    scopes: Vec<Scope>,
}

impl Names {
    pub(super) fn of(options: &PrintOptions) -> Self {
        Self { taken: options.words().map(str::to_owned).collect(), ..Self::default() }
    }

    /// Keeps a name from every variable.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// Opens a scope: names that are defined in it are free again behind it.
    pub(super) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn close(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        scope.names.into_iter().for_each(|given| self.free(given));
        for id in &scope.ids {
            self.of.remove(id);
        }
    }

    /// A name that no other in scope has: the wish, or the wish with the first free number.
    pub(super) fn fresh(&mut self, wish: &str) -> String {
        self.unique(identifier(wish))
    }

    fn unique(&mut self, wish: String) -> String {
        let (name, numbered) = if self.taken.contains(&wish) {
            let (name, number) = self.numbered(&wish);
            (name, Some((wish, number)))
        } else {
            (wish, None)
        };
        self.taken.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.push(Given { name: name.clone(), numbered });
        }
        name
    }

    /// The wish with the first free number.
    fn numbered(&mut self, wish: &str) -> (String, usize) {
        let next = match self.next.get_mut(wish) {
            Some(next) => next,
            None => self.next.entry(wish.to_owned()).or_insert(1),
        };
        loop {
            let (name, number) = (format!("{wish}_{next}"), *next);
            *next += 1;
            if !self.taken.contains(&name) {
                return (name, number);
            }
        }
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

    /// Ends what a variable's name stands for before its scope does: the name is free again.
    pub(super) fn release(&mut self, id: VarId, name: &str) {
        self.of.remove(&id);
        let Some(scope) = self.scopes.last_mut() else { return };
        if let Some(at) = scope.names.iter().rposition(|given| given.name == name) {
            let given = scope.names.remove(at);
            self.free(given);
        }
    }

    fn free(&mut self, Given { name, numbered }: Given) {
        self.taken.remove(&name);
        if let Some((wish, number)) = numbered
            && let Some(next) = self.next.get_mut(&wish)
        {
            *next = number.min(*next);
        }
    }

    pub(super) fn get(&self, id: VarId) -> Option<&str> {
        self.of.get(&id).map(String::as_str)
    }
}

/// The wish as an identifier of Python that means nothing yet.
pub(super) fn identifier(wish: &str) -> String {
    let mut name = function_name(wish);
    if has_a_meaning(&name) {
        name.push('_');
    }
    name
}

/// The wish as the name of a function: it stands behind `cls.`, and hides nothing.
pub(super) fn function_name(wish: &str) -> String {
    // Python reads names in the form NFKC: another form would come back as another name.
    let fits = |c: char| if is_nfkc(wish) { is_xid_continue(c) } else { c.is_ascii_alphanumeric() || c == '_' };
    let mut name: String = wish.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| !is_xid_start(c) && c != '_') {
        name.insert(0, 'v');
    }
    if is_keyword(&name) {
        name.push('_');
    }
    name
}

/// The names of a module's functions that are no identifiers, with others that no function has.
pub(super) fn function_names<'n>(names: impl Iterator<Item = &'n str>) -> Map<String, String> {
    let (kept, others): (Vec<&str>, Vec<&str>) = names.partition(|name| function_name(name) == *name);
    if others.is_empty() {
        return Map::default();
    }
    let mut taken = Names { taken: kept.into_iter().map(str::to_owned).collect(), ..Names::default() };
    others.into_iter().map(|name| (name.to_owned(), taken.unique(function_name(name)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_of_python_in_its_normal_form() {
        let names = ["mainé", "_x", "1x", "e\u{301}", "ﬁ", "a b", "def", "·a", "", "变量"].map(function_name);
        assert_eq!(names, ["mainé", "_x", "v1x", "e_", "_", "a_b", "def_", "v·a", "v", "变量"]);
    }

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
    fn functions_whose_names_are_no_identifiers_stay_apart() {
        let names = ["a.b", "a_b", "a-b", "T", "lambda", "lambda_"];
        let given = function_names(names.into_iter());
        let mut texts: Vec<&str> = names.iter().map(|name| given.get(*name).map_or(*name, String::as_str)).collect();
        assert_eq!(texts, ["a_b_1", "a_b", "a_b_2", "T", "lambda__1", "lambda_"]);
        texts.sort();
        texts.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    }

    #[test]
    fn a_wish_of_many_is_numbered_in_one_search() {
        let mut names = Names::default();
        for number in 0..50_000 {
            names.open();
            let inner = names.fresh("i");
            names.close();
            assert_eq!(names.fresh("i"), inner);
            assert!(number == 0 || inner == format!("i_{number}"));
        }
    }

    #[test]
    fn every_wish_becomes_an_identifier() {
        for (wish, name) in [("a.b", "a_b"), ("", "v"), ("1x", "v1x"), ("lambda", "lambda_"), ("T", "T_"), ("é", "é")]
        {
            assert_eq!(identifier(wish), name);
        }
    }
}
