//! The target of a compilation, and that of a PrimFunc.

use tilewright_support::Diagnostic;
use tilewright_target::{Kind, Target, split_host};

use super::PassCx;
use crate::legalize::{Capabilities, LegalizeCx, Prefetch};
use crate::tir::{PrimFunc, attr_names};
use crate::{Attr, Attrs};

/// Keys of a target dict that are not part of a target string.
const NOT_IN_TARGET_STRINGS: [&str; 3] = ["kind", "host", "tag"];

impl PassCx<'_> {
    /// The machine that is compiled for: the one that was said, else the one that we run on.
    pub fn target(&self) -> Target {
        self.target.clone().unwrap_or_else(Target::host)
    }

    /// What legalisations are told of that machine.
    pub fn legalize_cx(&self) -> LegalizeCx {
        LegalizeCx { capabilities: capabilities(&self.target()) }
    }
}

/// What a target offers to algorithms.
fn capabilities(target: &Target) -> Capabilities {
    let rows = i64::try_from(target.prefetch.scan_rows).unwrap_or(i64::MAX);
    let line_bytes = usize::try_from(target.limits.line_bytes).unwrap_or(usize::MAX);
    match target.kind() {
        // Vectors of 64 bytes on every processor: narrower registers hold parts of them.
        Kind::Cpu => {
            let prefetch = Some(Prefetch { line_bytes, distance_rows: rows });
            Capabilities { prefetch, ..Capabilities::default() }
        }
        // A thread loads and stores 16 bytes at most (CUDA C++ Programming Guide, "Device Memory Accesses"), and
        // threads that wait for memory let others run.
        Kind::Gpu => Capabilities { vector_bytes: 16, parallel_tasks: true, prefetch: None },
    }
}

impl PrimFunc {
    /// The target that the function's attribute `target` says, as a target string or as a dict of options; none where
    /// it has no such attribute. The processor of a device is the one that the attribute names, else that of `around`.
    ///
    /// # Errors
    /// `TW0602`: the attribute names no target.
    pub fn declared_target(&self, around: &Target) -> Result<Option<Target>, Diagnostic> {
        let Some(attr) = self.attrs.get(attr_names::TARGET) else { return Ok(None) };
        let found = read(attr, around).map_err(|problem| {
            let name = self.global_symbol().unwrap_or("a private function");
            let error =
                Diagnostic::error("TW0602", format!("the attribute \"target\" of `{name}` is wrong: {problem}"));
            match self.origins.headline().first() {
                Some(span) => error.at(span.clone()),
                None => error,
            }
        })?;
        Ok(Some(found))
    }
}

fn read(attr: &Attr, around: &Target) -> Result<Target, String> {
    let named: Attr;
    let (text, host) = match attr {
        Attr::Str(text) => match split_host(text) {
            (text, None) => (text, None),
            (text, Some(host)) => {
                named = Attr::str(host);
                (text, Some(&named))
            }
        },
        Attr::Map(options) => (text_of(options)?, options.get("host").filter(|host| !matches!(host, Attr::None))),
        other => return Err(format!("expected a target string or a dict of options, found {}", other.in_words())),
    };
    let target = Target::parse(&text).map_err(|error| error.to_string())?;
    let host = host.map(|host| read(host, around)).transpose()?;
    Ok(target.with_host(host.as_ref().unwrap_or(around)))
}

/// The target string of a dict of options, whose host is a dict or a string: with `-host='…'` where there is one.
///
/// # Errors
/// An option is neither a text nor a number, or has white space.
pub fn target_string(options: &Attrs) -> Result<String, String> {
    let text = text_of(options)?;
    match options.get("host") {
        None | Some(Attr::None) => Ok(text),
        Some(Attr::Str(host)) => Ok(with_host(&text, host)),
        Some(Attr::Map(host)) => Ok(with_host(&text, &text_of(host)?)),
        Some(other) => Err(format!("expected a target string or a dict of options, found {}", other.in_words())),
    }
}

/// A target string with that of its host, in quotes where it has options of its own.
pub fn with_host(target: &str, host: &str) -> String {
    match host.contains(char::is_whitespace) {
        true => format!("{target} -host='{host}'"),
        false => format!("{target} -host={host}"),
    }
}

/// The target string of a dict such as `{"kind": "llvm", "mcpu": "haswell"}`.
fn text_of(options: &Attrs) -> Result<String, String> {
    let mut words = vec![match options.get("kind") {
        Some(kind) => word(kind)?,
        None => "llvm".to_owned(),
    }];
    for (name, value) in options.iter().filter(|(name, _)| !NOT_IN_TARGET_STRINGS.contains(&&***name)) {
        let value = match value {
            Attr::Array(items) => items.iter().map(word).collect::<Result<Vec<_>, _>>()?.join(","),
            other => word(other)?,
        };
        words.push(format!("-{name}={value}"));
    }
    match words.iter().find(|word| word.contains(char::is_whitespace)) {
        Some(word) => Err(format!("an option is given without white space, found {word:?}")),
        None => Ok(words.join(" ")),
    }
}

fn word(value: &Attr) -> Result<String, String> {
    match value {
        Attr::Str(text) => Ok(text.to_string()),
        Attr::Int(number) => Ok(number.to_string()),
        other => Err(format!("expected a text or a number in an option, found {}", other.in_words())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tir::Stmt;

    fn declared(attr: Attr) -> Result<Option<Target>, String> {
        let attrs = [(attr_names::TARGET.into(), attr), (attr_names::GLOBAL_SYMBOL.into(), Attr::str("f"))];
        let function = PrimFunc {
            params: Vec::new(),
            attrs: attrs.into_iter().collect(),
            body: Stmt::nothing(),
            origins: Default::default(),
        };
        function.declared_target(&target("znver2")).map_err(|error| error.message.clone())
    }

    fn target(text: &str) -> Target {
        Target::parse(text).unwrap()
    }

    fn dict<const N: usize>(options: [(&str, Attr); N]) -> Attr {
        Attr::Map(options.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    #[test]
    fn a_function_says_its_target_as_a_text_or_as_options() {
        assert_eq!(declared(Attr::str("haswell -mattr=-fma")), Ok(Some(target("haswell -mattr=-fma"))));
        let features = Attr::Array(vec![Attr::str("-fma"), Attr::str("-avx2")]);
        let options = [("kind", Attr::str("llvm")), ("mcpu", Attr::str("haswell")), ("mattr", features)];
        assert_eq!(declared(dict(options)), Ok(Some(target("haswell -mattr=-fma,-avx2"))));
        let cores = [("mcpu", Attr::str("haswell")), ("num-cores", Attr::Int(4)), ("tag", Attr::str("x"))];
        assert_eq!(declared(dict(cores)), Ok(Some(target("haswell -num-cores=4"))));
    }

    #[test]
    fn a_device_has_the_processor_that_is_said_or_the_one_around() {
        assert_eq!(declared(Attr::str("cuda")), Ok(Some(target("cuda").with_host(&target("znver2")))));
        let options = [("kind", Attr::str("cuda")), ("host", dict([("mcpu", Attr::str("haswell"))]))];
        assert_eq!(declared(dict(options)), Ok(Some(target("cuda").with_host(&target("haswell")))));
    }

    #[test]
    fn an_attribute_that_is_no_target_is_refused_with_the_name_of_the_function() {
        for (attr, expected) in [
            (Attr::str("haswel"), "did you mean \"haswell\"?"),
            (Attr::Int(3), "expected a target string or a dict of options, found"),
            (dict([("mcpu", Attr::str("haswell -mattr=-fma"))]), "without white space"),
            (dict([("mcpu", Attr::Bool(true))]), "expected a text or a number in an option"),
            (dict([("host", Attr::Int(1))]), "expected a target string or a dict"),
        ] {
            let message = declared(attr).unwrap_err();
            assert!(message.contains("\"target\" of `f`") && message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_context_without_a_target_compiles_for_the_machine_that_it_runs_on() {
        assert_eq!(PassCx::default().target(), Target::host());
        let cx = PassCx { target: Some(target("haswell")), ..PassCx::default() };
        assert_eq!(cx.target(), target("haswell"));
    }

    #[test]
    fn legalisations_are_told_of_the_target() {
        let told = |text: &str| PassCx { target: Some(target(text)), ..PassCx::default() }.legalize_cx().capabilities;
        assert_eq!(told("haswell"), Capabilities::default());
        let lines = |text: &str| told(text).prefetch.map(|prefetch| prefetch.line_bytes);
        assert_eq!([lines("neoverse-n1"), lines("apple-m1"), lines("cuda")], [Some(64), Some(128), None]);
        assert_eq!(told("cuda").vector_bytes, 16);
    }
}
