//! The renderings are those of Jinja 3.1 with the options of `transformers`, seen there; `scripts/text_compare.py`
//! compares real templates.

use super::*;
use serde_json::json;

fn render(source: &str, variables: Json) -> Result<String, Error> {
    ChatTemplate::new(source)?.render(&ChatInputs { variables, now_s: 86_400, ..ChatInputs::default() })
}

#[track_caller]
fn check(source: &str, variables: Json, expected: &str) {
    assert_eq!(render(source, variables).unwrap(), expected);
}

#[test]
fn blocks_are_trimmed_as_transformers_trims_them() {
    check("a\n  {% if true %}\n  b\n  {% endif %}\nc\n", Json::Null, "a\n  b\nc");
    check("{% generation %}x{% endgeneration %}\n|{%- generation -%} y {%- endgeneration -%} z", Json::Null, "x|yz");
}

#[test]
fn values_read_as_in_python() {
    check(
        "{{ t }} {{ n }} {{ f }} {{ l }}",
        json!({"t": true, "n": null, "f": 1.0, "l": ["a", 1]}),
        "True None 1.0 ['a', 1]",
    );
    check("{{ f }} {{ f | string }} {{ 1 | string }}", json!({"f": 1.5e20}), "1.5e+20 1.5e+20 1");
    check(
        "{{ n is iterable }} {{ m is iterable }} {{ 'a' is sequence }} {{ {} is sequence }} {{ 1 is sequence }}",
        json!({"n": null, "m": {}}),
        "False True True True False",
    );
    check("a\r\nb\rc", Json::Null, "a\nb\nc");
    check(
        "{{ 'a ' ~ 1 }}|{{ ' x '.strip() }}|{{ 'a,b'.split(',')[-1] }}|{{ {'k': 1}.items() | list | length }}",
        Json::Null,
        "a 1|x|b|1",
    );
    check("{% for x in [1,2,3] %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% endfor %}", Json::Null, "13");
    check(
        "{% set ns = namespace(n=0) %}{% for x in [1,2] %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}",
        Json::Null,
        "3",
    );
    check("[{{ missing }}]{{ strftime_now('%d %b %Y') }}", Json::Null, "[]02 Jan 1970");
}

#[test]
fn tojson_writes_what_json_dumps_writes() {
    let value = json!({"z": "ü<'\"\n\u{1}", "a": [1, 1.0, 1e16, 1e-7, true, null], "e": {}, "l": []});
    check(
        "{{ v | tojson }}",
        json!({"v": value}),
        r#"{"z": "ü<'\"\n\u0001", "a": [1, 1.0, 1e+16, 1e-07, true, null], "e": {}, "l": []}"#,
    );
    check(
        "{{ v | tojson(indent=2) }}",
        json!({"v": {"b": [1], "a": {}}}),
        "{\n  \"b\": [\n    1\n  ],\n  \"a\": {}\n}",
    );
    check(
        "{{ v | tojson(separators=(',', ':'), sort_keys=true) }}",
        json!({"v": {"b": 1, "a": 2}}),
        r#"{"a":2,"b":1}"#,
    );
    check("{{ v | tojson(ensure_ascii=true) }}", json!({"v": "é😀"}), r#""\u00e9\ud83d\ude00""#);
    assert!(render("{{ missing | tojson }}", Json::Null).is_err());
}

#[test]
fn raised_exceptions_are_errors_with_their_line() {
    let error = render("a\n{{ raise_exception('roles must alternate') }}", Json::Null).unwrap_err();
    assert_eq!(error.to_string(), "chat template: roles must alternate (line 2)");
    assert!(render("{% for x in %}", Json::Null).unwrap_err().to_string().contains("line 1"));
    assert!(render("{{ messages[0]['role'].x.y }}", Json::Null).is_err());
    assert!(render("{{ strftime_now('%Q') }}", Json::Null).is_err());
}

#[test]
fn templates_that_do_not_end_or_grow_are_stopped() {
    let long = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}";
    assert!(render(long, Json::Null).unwrap_err().to_string().contains("more work than a template may"));
    let double = "{% set ns = namespace(x='aaaaaaaa') %}{% for a in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}";
    assert!(render(double, Json::Null).is_err());
    let recursive = "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}";
    assert!(render(recursive, Json::Null).is_err());
    assert!(render(&"{% if true %}".repeat(20_000), Json::Null).is_err());
    assert!(render(&format!("{{{{ {}1{} }}}}", "(".repeat(50_000), ")".repeat(50_000)), Json::Null).is_err());
    assert!(ChatTemplate::new(&"x".repeat(MAX_TEMPLATE_BYTES + 1)).is_err());
    let limits = Limits { output_bytes: 8, ..Limits::default() };
    let small = ChatTemplate::with_limits("{{ 'x' * 9 }}", limits).unwrap();
    assert!(small.render(&ChatInputs::default()).unwrap_err().to_string().contains("limit of 8 bytes"));
}

#[test]
fn messages_are_not_nested_without_bound() {
    let mut deep = json!("x");
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let inputs = ChatInputs { messages: deep, ..ChatInputs::default() };
    let template = ChatTemplate::new("{{ messages }}").unwrap();
    assert!(template.render(&inputs).unwrap_err().to_string().contains("nested deeper"));
    assert!(template.render_prompt(&inputs, &[]).is_err());
}

#[test]
fn guards_break_every_occurrence_of_a_special_text() {
    let special = ["<s>".to_string(), "<<s>".to_string(), "aa".to_string()];
    assert_eq!(guard_text("<<s>", &special), format!("<{GUARD}<{GUARD}s>"));
    assert_eq!(guard_text("aaa", &special), format!("a{GUARD}a{GUARD}a"));
    assert_eq!(guard_text(&format!("<{GUARD}s>"), &special), format!("<{GUARD}s>"));
    assert_eq!(guard_text("plain", &special), "plain");
}

#[test]
fn inputs_are_read_from_json() {
    let template =
        ChatTemplate::new("{{ bos_token }}{{ messages[0].role }}{{ flag }}{{ add_generation_prompt }}").unwrap();
    let read = |json: &str| template.render(&ChatInputs::from_json(json)?);
    let inputs = r#"{"messages": [{"role": "user"}], "bos_token": "<s>", "variables": {"flag": 1}, "add_generation_prompt": false}"#;
    assert_eq!(read(inputs).unwrap(), "<s>user1False");
    for bad in
        ["", "[]", r#"{"bos_token": 1}"#, r#"{"now_s": "x"}"#, r#"{"message": []}"#, r#"{"add_generation_prompt": 1}"#]
    {
        assert!(read(bad).is_err(), "{bad}");
    }
}
