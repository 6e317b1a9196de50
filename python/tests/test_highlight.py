"""Scripts in colour: what terminals get, what notebooks get, and when."""

import html
import io
import re
from html.parser import HTMLParser

import pytest

import tilewright as tw
from tilewright import relax, tir
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T
from tilewright.script.highlight import cprint, highlight_html


@I.ir_module
class Module:
    I.module_attrs({"note": '<b>&amp; "quoted"</b>'})

    @T.prim_func
    def larger(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "bool")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] < T.float32(0) or A[vi] > T.float32(1)

    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        return R.add(x, x)


class Page(HTMLParser):
    """The text of a page, the elements that it is made of, and those that are open at its end."""

    def __init__(self, page):
        super().__init__()
        self.text, self.seen, self.open = "", set(), []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.add((tag, *(name for name, _ in attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("shown", [Module, Module["larger"], Module["main"]], ids=["module", "PrimFunc", "Function"])
def test_notebooks_show_the_script_and_nothing_but_the_script(shown):
    assert isinstance(shown, (tw.IRModule, tir.PrimFunc, relax.Function))
    page = Page(shown._repr_html_())
    assert page.text == shown.script()
    assert page.seen == {("pre",), ("span", "style")} and not page.open


def test_markup_in_a_script_is_escaped():
    page = Module._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;&amp;amp; " in page


def test_a_text_is_one_piece_whatever_it_holds():
    page = highlight_html('x = "for # <i>"')
    assert re.findall(r">([^<]*)</span>", page) == [html.escape('"for # <i>"')]


class Stream(io.StringIO):
    """Standard output that is a terminal or is none."""

    def __init__(self, terminal):
        super().__init__()
        self.isatty = lambda: terminal


#: What the streams of notebooks are called.
Cell = type("OutStream", (Stream,), {"__module__": "ipykernel.iostream"})


@pytest.mark.parametrize(
    ("stream", "variables", "coloured"),
    [
        (Stream(True), {}, True),
        (Stream(False), {}, False),
        (Cell(False), {}, True),
        (Stream(False), {"FORCE_COLOR": "1"}, True),
        (Stream(True), {"NO_COLOR": "1"}, False),
        (Cell(False), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_show_is_in_colour_where_colours_show(stream, variables, coloured, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", stream)
    Module.show()
    cprint("def f(): pass")
    printed = stream.getvalue()
    assert ("\x1b[35mdef\x1b[0m" in printed) == coloured
    assert re.sub(r"\x1b\[\d+m", "", printed) == Module.script() + "\ndef f(): pass\n"
