//! Names for output: legal in Python, each variable its own among those in scope.

use std::hash::BuildHasher;
use std::ops::Range;

use tilewright_expr::node::VarId;
use tilewright_support::{Map, NearMap, NearSet, Set};
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

/// The sizes of the tables at the start of a scope.
#[derive(Debug)]
struct Scope {
    given: usize,
    ids: usize,
    texts: usize,
}

/// A name that was given, and what for.
#[derive(Clone, Debug)]
struct Given {
    /// Among the texts.
    name: Range<usize>,
    /// The length of the wished name in it, and the number after it, if the wish alone was taken.
    numbered: Option<(usize, usize)>,
}

/// The names in scope.
///
/// The entries of a scope follow those of the enclosing scopes, and are dropped with it at once: there is no text of
/// its own for each name, and a scope of a million names is closed without a look at each.
#[derive(Default, Debug)]
pub(super) struct Names {
    texts: String,
    /// How variables are written, among the texts.
    of: NearMap<VarId, Range<usize>>,
    /// The hashes of the names that are taken. Of two names with one hash the later counts as taken: it gets a number,
    /// and every name stays unique.
    taken: NearSet<u64>,
    reserved: Vec<u64>,
    /// The start of the search for a free number, by wish: the smaller ones are taken.
    next: Map<String, usize>,
    /// From the outermost scope inwards, as are the identities in `of`.
    given: Vec<Given>,
    ids: Vec<VarId>,
    scopes: Vec<Scope>,
}

/// A number for a name; the numbers of `x_1`, `x_2` and so on follow each other, as the names mostly do.
fn hash(name: &str) -> u64 {
    let hash = |stem: &str| Set::<u64>::default().hasher().hash_one(stem);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[stem.len()..];
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    // One nought alone is a number; those before another one belong to the stem.
    let (stem, number) = name.split_at(stem.len() + zeros.min(digits.len().saturating_sub(1)));
    match number.parse::<u64>() {
        Ok(number) => hash(stem).rotate_left(32).wrapping_add(number),
        Err(_) => hash(name),
    }
}

impl Names {
    pub(super) fn of(options: &PrintOptions) -> Self {
        let mut names = Self::default();
        options.words().for_each(|word| names.reserve(word));
        names
    }

    /// Keeps a name from every variable.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(hash(name));
        self.reserved.push(hash(name));
    }

    /// Opens a scope: names that are defined in it are free again after it.
    pub(super) fn open(&mut self) {
        let Self { given, ids, texts, .. } = &*self;
        self.scopes.push(Scope { given: given.len(), ids: ids.len(), texts: texts.len() });
    }

    pub(super) fn close(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        for given in self.given.iter().skip(scope.given) {
            free_number(&mut self.next, &self.texts, given);
        }
        let Self { texts, of, taken, given, ids, .. } = self;
        let hash_of = |given: &Given| hash(&texts[given.name.clone()]);
        if are_most(given.len() - scope.given, taken.capacity()) {
            taken.clear();
            taken.extend(self.reserved.iter().copied().chain(given.iter().take(scope.given).map(hash_of)));
        } else {
            given.iter().skip(scope.given).for_each(|given| _ = taken.remove(&hash_of(given)));
        }
        if are_most(ids.len() - scope.ids, of.capacity()) {
            let kept: Vec<_> = ids.iter().take(scope.ids).filter_map(|id| of.remove_entry(id)).collect();
            of.clear();
            of.extend(kept);
        } else {
            ids.iter().skip(scope.ids).for_each(|id| _ = of.remove(id));
        }
        given.truncate(scope.given);
        ids.truncate(scope.ids);
        texts.truncate(scope.texts);
    }

    /// A name that no other in scope has: the wish, or the wish with the first free number.
    pub(super) fn fresh(&mut self, wish: &str) -> String {
        self.unique(identifier(wish))
    }

    fn unique(&mut self, wish: String) -> String {
        self.give(wish).0
    }

    /// A free name, and where it is among the texts.
    fn give(&mut self, wish: String) -> (String, Range<usize>) {
        let (name, numbered) = if self.taken.insert(hash(&wish)) {
            (wish, None)
        } else {
            let (name, number) = self.numbered(&wish);
            (name, Some((wish.len(), number)))
        };
        let at = self.keep(&name);
        self.given.push(Given { name: at.clone(), numbered });
        (name, at)
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.texts.len();
        self.texts.push_str(text);
        start..self.texts.len()
    }

    /// The wish with the first free number, which is taken now.
    fn numbered(&mut self, wish: &str) -> (String, usize) {
        let next = match self.next.get_mut(wish) {
            Some(next) => next,
            None => self.next.entry(wish.to_owned()).or_insert(1),
        };
        loop {
            let (name, number) = (format!("{wish}_{next}"), *next);
            *next += 1;
            if self.taken.insert(hash(&name)) {
                return (name, number);
            }
        }
    }

    /// Names a variable or buffer.
    pub(super) fn define(&mut self, id: VarId, wish: &str) -> String {
        let (name, at) = self.give(identifier(wish));
        self.written(id, at);
        name
    }

    /// Says how a variable is written that has no name of its own.
    pub(super) fn alias(&mut self, id: VarId, text: &str) {
        let at = self.keep(text);
        self.written(id, at);
    }

    fn written(&mut self, id: VarId, text: Range<usize>) {
        self.of.insert(id, text);
        self.ids.push(id);
    }

    /// Ends the meaning of a variable's name before its scope ends: the name is free again.
    pub(super) fn release(&mut self, id: VarId, name: &str) {
        self.of.remove(&id);
        let Some(own) = self.scopes.last().map(|scope| scope.given) else { return };
        let at = self.given.iter().skip(own).rposition(|given| self.texts[given.name.clone()] == *name);
        if let Some(at) = at {
            let given = self.given.remove(own + at);
            self.taken.remove(&hash(name));
            free_number(&mut self.next, &self.texts, &given);
        }
    }

    pub(super) fn get(&self, id: VarId) -> Option<&str> {
        self.of.get(&id).map(|at| &self.texts[at.clone()])
    }
}

/// Whether that many entries are a share of a table from which on clearing it is cheaper than removing them one by one.
fn are_most(entries: usize, capacity: usize) -> bool {
    entries > capacity / 8
}

/// The search for a free number begins with this name's at the latest.
fn free_number(next: &mut Map<String, usize>, texts: &str, given: &Given) {
    if let Some((wish, number)) = given.numbered
        && let Some(next) = next.get_mut(&texts[given.name.start..given.name.start + wish])
    {
        *next = number.min(*next);
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

/// The wish as the name of a function: it follows `cls.`, and hides nothing.
pub(super) fn function_name(wish: &str) -> String {
    let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let mut name = match wish.bytes().all(plain) {
        true => wish.to_owned(),
        false => other_letters(wish),
    };
    if name.is_empty() || name.starts_with(|c: char| !is_xid_start(c) && c != '_') {
        name.insert(0, 'v');
    }
    if is_keyword(&name) {
        name.push('_');
    }
    name
}

/// The wish with `_` for each character that no identifier has.
fn other_letters(wish: &str) -> String {
    // Python reads names in the form NFKC: another form would come back as another name.
    let normal = is_nfkc(wish);
    let fits = |c: char| if normal { is_xid_continue(c) } else { c.is_ascii_alphanumeric() || c == '_' };
    wish.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

/// The names of a module's functions that are no identifiers, with others that no function has.
pub(super) fn function_names<'n>(names: impl Iterator<Item = &'n str>) -> Map<String, String> {
    let (kept, others): (Vec<&str>, Vec<&str>) = names.partition(|name| function_name(name) == *name);
    if others.is_empty() {
        return Map::default();
    }
    let mut taken = Names::default();
    kept.into_iter().for_each(|name| taken.reserve(name));
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
    fn names_with_numbers_have_hashes_of_their_own_that_follow_each_other() {
        assert_eq!(hash("x_7").wrapping_add(3), hash("x_10"));
        let names = ["x", "x0", "x1", "x00", "x01", "x001", "x_1", "0", "1", "", "x99999999999999999999", "é1", "é"];
        let different: Set<u64> = names.into_iter().map(hash).collect();
        assert_eq!(different.len(), names.len());
    }

    #[test]
    fn names_are_unique_in_scope_and_free_after_it() {
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
