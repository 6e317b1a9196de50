"""Documents of Python's syntax as text. Every printed expression is read back by Python's own parser."""

import ast

import pytest

from tilewright.error import TVMError
from tilewright.runtime import ObjectPath
from tilewright.script.printer import doc as d
from tilewright.script.printer.doc import OperationKind as K
from tilewright.script.printer.doc_printer import to_python_script

x, y, one = d.IdDoc("x"), d.IdDoc("y"), d.LiteralDoc(1)

STATEMENTS = [
    (d.AssignDoc(x, one), "x = 1"),
    (d.AssignDoc(x, None, y), "x: y"),
    (d.AssignDoc(x, one, y), "x: y = 1"),
    (d.AssignDoc(d.TupleDoc([x, y]), d.TupleDoc([one, one])), "x, y = 1, 1"),
    (d.IfDoc(x, [], [d.ReturnDoc(x)]), "if x:\n    pass\nelse:\n    return x"),
    (d.WhileDoc(x, []), "while x:\n    pass"),
    (d.ForDoc(d.TupleDoc([x]), y, [d.ExprStmtDoc(x)]), "for x, in y:\n    x"),
    (d.ScopeDoc(None, y, []), "with y:\n    pass"),
    (d.ScopeDoc(x, y, []), "with y as x:\n    pass"),
    (d.AssertDoc(x, y), "assert x, y"),
    (
        d.FunctionDoc(x, [d.AssignDoc(y, None, x), d.AssignDoc(x, one)], [d.CallDoc(y)], y, [d.ReturnDoc(x)]),
        "@y()\ndef x(y: x, x = 1) -> y:\n    return x",
    ),
    (
        d.ClassDoc(x, [], [d.FunctionDoc(x, [], [], None, []), d.AssignDoc(x, one)]),
        "class x:\n    def x():\n        pass\n\n    x = 1",
    ),
    (d.CommentDoc("a\nb"), "# a\n# b"),
    (d.DocStringDoc("a"), '"""\na\n"""'),
    (d.StmtBlockDoc([]), ""),
]


@pytest.mark.parametrize(("doc", "text"), STATEMENTS)
def test_statements(doc, text):
    assert to_python_script(doc) == text


EXPRESSIONS = [
    (d.LiteralDoc(None), "None"),
    (d.LiteralDoc('a"\n\\'), '"a\\"\\n\\\\"'),
    (d.LiteralDoc(2.5), "2.5"),
    (d.LiteralDoc(True), "True"),
    (d.TupleDoc([x]), "(x,)"),
    (d.DictDoc({one: x}), "{1: x}"),
    (d.LambdaDoc([x, y], one), "lambda x, y: 1"),
    (d.IndexDoc(x, []), "x[()]"),
    (x[one:x, ::y], "x[1:x, ::y]"),
    (x.attr("a").call(one, b=y), "x.a(1, b=y)"),
    (d.OperationDoc(K.IfThenElse, [x, y, one]), "y if x else 1"),
]


@pytest.mark.parametrize(("doc", "text"), EXPRESSIONS)
def test_expressions(doc, text):
    assert to_python_script(doc) == text


OPERATORS = [kind for kind in K if not kind.name.startswith("_")]


def operands(kind, *parts):
    names = [d.IdDoc(name) for name in "pqr"]
    count = 1 if kind < K._UnaryEnd else 3 if kind is K.IfThenElse else 2
    return [*parts, *names][:count]


@pytest.mark.parametrize("outer", OPERATORS)
def test_precedence_is_pythons(outer):
    """An operand in any position means the same as in parentheses."""
    count = len(operands(outer))
    for inner in OPERATORS:
        for at in range(count):
            parts = [d.IdDoc(name) for name in ("s", "t", "u")[:count]]
            spelled = [part.name for part in parts]
            own = d.OperationDoc(inner, [d.IdDoc(name) for name in ("a", "b", "c")[: len(operands(inner))]])
            parts[at], spelled[at] = own, f"({to_python_script(own)})"
            found = to_python_script(d.OperationDoc(outer, parts))
            plain = d.OperationDoc(outer, [d.IdDoc(f"slot{index}") for index in range(count)])
            wanted = to_python_script(plain)
            for index, text in enumerate(spelled):
                wanted = wanted.replace(f"slot{index}", text)
            if outer is inner and outer in (K.And, K.Or):
                continue  # Python reads `a or b or c` as one operation.
            assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(wanted)), found


def test_what_is_wrong_is_refused():
    for wrong in (d.OperationDoc(K.Add, [x]), d.OperationDoc(K.USub, [x, y]), d.OperationDoc(K._UnaryStart, [x])):
        with pytest.raises((ValueError, TVMError)):
            to_python_script(wrong)
    for make in (lambda: d.IdDoc(1), lambda: d.TupleDoc([1]), lambda: d.LiteralDoc([]), lambda: d.AssignDoc(x, 1)):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(ValueError):
        d.IfDoc(x, [], [])
    with pytest.raises(RuntimeError):
        list(x)


def test_comments_end_a_line_or_stand_above_a_block():
    trailing, above = d.AssignDoc(x, one), d.WhileDoc(x, [])
    trailing.comment, above.comment = "c", "c\nd"
    assert to_python_script(trailing) == "x = 1  # c"
    assert to_python_script(above) == "# c\n# d\nwhile x:\n    pass"
    trailing.comment = "c\nd"
    with pytest.raises(ValueError):
        to_python_script(trailing)


def named(name):
    doc = d.IdDoc(name)
    doc.source_paths = [ObjectPath.root().attr(name)]
    return d.ExprStmtDoc(doc)


def test_parts_of_a_path_are_underlined_with_their_context():
    block = d.StmtBlockDoc([named(f"l{index}") for index in range(12)])
    wanted = [ObjectPath.root().attr("l1"), ObjectPath.root().attr("l9").attr("inner")]
    found = to_python_script(block, path_to_underline=wanted, num_context_lines=1, print_line_numbers=True)
    assert found.split("\n") == [
        " 1 l0", " 2 l1", "   ^^", " 3 l2", "(... 5 lines skipped ...)", " 9 l8", "10 l9", "   ^^", "11 l10", "12 l11",
    ]  # fmt: skip
