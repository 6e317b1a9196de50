//! The exact text of diagnostics over awkward sources.

use expect_test::{Expect, expect};

use crate::{Diagnostic, Diagnostics, SourceFile, Span};

/// The diagnostic at the first occurrence of `part` in the text.
fn at(text: &str, part: &str) -> Diagnostic {
    let start = text.find(part).expect("the part") as u32;
    let file = SourceFile::new("model.py", text);
    Diagnostic::error("TW0201", "something").at(Span::new(&file, start, start + part.len() as u32)).label("here")
}

fn check(diagnostic: &Diagnostic, expected: Expect) {
    expected.assert_eq(&diagnostic.render(false));
    let colored = diagnostic.render(true);
    assert!(colored.contains("\u{1b}["), "{colored}");
}

#[test]
fn every_part_has_its_place() {
    let text = "x = 1\ny = zz + 1\n";
    let first = at(text, "x");
    let diagnostic = at(text, "zz").also(first.span.expect("a span"), "the near one").note("a note").help("a help");
    check(
        &diagnostic,
        expect![[r#"
        error[TW0201]: something
         --> model.py:2:5
          |
        1 | x = 1
          | - the near one
        2 | y = zz + 1
          |     ^^ here
          |
          = note: a note
          = help: a help"#]],
    );
}

#[test]
fn tabs_and_wide_characters_keep_the_underline_in_place() {
    check(
        &at("\tif x:\n\t\ty\t= zz + 1\n", "zz"),
        expect![[r#"
        error[TW0201]: something
         --> model.py:2:7
          |
        2 |         y    = zz + 1
          |                ^^ here"#]],
    );
    check(
        &at("名前 = \"漢字\" + zz\n", "zz"),
        expect![[r#"
        error[TW0201]: something
         --> model.py:1:13
          |
        1 | 名前 = "漢字" + zz
          |                 ^^ here"#]],
    );
    check(
        &at("e\u{301} = '👩‍👩‍👧' + zz\n", "zz"),
        expect![[r#"
        error[TW0201]: something
         --> model.py:1:16
          |
        1 | é = '👩👩👧' + zz
          |                ^^ here"#]],
    );
}

#[test]
fn lines_may_end_as_on_windows() {
    check(
        &at("x = 1\r\ny = zz\r\nw = 2\r\n", "zz"),
        expect![[r#"
            error[TW0201]: something
             --> model.py:2:5
              |
            2 | y = zz
              |     ^^ here"#]],
    );
    check(
        &at("x = 1\r\ny = zz\r\nw = 2\r\n", "y = zz\r\nw"),
        expect![[r#"
            error[TW0201]: something
             --> model.py:2:1
              |
            2 | / y = zz
            3 | | w = 2
              | |_^ here"#]],
    );
}

#[test]
fn places_at_the_end_of_a_file() {
    let ends = [("", 0), ("x", 1), ("x\n", 2), ("x\r\n", 3), ("x", 9), ("\n\n", 2)];
    let shown = ends.map(|(text, end)| {
        let file = SourceFile::new("model.py", text);
        Diagnostic::error("TW0101", "something").at(Span::new(&file, end, end)).label("here").render(false)
    });
    expect![[r#"
        error[TW0101]: something
         --> model.py:1:1
          |
        1 |
          | ^ here
        error[TW0101]: something
         --> model.py:1:2
          |
        1 | x
          |  ^ here
        error[TW0101]: something
         --> model.py:2:1
          |
        2 |
          | ^ here
        error[TW0101]: something
         --> model.py:2:1
          |
        2 |
          | ^ here
        error[TW0101]: something
         --> model.py:1:2
          |
        1 | x
          |  ^ here
        error[TW0101]: something
         --> model.py:3:1
          |
        3 |
          | ^ here"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn labels_over_several_lines() {
    check(
        &at("f(a,\n  b,\n  c)\n", "(a,\n  b,\n  c)"),
        expect![[r#"
        error[TW0201]: something
         --> model.py:1:2
          |
        1 |   f(a,
          |  __^
        2 | |   b,
        3 | |   c)
          | |____^ here"#]],
    );
    let many = format!("f(\n{})\n", "    a,\n".repeat(20));
    check(
        &at(&many, &many[1..many.len() - 1]),
        expect![[r#"
        error[TW0201]: something
          --> model.py:1:2
           |
         1 |   f(
           |  __^
         2 | |     a,
         3 | |     a,
         4 | |     a,
        ...  |
        21 | |     a,
        22 | | )
           | |_^ here"#]],
    );
}

#[test]
fn long_lines_are_cut_around_their_mark() {
    let line = format!("x = [{}zz, {}]\n", "1, ".repeat(200), "2, ".repeat(200));
    check(
        &at(&line, "zz"),
        expect![[r#"
        error[TW0201]: something
         --> model.py:1:606
          |
        1 | ...1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, zz, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2...
          |                                                       ^^ here"#]],
    );
    let line = format!("y = 1\nx = [{}zz, {}]\nz = 2\n", "1, ".repeat(1_000_000), "2, ".repeat(1_000_000));
    check(
        &at(&line, "zz"),
        expect![[r#"
            error[TW0201]: something
             --> model.py:2:3000006
              |
            2 | ...1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, zz, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2...
              |                                                       ^^ here"#]],
    );
}

#[test]
fn far_places_stand_apart() {
    let text = format!("first = 1\n{}second = first\n", "# filling\n".repeat(2000));
    let first = at(&text, "first").span.expect("a span");
    check(
        &at(&text, "second").also(first, "the first one"),
        expect![[r#"
        error[TW0201]: something
            --> model.py:2002:1
             |
        2002 | second = first
             | ^^^^^^ here
             |
            ::: model.py:1:1
             |
           1 | first = 1
             | ----- the first one"#]],
    );
    let other = SourceFile::new("other.py", "import model\n");
    let elsewhere = at("x = 1\n", "x").also(Span::new(&other, 7, 12), "imported here");
    check(
        &elsewhere,
        expect![[r#"
        error[TW0201]: something
         --> model.py:1:1
          |
        1 | x = 1
          | ^ here
          |
         ::: other.py:1:8
          |
        1 | import model
          |        ----- imported here"#]],
    );
}

#[test]
fn a_span_of_thousands_of_lines_shows_its_first() {
    let text = format!("def f():\n{}", "    pass\n".repeat(5000));
    check(
        &at(&text, &text),
        expect![[r#"
        error[TW0201]: something
         --> model.py:1:1
          |
        1 | def f():
          | ^^^^^^^^ here"#]],
    );
}

#[test]
fn very_many_are_counted() {
    let mut many = Diagnostics::default();
    for _ in 0..51 {
        many.push(Diagnostic::error("TW0101", "something"));
    }
    let text = many.render(false);
    assert_eq!(text.matches("error[TW0101]").count(), 50);
    assert!(text.ends_with("\n\nerror: and 1 more problem, which is not shown"), "{text}");
    many.0.truncate(50);
    assert_eq!(many.render(false).matches("error").count(), 50);
}

#[test]
fn messages_of_any_length_and_controls_are_shown() {
    let long = Diagnostic::error("TW0101", "x".repeat(1_000_000)).render(false);
    assert!(long.len() < 20_000 && long.ends_with('…'), "{}", long.len());
    let odd = Diagnostic::error("TW0101", "a\u{1b}[31mb\u{0}c").render(false);
    assert!(!odd.contains('\u{1b}') && !odd.contains('\u{0}'), "{odd:?}");
}

#[test]
fn a_place_inside_a_character_is_still_rendered() {
    let file = SourceFile::new("ü.py", "ü = é\n");
    for (start, end) in [(0, 1), (1, 2), (900, 1000), (5, 2)] {
        assert!(Diagnostic::error("TW0201", "odd").at(Span::new(&file, start, end)).render(true).contains("odd"));
    }
}

#[test]
fn messages_stand_in_the_order_of_their_places() {
    let (a, b) = (SourceFile::new("a.py", "0123456789"), SourceFile::new("b.py", "0123456789"));
    let mut found = Diagnostics::default();
    for (file, start) in [(&b, 5), (&a, 7), (&b, 1), (&a, 2)] {
        found.push(Diagnostic::error("TW0101", format!("{}{start}", file.name)).at(Span::new(file, start, start)));
    }
    found.push(Diagnostic::error("TW0101", "nowhere"));
    found.sort();
    let order: Vec<&str> = found.0.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(order, ["nowhere", "b.py1", "b.py5", "a.py2", "a.py7"]);
}

#[test]
fn a_mark_ends_with_its_text() {
    check(
        &at("for i in x\n    pass\n", "\n    "),
        expect![[r#"
            error[TW0201]: something
             --> model.py:1:11
              |
            1 | for i in x
              |           ^ here"#]],
    );
    check(
        &at("x = [\n    1,\n]\n\n\ny = 2\n", "[\n    1,\n]\n\n\n"),
        expect![[r#"
        error[TW0201]: something
         --> model.py:1:5
          |
        1 |   x = [
          |  _____^
        2 | |     1,
        3 | | ]
          | |_^ here"#]],
    );
}
