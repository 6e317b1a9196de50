"""The corpus of `benches/kernels`: its files are those of the generator, and what makes two kernels differ."""

import pathlib
import sys

import pytest

KERNELS = pathlib.Path(__file__).parents[2] / "benches" / "kernels"
sys.path.append(str(KERNELS))

import assembly  # noqa: E402
import compare  # noqa: E402
from families import FAMILIES  # noqa: E402

CODE = """
\t.file\t"kernels"
\t.section\t.rodata.cst4,"aM",@progbits,4
\t.p2align\t2, 0x0
.LCPI0_0:
\t.long\t0x3f800000
.LCPI0_1:
\t.long\t0x40000000
\t.text
\t.p2align\t4
\t.type\tk0.1,@function
k0.1:
\taddss\t.LCPI0_0(%rip), %xmm0
.LBB0_1:
\tdecq\t%rax
\tjne\t.LBB0_1
\tretq
.Lfunc_end0:
\t.size\tk0.1, .Lfunc_end0-k0.1
\t.globl\ttilewright.kernel.first
\t.p2align\t4
tilewright.kernel.first:
\tleaq\tk0.1(%rip), %rdi
\tkmovw\t%k0, %eax
\tcallq\tmemcpy
\tretq
.Lfunc_end1:
"""


def kernel(text: str) -> str:
    (only,) = assembly.File(text).kernels().values()
    return only


@pytest.mark.parametrize(
    "old, new",
    [
        ("tilewright.kernel.first", "tilewright.kernel.other"),
        ("k0.1", "part.7"),
        (".LBB0_1", ".LBB12_34"),
        (".LCPI0_0", ".LCPI9_9"),
        ('"kernels"', '"elsewhere"'),
        ("\t.long\t0x40000000", "\t.long\t0x40400000"),  # No kernel mentions this one.
    ],
)
def test_names_and_what_is_not_mentioned_do_not_count(old: str, new: str) -> None:
    assert old in CODE
    assert kernel(CODE.replace(old, new)) == kernel(CODE)


@pytest.mark.parametrize(
    "old, new",
    [
        ("decq\t%rax", "decq\t%rbx"),
        ("0x3f800000", "0x3f800001"),
        ("memcpy", "memmove"),
        (".p2align\t2, 0x0", ".p2align\t3, 0x0"),
        (".rodata.cst4", ".rodata"),
        (".LCPI0_0(%rip)", ".LCPI0_1(%rip)"),
        ("jne\t.LBB0_1", "jne\tk0.1"),
        ("\tretq\n.Lfunc_end0", ".Lfunc_end0"),
        ("%k0", "%k1"),
    ],
)
def test_code_and_constants_count(old: str, new: str) -> None:
    assert old in CODE
    assert kernel(CODE.replace(old, new)) != kernel(CODE)


def test_a_kernel_with_another_name_is_the_same() -> None:
    before = {"add": "a", "add1": "b", "sub": "c", "mul": "d"}
    assert compare.matched(before, before) == []
    shifted = {"add": "b", "sub": "c", "mul": "d", "pad": "a"}
    assert compare.matched(before, shifted) == []
    assert compare.matched(before, before | {"sub": "e"}) == [("sub", "c", "e")]
    assert compare.matched(before, {"add": "a", "add1": "b", "sub": "c"}) == [("mul", "d", "-")]
    assert compare.matched(before, before | {"new": "a"}) == [("new", "-", "a")]


def test_the_corpus_is_what_the_generator_writes() -> None:
    written = {path.stem: path.read_text() for path in compare.CORPUS.glob("*.py")}
    assert written == {family.__name__: family().text() for family in FAMILIES}


def test_the_table_is_of_the_corpus() -> None:
    table = compare.read_table(compare.DIGESTS)
    assert len(table) >= 300
    assert {row["file"] for row in table} == {path.stem for path in compare.CORPUS.glob("*.py")}
    rules = [rule for row in table for rule in row["rule"].split("/")]
    for rule in set(rules) - {"-"}:
        assert rules.count(rule) >= 8, rule
