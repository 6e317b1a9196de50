//! Encodes, decodes or renders lines of JSON with this crate, for `scripts/text_compare.py`, which holds the results
//! against Python's packages.
//!
//! `text_lines FORM FILE`, where FORM is `json` (a `tokenizer.json`), `sentencepiece` (a `tokenizer.model`),
//! `vocabulary` (an object with the fields of [`Vocabulary`]) or `template` (a chat template). Every line of the
//! input is a string, or the variables of a template; the line of the output is `[ids, markup ids, text]`, or the
//! prompt, or `{"error": …}`.

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use tilewright_text::{ChatInputs, ChatTemplate, DecodeStream, TokenType, Tokenizer, Vocabulary};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, form, path] = arguments.as_slice() else { return Err("usage: text_lines FORM FILE".into()) };
    let file = std::fs::read(path)?;
    let answer: Box<dyn Fn(Value) -> Result<Value, Failure>> = match form.as_str() {
        "template" => {
            let template = ChatTemplate::new(std::str::from_utf8(&file)?)?;
            Box::new(move |line| Ok(json!(template.render(&inputs(line))?)))
        }
        _ => {
            let tokenizer = match form.as_str() {
                "json" => Tokenizer::from_json(&file)?,
                "sentencepiece" => Tokenizer::from_sentencepiece(&file)?,
                _ => Tokenizer::from_vocabulary(&vocabulary(&serde_json::from_slice(&file)?)?)?,
            };
            Box::new(move |line| encode(&tokenizer, line.as_str().ok_or("a line is no string")?))
        }
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let result = answer(serde_json::from_str(&line?)?).unwrap_or_else(|e| json!({"error": e.to_string()}));
        writeln!(out, "{result}")?;
    }
    Ok(())
}

fn encode(tokenizer: &Tokenizer, text: &str) -> Result<Value, Failure> {
    let ids = tokenizer.encode(text, false)?;
    let mut stream = DecodeStream::new(false);
    let mut decoded: String = ids.iter().map(|id| stream.push(tokenizer, *id)).collect();
    decoded.push_str(&stream.finish());
    Ok(json!([ids, tokenizer.encode_markup(text, true)?, decoded]))
}

fn inputs(mut line: Value) -> ChatInputs {
    let mut take = |name: &str| line[name].take();
    ChatInputs {
        messages: take("messages"),
        tools: take("tools"),
        documents: take("documents"),
        add_generation_prompt: take("add_generation_prompt").as_bool().unwrap_or(false),
        bos_token: take("bos_token").as_str().map(String::from),
        eos_token: take("eos_token").as_str().map(String::from),
        variables: take("variables"),
        now_s: take("now_s").as_i64().unwrap_or(0),
    }
}

fn vocabulary(file: &Value) -> Result<Vocabulary, Failure> {
    let texts = |name: &str| -> Vec<String> {
        file[name].as_array().into_iter().flatten().filter_map(|v| v.as_str().map(String::from)).collect()
    };
    let id = |name: &str| file[name].as_u64().and_then(|id| u32::try_from(id).ok());
    let kind = |v: &Value| v.as_i64().and_then(TokenType::of_number).ok_or("an unknown token type");
    Ok(Vocabulary {
        model: file["model"].as_str().unwrap_or_default().into(),
        pre: file["pre"].as_str().map(String::from),
        tokens: texts("tokens"),
        scores: file["scores"].as_array().into_iter().flatten().filter_map(|v| v.as_f64().map(|v| v as f32)).collect(),
        token_types: file["token_types"].as_array().into_iter().flatten().map(kind).collect::<Result<_, _>>()?,
        merges: texts("merges"),
        bos: id("bos"),
        eos: id("eos"),
        unk: id("unk"),
        cls: id("cls"),
        sep: id("sep"),
        add_bos: file["add_bos"].as_bool(),
        add_space_prefix: file["add_space_prefix"].as_bool(),
        ..Vocabulary::default()
    })
}
