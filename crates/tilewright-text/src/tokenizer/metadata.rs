//! A vocabulary from the metadata of a GGUF file, whoever read the file.

use super::{TokenType, Vocabulary};
use crate::Error;

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataValue {
    /// A string.
    Text(String),
    /// A list of strings.
    Texts(Vec<String>),
    /// A number.
    Number(f64),
    /// A list of numbers of any type.
    Numbers(Vec<f64>),
    /// True or false.
    Flag(bool),
}

/// Where values come from: a function of the key.
struct Source<F>(F);

impl<F: FnMut(&str) -> Option<MetadataValue>> Source<F> {
    /// The value of a key below `tokenizer.ggml`, if its type is the expected one.
    fn get<T>(&mut self, name: &str, expected: &str, take: fn(MetadataValue) -> Option<T>) -> Result<Option<T>, Error> {
        let key = format!("tokenizer.ggml.{name}");
        match (self.0)(&key) {
            None => Ok(None),
            Some(value) => match take(value) {
                Some(value) => Ok(Some(value)),
                None => Err(Error::Tokenizer(format!("`{key}` is not {expected}"))),
            },
        }
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        self.get(name, "a string", |value| if let MetadataValue::Text(text) = value { Some(text) } else { None })
    }

    fn texts(&mut self, name: &str) -> Result<Vec<String>, Error> {
        let take = |value| match value {
            MetadataValue::Texts(texts) => Some(texts),
            MetadataValue::Numbers(numbers) if numbers.is_empty() => Some(Vec::new()),
            _ => None,
        };
        Ok(self.get(name, "a list of strings", take)?.unwrap_or_default())
    }

    fn numbers(&mut self, name: &str) -> Result<Vec<f64>, Error> {
        let take = |value| match value {
            MetadataValue::Numbers(numbers) => Some(numbers),
            MetadataValue::Texts(texts) if texts.is_empty() => Some(Vec::new()),
            _ => None,
        };
        Ok(self.get(name, "a list of numbers", take)?.unwrap_or_default())
    }

    fn flag(&mut self, name: &str) -> Result<Option<bool>, Error> {
        self.get(name, "true or false", |value| if let MetadataValue::Flag(flag) = value { Some(flag) } else { None })
    }

    fn id(&mut self, name: &str) -> Result<Option<u32>, Error> {
        let take = |value| match value {
            MetadataValue::Number(n) if n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&n) => Some(n as u32),
            _ => None,
        };
        self.get(&format!("{name}_token_id"), "a token id", take)
    }
}

impl Vocabulary {
    /// Reads the keys `tokenizer.ggml.*`; `get` gives the value of a key.
    ///
    /// # Errors
    /// Values of other types; no `tokenizer.ggml.model`.
    pub fn from_metadata(get: impl FnMut(&str) -> Option<MetadataValue>) -> Result<Vocabulary, Error> {
        let mut source = Source(get);
        let model = source.text("model")?;
        let kind = |number: f64| {
            let known = if number.fract() == 0.0 { TokenType::of_number(number as i64) } else { None };
            known.ok_or_else(|| Error::Tokenizer(format!("the token type {number} is unknown")))
        };
        let byte = |number: f64| {
            // Files have this list as signed or as unsigned bytes.
            if number.fract() == 0.0 && (-128.0..256.0).contains(&number) {
                Some((number as i16 & 0xFF) as u8)
            } else {
                None
            }
        };
        let charsmap: Option<Vec<u8>> = source.numbers("precompiled_charsmap")?.into_iter().map(byte).collect();
        Ok(Vocabulary {
            model: model.ok_or_else(|| Error::Tokenizer("the metadata has no `tokenizer.ggml.model`".into()))?,
            pre: source.text("pre")?,
            tokens: source.texts("tokens")?,
            scores: source.numbers("scores")?.into_iter().map(|score| score as f32).collect(),
            token_types: source.numbers("token_type")?.into_iter().map(kind).collect::<Result<_, Error>>()?,
            merges: source.texts("merges")?,
            bos: source.id("bos")?,
            eos: source.id("eos")?,
            eot: source.id("eot")?,
            unk: source.id("unknown")?,
            pad: source.id("padding")?,
            sep: source.id("seperator")?,
            cls: source.id("cls")?,
            add_bos: source.flag("add_bos_token")?,
            add_eos: source.flag("add_eos_token")?,
            add_space_prefix: source.flag("add_space_prefix")?,
            remove_extra_whitespaces: source.flag("remove_extra_whitespaces")?,
            charsmap: charsmap
                .ok_or_else(|| Error::Tokenizer("`precompiled_charsmap` is not a list of bytes".into()))?,
            lowercase: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::MetadataValue::{Flag, Number, Numbers, Text, Texts};
    use super::*;

    fn read(changed: (&str, MetadataValue)) -> Result<Vocabulary, Error> {
        Vocabulary::from_metadata(|key| match key.strip_prefix("tokenizer.ggml.").unwrap() {
            name if name == changed.0 => Some(changed.1.clone()),
            "model" => Some(Text("gpt2".into())),
            "tokens" => Some(Texts(vec!["a".into(), "<e>".into()])),
            "token_type" => Some(Numbers(vec![1.0, 3.0])),
            "eos_token_id" => Some(Number(1.0)),
            "add_bos_token" => Some(Flag(false)),
            "precompiled_charsmap" => Some(Numbers(vec![-1.0, 255.0, 7.0])),
            _ => None,
        })
    }

    #[test]
    fn metadata_has_the_lists_and_ids() {
        let vocabulary = read(("pre", Text("qwen2".into()))).unwrap();
        assert_eq!(vocabulary.pre.as_deref(), Some("qwen2"));
        assert_eq!(vocabulary.token_types, [TokenType::Normal, TokenType::Control]);
        assert_eq!((vocabulary.eos, vocabulary.bos, vocabulary.add_bos), (Some(1), None, Some(false)));
        assert_eq!(vocabulary.charsmap, [255, 255, 7]);
    }

    #[test]
    fn values_of_other_types_are_refused() {
        for (name, value) in [
            ("model", Number(1.0)),
            ("tokens", Text("a".into())),
            ("token_type", Numbers(vec![9.0])),
            ("token_type", Numbers(vec![1.5])),
            ("eos_token_id", Number(-1.0)),
            ("eos_token_id", Number(f64::NAN)),
            ("add_bos_token", Number(1.0)),
            ("precompiled_charsmap", Numbers(vec![300.0])),
        ] {
            assert!(read((name, value.clone())).is_err(), "{name} {value:?}");
        }
        assert!(Vocabulary::from_metadata(|_| None).is_err());
    }
}
