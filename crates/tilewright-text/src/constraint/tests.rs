//! A vocabulary of single bytes and a few words; the judge of a text is a regular reader of JSON, or the grammar read
//! by eye.

use super::*;
use crate::{TokenType, Vocabulary};

fn tokenizer() -> Tokenizer {
    let printable = |b: u8| matches!(b, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut next = 0x100;
    let mut tokens: Vec<String> = Vec::new();
    for byte in 0..=255u8 {
        let code = if printable(byte) {
            u32::from(byte)
        } else {
            next += 1;
            next - 1
        };
        tokens.push(char::from_u32(code).unwrap().to_string());
    }
    tokens.extend(["true", "{\"", "\":", "<|end|>"].map(String::from));
    let mut token_types = vec![TokenType::Normal; 259];
    token_types.push(TokenType::Control);
    let vocabulary = Vocabulary {
        model: "gpt2".into(),
        pre: Some("gpt-2".into()),
        tokens,
        token_types,
        eos: Some(259),
        ..Vocabulary::default()
    };
    Tokenizer::from_vocabulary(&vocabulary).unwrap()
}

/// Takes one of the allowed tokens, by `choose`, until the grammar ends. White space, which may go on for ever, is
/// left out.
fn generate(constraint: &mut Constraint, tokenizer: &Tokenizer, choose: impl Fn(usize) -> usize) -> String {
    let mut ids = Vec::new();
    for step in 0..200 {
        let mask = constraint.mask().unwrap();
        let allowed: Vec<u32> = (0..260).filter(|id| mask.allows(*id)).collect();
        assert_eq!(allowed.len(), mask.count());
        let shown: Vec<u32> =
            allowed.into_iter().filter(|id| !tokenizer.bytes_of(*id)[0].is_ascii_whitespace()).collect();
        let id = shown[choose(step) % shown.len()];
        constraint.accept(id).unwrap();
        if id == 259 {
            return tokenizer.decode(&ids, false);
        }
        ids.push(id);
    }
    panic!("no end: {:?}", tokenizer.decode(&ids, false));
}

#[test]
fn masks_follow_a_schema() {
    let tokenizer = tokenizer();
    let tokens = GrammarTokens::new(&tokenizer).unwrap();
    let schema = r##"{"$defs": {"n": {"type": "integer", "minimum": 10, "maximum": 12}}, "type": "object",
        "properties": {"ok": {"type": "boolean"}, "n": {"$ref": "#/$defs/n"}}, "required": ["ok", "n"], "additionalProperties": false}"##;
    for seed in 0..8 {
        let mut constraint = tokens.constraint(Grammar::JsonSchema(schema)).unwrap();
        let text = generate(&mut constraint, &tokenizer, |step| (seed >> (step % 3)) * 37);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(value["ok"].is_boolean() && (10..=12).contains(&value["n"].as_i64().unwrap()), "{text}");
        assert!(constraint.is_finished());
    }
}

#[test]
fn a_token_that_is_not_allowed_changes_nothing() {
    let tokenizer = tokenizer();
    let tokens = GrammarTokens::new(&tokenizer).unwrap();
    let mut constraint = tokens.constraint(Grammar::Regex("(true)?x[0-9]{2}")).unwrap();
    let before = constraint.mask().unwrap();
    assert_eq!((0..260).filter(|id| before.allows(*id)).collect::<Vec<_>>(), [u32::from(b't'), u32::from(b'x'), 256]);
    assert!(constraint.accept(u32::from(b'y')).is_err());
    assert!(constraint.accept(259).is_err());
    assert!(constraint.accept(9999).is_err());
    assert_eq!(constraint.mask().unwrap(), before);
    let x1 = [u32::from(b'x'), u32::from(b'1')];
    assert_eq!(constraint.allowed_prefix(&[x1[0], x1[1], x1[0]]).unwrap(), 2);
    constraint.accept(x1[0]).unwrap();
    constraint.roll_back(1).unwrap();
    assert_eq!(constraint.mask().unwrap(), before);
    for id in [256, x1[0], x1[1], x1[1]] {
        assert!(!constraint.is_finished());
        constraint.accept(id).unwrap();
    }
    assert!(constraint.is_accepting().unwrap());
    let mask = constraint.mask().unwrap();
    assert!(mask.allows(259) && mask.count() == 1);
}

#[test]
fn lark_grammars_recurse() {
    let tokenizer = tokenizer();
    let tokens = GrammarTokens::new(&tokenizer).unwrap();
    let mut constraint = tokens.constraint(Grammar::Lark("start: \"(\" start \")\" | \"x\"")).unwrap();
    for byte in b"((x" {
        constraint.accept(u32::from(*byte)).unwrap();
    }
    let mask = constraint.mask().unwrap();
    assert_eq!((0..260).filter(|id| mask.allows(*id)).collect::<Vec<_>>(), [u32::from(b')')]);
}

#[test]
fn malformed_grammars_are_errors() {
    let tokens = GrammarTokens::new(&tokenizer()).unwrap();
    let nested = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    let brackets = "(".repeat(5000);
    let large = "x".repeat(MAX_GRAMMAR_BYTES + 1);
    for grammar in [
        Grammar::JsonSchema("{"),
        Grammar::JsonSchema(&nested),
        Grammar::JsonSchema(r##"{"$ref": "http://x.y/z"}"##),
        Grammar::JsonSchema(r#"{"type": "thing"}"#),
        Grammar::JsonSchema(r#"{"type": "integer", "minimum": 3, "maximum": 2}"#),
        Grammar::Regex("("),
        Grammar::Regex(&brackets),
        Grammar::Lark("start: nowhere"),
        Grammar::Lark("%%%"),
        Grammar::Lark(&large),
    ] {
        let outcome = tokens.constraint(grammar).and_then(|mut constraint| constraint.mask());
        assert!(outcome.is_err(), "{grammar:?}");
    }
    // References in a circle do not recurse without end.
    let circle = r##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}"##;
    drop(tokens.constraint(Grammar::JsonSchema(circle)).and_then(|mut constraint| constraint.mask()));
    // A long text is no large grammar: its states are made as they are needed.
    let mut long = tokens.constraint(Grammar::Regex("(a{1000}){1000}{1000}")).unwrap();
    assert_eq!(long.mask().unwrap().count(), 1);
}

#[test]
fn a_tokenizer_without_an_end_has_no_grammars() {
    let mut tokenizer = tokenizer();
    tokenizer.set_eos(&[]).unwrap();
    assert!(GrammarTokens::new(&tokenizer).is_err());
}
