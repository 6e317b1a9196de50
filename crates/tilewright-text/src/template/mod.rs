//! Chat templates: messages to a prompt, as `transformers` renders them.
//!
//! A template is Jinja with `trim_blocks` and `lstrip_blocks`, loop controls, Python's methods of strings and
//! mappings, and the functions `raise_exception` and `strftime_now`; `tojson` writes what Python's `json.dumps`
//! writes ([`json`]). `{% generation %}` marks what a model is trained on and renders as its contents.
//!
//! A template comes with a model file, and may be hostile: instructions and bytes cost fuel, so that one that loops
//! or doubles a string ends in an error.

mod json;
mod time;

use crate::error::{Error, guarded};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, ErrorKind, Output, State, Value};
use serde_json::Value as Json;
use std::io;

/// A noncharacter of Unicode, which no text for interchange has: it stands within the texts of control tokens in
/// strings of users, so that these are not recognised as tokens ([`ChatTemplate::render_prompt`]).
pub(crate) const GUARD: char = '\u{FDD0}';

/// No real template is longer.
const MAX_TEMPLATE_BYTES: usize = 1 << 20;
/// How deep messages and tools may be nested.
const MAX_DEPTH: usize = 128;
/// How deep macros may call each other.
const MAX_RECURSION: usize = 100;

/// What a rendering may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions, and strings in units of 64 bytes.
    pub fuel: u64,
    /// Bytes of the prompt.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { fuel: 2_000_000, output_bytes: 16 << 20 }
    }
}

/// What is rendered.
#[derive(Clone, Debug)]
pub struct ChatInputs {
    /// A list of objects with `role`, `content` and whatever else the template reads.
    pub messages: Json,
    /// A list of tools, or null.
    pub tools: Json,
    /// A list of documents, or null.
    pub documents: Json,
    /// Ends the prompt with the beginning of the assistant's turn.
    pub add_generation_prompt: bool,
    /// The text of the token that begins a text.
    pub bos_token: Option<String>,
    /// The text of the token that ends one.
    pub eos_token: Option<String>,
    /// More variables of the template, an object (`enable_thinking`).
    pub variables: Json,
    /// The time of `strftime_now`, in seconds since 1970 in the user's time zone.
    pub now_s: i64,
}

impl Default for ChatInputs {
    fn default() -> ChatInputs {
        ChatInputs {
            messages: Json::Array(Vec::new()),
            tools: Json::Null,
            documents: Json::Null,
            add_generation_prompt: true,
            bos_token: None,
            eos_token: None,
            variables: Json::Null,
            now_s: 0,
        }
    }
}

impl ChatInputs {
    /// Reads an object with the fields of this struct; those that are missing have their defaults.
    ///
    /// # Errors
    /// Text that is no JSON object, fields of other types or names.
    pub fn from_json(json: &str) -> Result<ChatInputs, Error> {
        let fields: Json = serde_json::from_str(json).map_err(|e| Error::Template(e.to_string()))?;
        let Json::Object(fields) = fields else { return Err(Error::Template("inputs are no JSON object".into())) };
        let mut inputs = ChatInputs::default();
        for (name, value) in fields {
            let wrong = || Error::Template(format!("the input `{name}` has a value of a wrong type"));
            let token = |value: Json| match value {
                Json::Null => Ok(None),
                Json::String(text) => Ok(Some(text)),
                _ => Err(wrong()),
            };
            match name.as_str() {
                "messages" => inputs.messages = value,
                "tools" => inputs.tools = value,
                "documents" => inputs.documents = value,
                "variables" => inputs.variables = value,
                "add_generation_prompt" => inputs.add_generation_prompt = value.as_bool().ok_or_else(wrong)?,
                "bos_token" => inputs.bos_token = token(value)?,
                "eos_token" => inputs.eos_token = token(value)?,
                "now_s" => inputs.now_s = value.as_i64().ok_or_else(wrong)?,
                _ => return Err(Error::Template(format!("unknown input `{name}`"))),
            }
        }
        Ok(inputs)
    }
}

/// A prompt that knows which of its control tokens are the template's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt(String);

impl Prompt {
    /// The text as it reads.
    pub fn text(&self) -> String {
        self.0.replace(GUARD, "")
    }

    pub(crate) fn guarded(&self) -> &str {
        &self.0
    }
}

/// A compiled chat template.
#[derive(Debug)]
pub struct ChatTemplate {
    env: Environment<'static>,
    limits: Limits,
}

const NAME: &str = "chat";

impl ChatTemplate {
    /// Compiles a template.
    ///
    /// # Errors
    /// Text that is not Jinja, with its line; text over 1 MiB.
    pub fn new(source: &str) -> Result<ChatTemplate, Error> {
        ChatTemplate::with_limits(source, Limits::default())
    }

    /// Compiles a template with other limits.
    ///
    /// # Errors
    /// As [`ChatTemplate::new`].
    pub fn with_limits(source: &str, limits: Limits) -> Result<ChatTemplate, Error> {
        if source.len() > MAX_TEMPLATE_BYTES {
            return Err(Error::Template(format!("{} bytes, over the limit of {MAX_TEMPLATE_BYTES}", source.len())));
        }
        guarded(Error::Template, || {
            let mut env = Environment::new();
            let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(describe)?;
            env.set_syntax(syntax);
            env.set_auto_escape_callback(|_| AutoEscape::None);
            env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
            env.set_fuel(Some(limits.fuel));
            env.set_recursion_limit(MAX_RECURSION);
            env.set_formatter(format_value);
            env.add_filter("tojson", json::tojson);
            env.add_filter("string", |value: &Value| python_text(value).map_or_else(|| value.clone(), Value::from));
            env.add_test("iterable", is_iterable);
            env.add_test("sequence", is_sequence);
            env.add_function("raise_exception", raise_exception);
            // Jinja reads all line ends as `\n`.
            let source = source.replace("\r\n", "\n").replace('\r', "\n");
            env.add_template_owned(NAME, without_generation_marks(&source)).map_err(describe)?;
            Ok(ChatTemplate { env, limits })
        })
    }

    /// The prompt as text.
    ///
    /// # Errors
    /// What the template raises; inputs that it does not expect; a limit that is reached.
    pub fn render(&self, inputs: &ChatInputs) -> Result<String, Error> {
        self.render_values(inputs, &inputs.messages)
    }

    /// The prompt for [`crate::Tokenizer::encode_prompt`]: the texts of `special` in strings of messages will not
    /// become control tokens, whatever a user writes.
    ///
    /// # Errors
    /// As [`ChatTemplate::render`].
    pub fn render_prompt(&self, inputs: &ChatInputs, special: &[String]) -> Result<Prompt, Error> {
        let messages = guard(&inputs.messages, special, MAX_DEPTH)?;
        self.render_values(inputs, &messages).map(Prompt)
    }

    fn render_values(&self, inputs: &ChatInputs, messages: &Json) -> Result<String, Error> {
        let mut variables: Vec<(String, Value)> = Vec::new();
        if let Json::Object(more) = &inputs.variables {
            for (name, value) in more {
                variables.push((name.clone(), to_template(value, MAX_DEPTH)?));
            }
        }
        let now_s = inputs.now_s;
        let clock = Value::from_function(move |format: &str| -> Result<String, minijinja::Error> {
            time::strftime(now_s, format).map_err(|why| minijinja::Error::new(ErrorKind::InvalidOperation, why))
        });
        variables.push(("strftime_now".into(), clock));
        variables.push(("messages".into(), to_template(messages, MAX_DEPTH)?));
        variables.push(("tools".into(), to_template(&inputs.tools, MAX_DEPTH)?));
        variables.push(("documents".into(), to_template(&inputs.documents, MAX_DEPTH)?));
        variables.push(("add_generation_prompt".into(), Value::from(inputs.add_generation_prompt)));
        for (name, token) in [("bos_token", &inputs.bos_token), ("eos_token", &inputs.eos_token)] {
            if let Some(token) = token {
                variables.push((name.into(), Value::from(token.as_str())));
            }
        }
        guarded(Error::Template, || {
            let mut output = Bounded { text: Vec::new(), limit: self.limits.output_bytes };
            let template = self.env.get_template(NAME).map_err(describe)?;
            template.render_captured_to(Value::from_pairs(variables), &mut output).map_err(describe)?;
            String::from_utf8(output.text).map_err(|e| Error::Template(e.to_string()))
        })
    }
}

/// Text of bounded size.
struct Bounded {
    text: Vec<u8>,
    limit: usize,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > self.limit {
            return Err(io::Error::other(format!("the prompt is over the limit of {} bytes", self.limit)));
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The text that Python's `str` gives, where it is not the engine's: of values that are no strings, and of floats.
fn python_text(value: &Value) -> Option<String> {
    match value.kind() {
        ValueKind::String | ValueKind::Undefined => None,
        ValueKind::Number if !value.is_integer() => f64::try_from(value.clone()).ok().map(json::python_float),
        _ => Some(value.to_string()),
    }
}

fn format_value(out: &mut Output, state: &mut State, value: &Value) -> Result<(), minijinja::Error> {
    match value.kind() {
        ValueKind::Number if !value.is_integer() => match python_text(value) {
            Some(text) => out.write_str(&text).map_err(minijinja::Error::from),
            None => minijinja::escape_formatter(out, state, value),
        },
        _ => minijinja::escape_formatter(out, state, value),
    }
}

/// As in Jinja: what Python iterates over, of which `None` is none.
fn is_iterable(value: &Value) -> bool {
    use ValueKind::{Bytes, Iterable, Map, Seq, String, Undefined};
    matches!(value.kind(), Undefined | String | Bytes | Seq | Map | Iterable)
}

/// As in Jinja: what has a length and items, mappings among them.
fn is_sequence(value: &Value) -> bool {
    use ValueKind::{Bytes, Map, Seq, String, Undefined};
    matches!(value.kind(), Undefined | String | Bytes | Seq | Map)
}

fn raise_exception(message: &str) -> Result<Value, minijinja::Error> {
    Err(minijinja::Error::new(ErrorKind::InvalidOperation, message.to_string()))
}

fn describe(error: minijinja::Error) -> Error {
    let mut text = match (error.kind(), error.detail()) {
        (ErrorKind::InvalidOperation, Some(detail)) => detail.to_string(),
        (ErrorKind::OutOfFuel, _) => "it does more work than a template may".into(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    };
    if let Some(source) = std::error::Error::source(&error) {
        text = format!("{text}: {source}");
    }
    match error.line() {
        Some(line) => Error::Template(format!("{text} (line {line})")),
        None => Error::Template(text),
    }
}

/// Writes `{% generation %}` and `{% endgeneration %}` as a condition that holds, with their marks of white space.
fn without_generation_marks(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("{%") {
        let (before, tag) = rest.split_at(start + 2);
        text.push_str(before);
        rest = tag;
        let Some(end) = tag.find("%}") else { break };
        let inner = &tag[..end];
        let word = inner.trim_matches(|c: char| c.is_ascii_whitespace() || c == '-' || c == '+');
        let written = match word {
            "generation" => "if true",
            "endgeneration" => "endif",
            _ => continue,
        };
        text.push_str(&inner.replacen(word, written, 1));
        rest = &tag[end..];
    }
    text.push_str(rest);
    text
}

fn to_template(value: &Json, depth: usize) -> Result<Value, Error> {
    let Some(below) = depth.checked_sub(1) else {
        return Err(Error::Template(format!("messages are nested deeper than {MAX_DEPTH}")));
    };
    Ok(match value {
        Json::Null => Value::from(()),
        Json::Bool(b) => Value::from(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::from(n),
            (None, Some(n)) => Value::from(n),
            (None, None) => Value::from(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => {
            items.iter().map(|item| to_template(item, below)).collect::<Result<Vec<Value>, Error>>()?.into()
        }
        Json::Object(entries) => {
            let pairs: Result<Vec<(String, Value)>, Error> =
                entries.iter().map(|(name, value)| Ok((name.clone(), to_template(value, below)?))).collect();
            Value::from_pairs(pairs?)
        }
    })
}

/// Puts [`GUARD`] after the first character of every text of `special` in the strings of `value`, and takes the
/// guards out that were there.
fn guard(value: &Json, special: &[String], depth: usize) -> Result<Json, Error> {
    let Some(below) = depth.checked_sub(1) else {
        return Err(Error::Template(format!("messages are nested deeper than {MAX_DEPTH}")));
    };
    Ok(match value {
        Json::String(text) => Json::String(guard_text(text, special)),
        Json::Array(items) => {
            Json::Array(items.iter().map(|item| guard(item, special, below)).collect::<Result<_, Error>>()?)
        }
        Json::Object(entries) => Json::Object(
            entries
                .iter()
                .map(|(name, value)| Ok((guard_text(name, special), guard(value, special, below)?)))
                .collect::<Result<_, Error>>()?,
        ),
        other => other.clone(),
    })
}

fn guard_text(text: &str, special: &[String]) -> String {
    let text = text.replace(GUARD, "");
    let mut breaks: Vec<usize> = special
        .iter()
        .filter_map(|token| Some((token, token.chars().next()?.len_utf8())))
        .flat_map(|(token, first)| occurrences(&text, token).map(move |at| at + first))
        .collect();
    if breaks.is_empty() {
        return text;
    }
    breaks.sort_unstable();
    breaks.dedup();
    let mut guarded = String::with_capacity(text.len() + breaks.len() * GUARD.len_utf8());
    let mut start = 0;
    for at in breaks {
        guarded.push_str(&text[start..at]);
        guarded.push(GUARD);
        start = at;
    }
    guarded.push_str(&text[start..]);
    guarded
}

/// Where `token` occurs in `text`, overlapping occurrences too.
fn occurrences<'a>(text: &'a str, token: &'a str) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(token)?;
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        Some(at)
    })
}

#[cfg(test)]
mod tests;
