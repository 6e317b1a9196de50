"""Documents of Python code and their text."""

import ast

import pytest

from tilewright.runtime import ObjectPath
from tilewright.script.printer.doc import (
    AssertDoc,
    AssignDoc,
    ClassDoc,
    CommentDoc,
    DictDoc,
    ExprStmtDoc,
    ForDoc,
    FunctionDoc,
    IdDoc,
    IfDoc,
    LambdaDoc,
    ListDoc,
    LiteralDoc,
    OperationDoc,
    ReturnDoc,
    ScopeDoc,
    SliceDoc,
    StmtBlockDoc,
    TupleDoc,
    WhileDoc,
)
from tilewright.script.printer.doc import OperationKind as Kind
from tilewright.script.printer.doc_printer import to_python_script

x, y, z = map(IdDoc, "xyz")


def op(kind, *operands):
    return OperationDoc(kind, operands)


EXPRESSIONS = [
    (LiteralDoc(None), "None"),
    (LiteralDoc(True), "True"),
    (LiteralDoc('a"\\\n\t'), r'"a\"\\\n\t"'),
    (LiteralDoc(-2), "-2"),
    (LiteralDoc(1.0), "1.0"),
    (LiteralDoc(float("inf")), '"inf"'),
    (x.attr("a").attr("b"), "x.a.b"),
    (x[()], "x[()]"),
    (x[SliceDoc(LiteralDoc(1)), y], "x[1:, y]"),
    (x[SliceDoc(None, LiteralDoc(2), LiteralDoc(3))], "x[:2:3]"),
    (x.call(y, k=z), "x(y, k=z)"),
    (LambdaDoc([], LiteralDoc(0)), "lambda : 0"),
    (LambdaDoc([x, y], op(Kind.Add, x, y)), "lambda x, y: x + y"),
    (LambdaDoc([x], x).call(y), "(lambda x: x)(y)"),
    (TupleDoc([]), "()"),
    (TupleDoc([x]), "(x,)"),
    (ListDoc([x, y]), "[x, y]"),
    (DictDoc({LiteralDoc("k"): x}), '{"k": x}'),
    (op(Kind.Sub, x, op(Kind.Sub, y, z)), "x - (y - z)"),
    (op(Kind.Sub, op(Kind.Sub, x, y), z), "x - y - z"),
    (op(Kind.Mult, op(Kind.Add, x, y), z), "(x + y) * z"),
    (op(Kind.Pow, x, op(Kind.Pow, y, z)), "x ** y ** z"),
    (op(Kind.Pow, op(Kind.Pow, x, y), z), "(x ** y) ** z"),
    (op(Kind.Not, op(Kind.And, x, y)), "not (x and y)"),
    (op(Kind.And, op(Kind.Not, x), op(Kind.Or, y, z)), "not x and (y or z)"),
    (op(Kind.USub, op(Kind.Add, x, y)), "-(x + y)"),
    (op(Kind.IfThenElse, x, op(Kind.IfThenElse, x, y, z), z), "(y if x else z) if x else z"),
    (op(Kind.Add, x, y).attr("a"), "(x + y).a"),
]


@pytest.mark.parametrize(("doc", "text"), EXPRESSIONS)
def test_expressions(doc, text):
    assert to_python_script(doc) == text


def test_every_operator_keeps_its_operands_together():
    """Python reads the text of nested operators as the tree that was printed."""
    binary = [kind for kind in Kind if not kind.name.startswith("_") and Kind.Add <= kind <= Kind.Or]
    comparisons = {Kind.Lt, Kind.LtE, Kind.Eq, Kind.NotEq, Kind.Gt, Kind.GtE}
    for outer in binary:
        for inner in binary:
            if {outer, inner} <= comparisons:  # Python reads a chain of them as one.
                continue
            for doc, side in ((op(outer, op(inner, x, y), z), 0), (op(outer, x, op(inner, y, z)), 1)):
                tree = ast.parse(to_python_script(doc), mode="eval").body
                whole = ast.unparse(ast.parse(to_python_script(doc.operands[side]), mode="eval").body)
                if isinstance(tree, ast.BoolOp) and outer == inner:
                    continue
                parts = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.expr)}
                assert whole in parts, to_python_script(doc)


def stmt(made, comment):
    made.comment = comment
    return made


CHOICE = [ExprStmtDoc(y)], [ExprStmtDoc(z)]
STATEMENTS = [
    (StmtBlockDoc([ExprStmtDoc(x), ExprStmtDoc(y)]), "x\ny"),
    (AssignDoc(x, y, IdDoc("int")), "x: int = y"),
    (AssignDoc(x, annotation=IdDoc("int")), "x: int"),
    (AssignDoc(TupleDoc([x, y]), TupleDoc([y, x])), "x, y = y, x"),
    (IfDoc(x, *CHOICE), "if x:\n    y\nelse:\n    z"),
    (WhileDoc(x, []), "while x:\n    pass"),
    (ForDoc(TupleDoc([x, y]), z, []), "for x, y in z:\n    pass"),
    (ScopeDoc(x, []), "with x:\n    pass"),
    (ScopeDoc(y, x, []), "with x as y:\n    pass"),
    (AssertDoc(x, LiteralDoc("why")), 'assert x, "why"'),
    (ReturnDoc(x), "return x"),
    (
        FunctionDoc(IdDoc("f"), [AssignDoc(x, LiteralDoc(1), IdDoc("int"))], [IdDoc("wrap")], y, [ReturnDoc(x)]),
        "@wrap\ndef f(x: int = 1) -> y:\n    return x",
    ),
    (
        ClassDoc(IdDoc("C"), [], [FunctionDoc(IdDoc(name), [], [], None, []) for name in "fg"]),
        "class C:\n    def f():\n        pass\n\n    def g():\n        pass",
    ),
    (CommentDoc("a\nb"), "# a\n# b"),
    (stmt(AssignDoc(x, y), "why"), "x = y  # why"),
    (stmt(IfDoc(x, *CHOICE), "a\nb"), "# a\n# b\nif x:\n    y\nelse:\n    z"),
    (
        stmt(FunctionDoc(IdDoc("f"), [], [], None, [ReturnDoc(x)]), "says"),
        'def f():\n    """\n    says\n    """\n    return x',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("doc", "text"), STATEMENTS)
def test_statements(doc, text):
    assert to_python_script(doc) == text
    assert to_python_script(doc, indent_spaces=2) == text.replace("    ", "  ")


def test_what_has_no_text():
    with pytest.raises(ValueError, match="one line"):
        to_python_script(stmt(ExprStmtDoc(x), "a\nb"))
    with pytest.raises(TypeError, match="a literal is"):
        LiteralDoc([])
    with pytest.raises(RuntimeError, match="iterated"):
        list(x)


def line(name):
    doc = IdDoc(name)
    doc.source_paths = [ObjectPath.root().attr(name)]
    return ExprStmtDoc(doc)


def test_underlines_with_lines_around():
    doc = StmtBlockDoc([line(f"line{number}") for number in range(12)])
    shown = to_python_script(
        doc, print_line_numbers=True, num_context_lines=1, path_to_underline=[ObjectPath.root().attr("line5")]
    )
    expected = """(... 4 lines skipped ...)
 5 line4
 6 line5
   ^^^^^
 7 line6
(... 5 lines skipped ...)"""
    assert shown == expected
    below = ObjectPath.root().attr("line1").attr("name")
    assert to_python_script(doc, path_to_underline=[below]).split("\n")[1:3] == ["line1", "^^^^^"]
