"""Passes from Python: one after the other, in a context, written in Python."""

from inspect import signature

import numpy as np
import pytest

import tilewright as tw
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            gv = R.nn.relu(x)
            R.output(gv)
        return gv


def test_passes_leave_their_input_alone():
    before = Module.script()
    legal = tw.relax.transform.LegalizeOps()(Module)
    assert "R.call_tir(" in legal.script()
    assert Module.script() == before


def test_passes_run_in_order():
    seen = []

    @tw.transform.module_pass(opt_level=0, name="note")
    def note(module, context):
        seen.append("R.nn.relu" in module.script())
        return module

    tw.transform.Sequential([note, tw.relax.transform.LegalizeOps(), note])(Module)
    assert seen == [True, False]


def test_an_error_in_a_pass_of_ones_own_comes_back_as_itself():
    @tw.transform.module_pass
    def fails(module, context):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fails(Module)


def test_a_pass_must_return_a_module():
    @tw.transform.module_pass
    def forgets(module, context):
        pass

    with pytest.raises(TypeError, match="IRModule"):
        forgets(Module)


def test_the_context_is_the_current_one_inside():
    with tw.transform.PassContext(opt_level=3) as context:
        assert tw.transform.PassContext.current() is context
        tw.relax.build(Module, "llvm")
    assert tw.transform.PassContext.current() is not context


class Watch(tw.transform.PassInstrument):
    def __init__(self):
        self.seen = []

    def run_before_pass(self, module, info):
        self.seen.append(("before", info))

    def run_after_pass(self, module, info):
        self.seen.append(("after", info))


def test_instruments_see_each_pass():
    watch = Watch()
    with tw.transform.PassContext(instruments=[watch]):
        tw.relax.transform.LegalizeOps()(Module)
    assert watch.seen == [("before", "LegalizeOps"), ("after", "LegalizeOps")]


def test_an_instrument_can_keep_passes_from_running():
    class Never(tw.transform.PassInstrument):
        def should_run(self, module, info):
            return False

    with tw.transform.PassContext(instruments=[Never()]):
        same = tw.relax.transform.LegalizeOps()(Module)
    tw.ir.assert_structural_equal(same, Module)


def test_an_exception_in_an_instrument_comes_back_as_itself():
    class Fails(tw.transform.PassInstrument):
        def run_before_pass(self, module, info):
            raise KeyError(info)

    with tw.transform.PassContext(instruments=[Fails()]), pytest.raises(KeyError, match="LegalizeOps"):
        tw.relax.transform.LegalizeOps()(Module)
    with tw.transform.PassContext(instruments=[Fails()]), pytest.raises(KeyError):
        tw.relax.build(Module, "llvm")


def test_disabled_passes_are_left_out():
    with tw.transform.PassContext(disabled_pass=["LegalizeOps"]):
        same = tw.transform.Sequential([tw.relax.transform.LegalizeOps()])(Module)
        meant = tw.relax.transform.LegalizeOps()(Module)
    tw.ir.assert_structural_equal(same, Module)
    assert len(meant) > len(Module)
    with tw.transform.PassContext(disabled_pass=["LegalizeOps"], required_pass=["LegalizeOps"]):
        same = tw.transform.Sequential([tw.relax.transform.LegalizeOps()])(Module)
    tw.ir.assert_structural_equal(same, Module)


def test_modules_are_maps_of_functions():
    assert [v.name_hint for v in Module.get_global_vars()] == ["main"]
    assert isinstance(Module["main"], tw.relax.Function)
    assert isinstance(tw.relax.transform.LegalizeOps()(Module)["relu"], tw.tir.PrimFunc)
    with pytest.raises(tw.TVMError, match=r"nope.*main"):
        Module["nope"]


def test_every_pass_of_the_compiler_has_a_function():
    from tilewright import _core

    names = _core.graph_pass_names()
    assert {"LegalizeOps", "Normalize", "DeadCodeElimination"} <= set(names)
    for name in names:
        make = getattr(tw.relax.transform, name)
        assert make.__doc__ and name in tw.relax.transform.__all__
        if all(param.default is not param.empty for param in signature(make).parameters.values()):
            assert make().name == name
    with pytest.raises(AttributeError):
        tw.relax.transform.NoSuchPass  # noqa: B018


def test_passes_have_the_parameters_that_they_declare():
    sort = tw.relax.transform.TopologicalSort
    assert str(signature(sort)).startswith("(order='depth-first', direction='from-inputs')")
    assert sort("breadth-first", direction="from-outputs").name == "TopologicalSort"
    for wrong, message in [
        (lambda: sort("sideways"), 'argument `order` of `TopologicalSort` must be "depth-first" or "breadth-first"'),
        (lambda: tw.relax.transform.ConvertToDataflow("two"), "argument `min_size` of .* must be an integer"),
        (lambda: tw.relax.transform.ConvertToDataflow(min_size=-1), "cannot be negative, found -1"),
        (lambda: tw.relax.transform.CombineParallelMatmul(3), "must be a function or None, found the integer 3"),
    ]:
        with pytest.raises(tw.TVMError, match=message):
            wrong()
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        sort(speed="fast")


def test_parameters_get_the_types_that_a_function_gives():
    def rows(param):
        return tw.relax.TensorStructInfo((8, 3), "float32") if param.name_hint == "x" else None

    changed = tw.relax.transform.UpdateParamStructInfo(rows)(Module)["main"]
    assert [int(dim) for dim in changed.ret_struct_info.shape] == [8, 3]
    with pytest.raises(tw.TVMError, match="expected a struct info or None"):
        tw.relax.transform.UpdateParamStructInfo(lambda param: "float32")(Module)


@I.ir_module
class TwoProducts:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), a: R.Tensor((4, 3), "float32"), b: R.Tensor((4, 5), "float32")):
        with R.dataflow():
            p = R.matmul(x, a)
            q = R.matmul(x, b)
            R.output(p, q)
        return (p, q)


def test_the_check_of_parallel_products_is_asked_and_decides():
    asked = []

    def check(x, rhs, bias, branch):
        asked.append((x.name_hint, [w.name_hint for w in rhs], list(bias), dict(branch)))
        return len(asked) > 1

    combine = tw.relax.transform.CombineParallelMatmul(check)
    tw.ir.assert_structural_equal(combine(TwoProducts), TwoProducts)
    assert asked == [("x", ["a", "b"], [], {"num_branches": 2, "bias_dim": None, "activation": None})]
    combined = combine(TwoProducts)
    tw.ir.assert_structural_equal(combined, tw.relax.transform.CombineParallelMatmul()(TwoProducts))
    assert len(combined["main"].body.blocks[0].bindings) == 5

    def broken(*_):
        raise ValueError("no answer")

    with pytest.raises(tw.TVMError, match="no answer"):
        tw.relax.transform.CombineParallelMatmul(check=broken)(TwoProducts)


def test_names_that_no_pass_has_are_warned_of():
    with pytest.warns(UserWarning, match="`LegaliseOps`.*did you mean `LegalizeOps`") as caught:
        tw.transform.PassContext(disabled_pass=["LegaliseOps"])
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="required_pass names `Nonsense`"):
        tw.transform.PassContext(required_pass=["Nonsense"])


def test_passes_of_ones_own_may_be_disabled(recwarn):
    @tw.transform.module_pass(name="test.unwanted")
    def unwanted(module, context):
        raise AssertionError("it ran")

    with tw.transform.PassContext(disabled_pass=["test.unwanted"]):
        tw.ir.assert_structural_equal(tw.transform.Sequential([unwanted])(Module), Module)
    assert not recwarn


def test_options_that_nothing_reads_are_warned_of(python):
    text = "import tilewright as tw; tw.transform.PassContext(config={'tir.nonsense': 1})"
    assert "`tir.nonsense`" in python("-c", text).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"instruments": [3]}, "instrument.*found 3"),
        ({"instruments": [tw.transform.PassInstrument]}, "instrument"),
        ({"disabled_pass": "LegalizeOps"}, "list of names"),
        ({"required_pass": [3]}, "list of names"),
        ({"opt_level": "high"}, "opt_level"),
        ({"opt_level": -1}, "opt_level"),
        ({"config": ["a"]}, "config"),
        ({"config": {1: 2}}, "config"),
    ],
)
def test_wrong_contexts_are_refused(options, message):
    with pytest.raises(tw.TVMError, match=message):
        tw.transform.PassContext(**options)


def test_instruments_need_not_have_every_method():
    seen = []

    class Short:
        def run_after_pass(self, module, info):
            seen.append((info, info.name, info.opt_level))

        def enter_pass_ctx(self):
            seen.append("enter")

        def exit_pass_ctx(self):
            seen.append("exit")

    with tw.transform.PassContext(instruments=[Short()]):
        tw.relax.transform.LegalizeOps()(Module)
    assert seen == ["enter", ("LegalizeOps", "LegalizeOps", 0), "exit"]


def test_wrong_parameters_are_refused():
    with pytest.raises(tw.TVMError, match=r"'b' takes a tensor.*found int"):
        tw.relax.transform.BindParams("main", {"b": 3})
    with pytest.raises(tw.TVMError, match="name or its position"):
        tw.relax.transform.BindParams("main", {2.5: np.zeros(1)})
    with pytest.raises(tw.TVMError, match="found 3 in it"):
        tw.transform.Sequential([3])
    with pytest.raises(tw.TVMError, match="IRModule"):
        tw.relax.transform.LegalizeOps()(3)


@I.ir_module
class Symbolic:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 2), "float32")):
        with R.dataflow():
            lv = R.permute_dims(w)
            lv1 = R.permute_dims(lv)
            lv2 = R.matmul(x, lv1)
            gv = R.nn.relu(lv2)
            R.output(gv)
        return gv


def test_symbolic_dimensions_become_numbers():
    bound = tw.relax.transform.BindSymbolicVars({"n": 3})(Symbolic)
    assert "x: R.Tensor((3, 4)" in bound.script()
    with pytest.raises(tw.TVMError, match="no symbolic dimension is called `k`"):
        tw.relax.transform.BindSymbolicVars({"k": 3}, "main")(Symbolic)
    with pytest.raises(TypeError, match="a size is an integer"):
        tw.relax.transform.BindSymbolicVars({"n": "three"})


def test_constants_are_folded_by_compiled_code():
    w = np.arange(8, dtype="float32").reshape(4, 2)
    bound = tw.relax.transform.BindParams("main", {"w": w})(Symbolic)
    folded = tw.relax.transform.FoldConstant()(bound)
    assert "permute_dims" not in folded.script()
    x = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
    run = tw.relax.VirtualMachine(tw.relax.build(folded), tw.cpu())["main"]
    np.testing.assert_allclose(run(tw.nd.array(x)).numpy(), np.maximum(x @ w, 0), rtol=1e-6)


def test_memory_is_told_as_a_table():
    bound = tw.relax.transform.BindSymbolicVars({"n": 16})(Symbolic)
    planned = tw.relax.pipeline.get_pipeline("default_build")(bound)
    header, main = tw.relax.analysis.estimate_memory_usage(planned).splitlines()
    assert header.split()[:4] == ["function", "planned", "unplanned", "peak"]
    assert main.split()[0] == "main" and int(main.split()[1]) > 0


@I.ir_module
class Sized:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n * 2",), "float32")):
        with R.dataflow():
            gv = R.nn.relu(y)
            R.output(gv)
        return gv


def test_sizes_that_are_written_out_are_compared_by_the_run():
    """What `VMShapeLower` leaves has no symbolic size, and still refuses arguments that contradict each other."""
    names = ["LegalizeOps", "CallTIRRewrite", "StaticPlanBlockMemory", "LowerAllocTensor", "VMShapeLower"]
    passes = [getattr(tw.relax.transform, name)() for name in [*names, "LowerRuntimeBuiltin"]]
    lowered = tw.transform.Sequential(passes)(Sized)
    text = lowered.script().split("def main")[1]
    assert '"n' not in text and "T.int64()" not in text
    assert 'R.call_packed("vm.builtin.match_shape"' in text
    run = tw.relax.VirtualMachine(tw.relax.build(lowered), tw.cpu())["main"]
    y = np.array([-1, 2, np.nan, -4, 5, -np.inf], "float32")
    found = run(tw.nd.array(np.zeros((3, 4), "float32")), tw.nd.array(y)).numpy()
    np.testing.assert_array_equal(found, np.maximum(y, np.float32(0)))
    for rows, columns, message in [(2, 4, "dimension 0 is 6, expected 4"), (3, 5, "dimension 1 is 5, expected 4")]:
        with pytest.raises(tw.TVMError, match=message):
            run(tw.nd.array(np.zeros((rows, columns), "float32")), tw.nd.array(y))


def test_a_pass_describes_itself_and_runs_after_its_requirements():
    seen = []

    @tw.transform.module_pass(opt_level=1, name="test.looks", required=["LegalizeOps"])
    def looks(module, context):
        seen.append(len(module))
        return module

    assert (looks.info.name, looks.info.opt_level, looks.info.required) == ("test.looks", 1, ["LegalizeOps"])
    assert tw.relax.transform.LegalizeOps().info.name == "LegalizeOps"
    looks(Module)
    assert seen[0] > len(Module)
    with pytest.raises(tw.TVMError, match="LegalizeOpps"):
        tw.transform.module_pass(required=["LegalizeOpps"])(lambda module, context: module)


def noting(name, level, seen):
    """A pass of a level that notes that it has run."""

    @tw.transform.module_pass(opt_level=level, name=name)
    def note(module, context):
        seen.append(name)
        return module

    return note


def test_a_sequence_is_a_pass_with_a_level_and_requirements_of_its_own():
    seen = []
    passes = [noting("test.zero", 0, seen), noting("test.three", 3, seen)]
    both = tw.transform.Sequential(passes, opt_level=3, name="both", required=["LegalizeOps"])
    assert isinstance(both, tw.transform.Sequential) and isinstance(both, tw.transform.Pass)
    assert (both.info.name, both.info.opt_level, both.info.required) == ("both", 3, ["LegalizeOps"])
    assert [one.info.name for one in both.passes] == ["test.zero", "test.three"]
    inside = tw.transform.Sequential([both, passes[0]])
    rows = [
        # Inside of a sequence levels count, and a sequence has one too: nothing that it requires runs either.
        (inside, 2, ["test.zero"], False),
        (inside, 3, ["test.zero", "test.three", "test.zero"], True),
        # What is called by itself runs at any level, and those that it runs at theirs.
        (both, 2, ["test.zero"], True),
        (passes[1], 0, ["test.three"], False),
    ]
    for one, level, expected, legalized in rows:
        seen.clear()
        with tw.transform.PassContext(opt_level=level):
            module = one(Module)
        assert (seen, "R.nn.relu(" not in module.script()) == (expected, legalized), (one, level)
    with pytest.warns(UserWarning, match="both"), tw.transform.PassContext(disabled_pass=["both"]):
        seen.clear()
        assert tw.transform.Sequential([both])(Module) is Module and not seen
        both(Module)
        assert seen == ["test.zero"]
    with pytest.raises(tw.TVMError, match="LegalizeOpps"):
        tw.transform.Sequential([], required=["LegalizeOpps"])
    with pytest.raises(TypeError, match="name="):
        tw.transform.Sequential([], "both")


def test_a_sequence_that_is_called_lends_its_name_to_no_pass_inside():
    seen = []
    zero, three = noting("test.zero", 0, seen), noting("test.three", 3, seen)
    for sequence in (
        tw.transform.Sequential([tw.transform.Sequential([zero], opt_level=3), zero]),
        tw.transform.Sequential([three, zero], name="test.three"),
    ):
        seen.clear()
        with tw.transform.PassContext(opt_level=2):
            sequence(Module)
        assert seen == ["test.zero"]


def test_one_that_is_called_in_a_pass_of_ones_own_is_meant_too():
    seen = []
    three = noting("test.three", 3, seen)
    outer = tw.transform.module_pass(lambda module, context: three(module), name="test.outer")
    with tw.transform.PassContext(opt_level=2):
        tw.transform.Sequential([outer])(Module)
    assert seen == ["test.three"]


def test_names_of_both_lists_are_left_out():
    seen = []
    zero = noting("test.zero", 0, seen)
    with tw.transform.PassContext(disabled_pass=["test.zero"], required_pass=["test.zero"]):
        tw.transform.Sequential([zero])(Module)
        assert not seen
        zero(Module)
    assert seen == ["test.zero"]


def test_instruments_hear_of_a_sequence_and_of_its_passes():
    heard = []

    @tw.instrument.pass_instrument
    class Hears:
        def __init__(self, name):
            self.name = name

        def run_before_pass(self, mod, info):
            heard.append((self.name, "before", info.name, info.opt_level))

        def run_after_pass(self, mod, info):
            heard.append((self.name, "after", info.name, info.opt_level))

    sequence = tw.transform.Sequential([noting("test.noted", 1, [])], opt_level=2, name="both")
    with tw.transform.PassContext(instruments=[Hears("a"), Hears("b")]):
        sequence(Module)
    around = [("both", 2, "before"), ("test.noted", 1, "before"), ("test.noted", 1, "after"), ("both", 2, "after")]
    assert heard == [(who, when, name, level) for name, level, when in around for who in "ab"]


def test_a_failing_instrument_leaves_no_context():
    events = []

    class Watches(tw.instrument.PassInstrument):
        def __init__(self, name, fails=""):
            self.name, self.fails = name, fails

        def enter_pass_ctx(self):
            events.append(f"{self.name} begins")
            if self.fails == "begin":
                raise ValueError("no")

        def exit_pass_ctx(self):
            events.append(f"{self.name} ends")
            if self.fails == "end":
                raise ValueError("no")

    outside = tw.transform.PassContext.current()
    for fails, expected in [
        ("begin", ["a begins", "b begins", "a ends"]),
        ("end", ["a begins", "b begins", "c begins", "a ends", "b ends"]),
    ]:
        events.clear()
        with pytest.raises(ValueError, match="no"):
            with tw.transform.PassContext(instruments=[Watches("a"), Watches("b", fails), Watches("c")]):
                pass
        assert events == expected
        assert tw.transform.PassContext.current() is outside
    events.clear()
    with tw.transform.PassContext(instruments=[Watches("a")]) as context:
        context.override_instruments([Watches("b")])
    assert events == ["a begins", "a ends", "b begins", "b ends"]
    events.clear()
    with pytest.raises(ValueError, match="no"):
        with tw.transform.PassContext(instruments=[Watches("a")]) as context:
            context.override_instruments([Watches("b"), Watches("c", "begin"), Watches("d")])
    assert events == ["a begins", "a ends", "b begins", "c begins", "b ends"] and not context.instruments


@T.prim_func
def row_sums(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16,), "float32"), n: T.int32):
    for i in T.unroll(2):
        for j, k in T.grid(8, 8):
            if n > 3:
                with T.block("sums"):
                    vi = T.axis.spatial(16, i * 8 + j)
                    vk = T.axis.reduce(8, k)
                    with T.init():
                        B[vi] = 0.0
                    B[vi] = B[vi] + A[vi, vk] * T.float32(1.0)


@T.prim_func
def one_more(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16,), "float32"), n: T.int32):
    T.evaluate(0)
    for i in range(34):
        if i < 16:
            B[i] = A[i, i - i] + T.float32(1.0)


def test_steps_of_the_lowering_keep_the_meaning(rng):
    steps = tw.tir.transform
    without_blocks = [steps.LowerInitBlock(), steps.ConvertBlocksToOpaque(), steps.LowerOpaqueBlock()]
    rows = [
        (steps.LowerInitBlock(), row_sums, lambda text: "T.init" not in text),
        (tw.transform.Sequential(without_blocks), row_sums, lambda text: "T.block" not in text),
        (steps.UnrollLoop(), row_sums, lambda text: "T.unroll" not in text),
        (steps.Simplify(), one_more, lambda text: "i - i" not in text),
        (steps.RemoveNoOp(), one_more, lambda text: "T.evaluate" not in text),
        (steps.LoopPartition(), one_more, lambda text: "if i < 16" not in text),
        (
            tw.transform.Sequential([*without_blocks, steps.HoistIfThenElse()]),
            row_sums,
            lambda text: text.index("if ") < text.index("for "),
        ),
    ]
    values = rng.standard_normal((16, 8)).astype("float32")
    expected = {row_sums: values.sum(1), one_more: values[:, 0] + 1}
    for step, function, holds in rows:
        before = tw.IRModule({"main": function})
        assert not holds(before.script()), step
        module = step(before)
        assert holds(module.script()), step
        result = tw.nd.array(np.zeros(16, "float32"))
        tw.build(module["main"], target="llvm")(tw.nd.array(values), result, 4)
        np.testing.assert_allclose(result.numpy(), expected[function], rtol=1e-5, atol=1e-6)


def test_operators_that_are_skipped_stay_and_are_warned_of():
    module = tw.script.from_source(
        """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.nn.relu(a)
        return b
"""
    )
    with pytest.warns(UserWarning) as warned:
        made = tw.relax.transform.LegalizeOps(skip_ops=["relax.add"], enable_warning=True)(module)
    assert [str(one.message) for one in warned] == ["operator `relax.add` is left"]
    text = made["main"].script()
    assert "R.add(" in text and "R.nn.relu(" not in text
    mine = {"relax.add": lambda bb, call: call.args[0]}
    kept = tw.relax.transform.LegalizeOps(mine, skip_ops=["relax.add"])(module)
    tw.ir.assert_structural_equal(kept, made)
    with pytest.raises(tw.TVMError, match=r"there is no operator `relax.ad`"):
        tw.relax.transform.LegalizeOps(skip_ops=["relax.ad"])


def test_functions_get_other_names_with_all_references():
    @I.ir_module
    class Named:
        I.module_attrs({"kept": 1})
        I.module_global_infos({"vdevice": [I.vdevice({"kind": "llvm"})]})

        @T.prim_func
        def double(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
            for i in range(4):
                B[i] = A[i] * 2.0

        @R.function(private=True)
        def twice(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            y = R.call_tir(Named.double, (x,), out_sinfo=R.Tensor((4,), "float32"))
            return y

        @R.function
        def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            return Named.twice(x)

    renamed = Named.replace_global_vars({"double": "times_two", Named.get_global_var("twice"): "again"})
    assert sorted(var.name_hint for var in renamed.functions) == ["again", "main", "times_two"]
    assert renamed["times_two"].attrs["global_symbol"] == "times_two"
    assert renamed.attrs["kept"] == 1 and renamed.global_infos and tw.relax.analysis.well_formed(renamed)
    machine = tw.relax.VirtualMachine(tw.relax.build(renamed, target="llvm"), tw.cpu())
    assert machine["main"](np.arange(4, dtype="float32")).numpy().tolist() == [0, 2, 4, 6]
    with pytest.raises(tw.error.UnknownNameError, match="the module has no function `nope`, only double, main, twice"):
        Named.replace_global_vars({"nope": "x"})
    with pytest.raises(tw.TVMError, match="`double` and `main` would both be called `main`"):
        Named.replace_global_vars({"double": "main"})
    assert tw.relax.transform.NormalizeGlobalVar()(Named.replace_global_vars({"twice": "main_2"})).global_infos


def test_modules_are_written_after_each_pass(tmp_path):
    folder = tmp_path / "modules"
    passes = tw.transform.Sequential([tw.relax.transform.LegalizeOps(), noting("a/b", 0, [])], name="both")
    for refresh in (False, True):
        folder.mkdir(exist_ok=True)
        (folder / "007_left.py").write_text("")
        (folder / "mine.txt").write_text("")
        with tw.transform.PassContext(instruments=[tw.instrument.DumpIR(folder, refresh=refresh)]):
            after = passes(Module)
        written = ["000_LegalizeOps.py", "001_a_b.py", "002_both.py"]
        found = sorted(path.name for path in folder.iterdir())
        assert found == [*written, *(() if refresh else ("007_left.py",)), "mine.txt"]
        for name in written:
            tw.ir.assert_structural_equal(tw.script.from_source((folder / name).read_text()), after)


def test_a_symbolic_variable_is_bound_where_it_is_and_not_by_its_name():
    @I.ir_module
    class Sizes:
        @R.function
        def first(x: R.Tensor(("n",), "float32")):
            return R.nn.relu(x)

        @R.function
        def second(x: R.Tensor(("n",), "float32")):
            return R.nn.relu(x)

    [n] = Sizes["first"].params[0].struct_info.shape
    bound = tw.relax.transform.BindSymbolicVars({n: 4})(Sizes)
    assert "R.Tensor((4,)" in bound["first"].script()
    assert 'R.Tensor(("n",)' in bound["second"].script()
    both = tw.relax.transform.BindSymbolicVars({"n": 4})(Sizes)
    assert "R.Tensor((4,)" in both["second"].script()


def test_outputs_that_nothing_uses_are_hidden():
    @I.ir_module
    class Outputs:
        @R.function
        def main(x: R.Tensor((2, 3), "float32")):
            with R.dataflow():
                a = R.exp(x)
                b = R.nn.relu(a)
                R.output(a, b)
            return b

    block = tw.relax.transform.CanonicalizeBindings()(Outputs)["main"].body.blocks[0]
    assert [isinstance(binding.var, tw.relax.DataflowVar) for binding in block.bindings] == [True, False]


def test_inference_uses_the_moving_statistics():
    @I.ir_module
    class Norm:
        @R.function
        def main(
            x: R.Tensor((4, 3), "float32"),
            gamma: R.Tensor((3,), "float32"),
            beta: R.Tensor((3,), "float32"),
            mean: R.Tensor((3,), "float32"),
            var: R.Tensor((3,), "float32"),
        ):
            with R.dataflow():
                norm = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1)
                y = norm[0]
                R.output(y)
            return y

    values = np.random.default_rng(3).random((5, 3), "float32")
    x, (gamma, beta, mean, var) = np.random.default_rng(4).random((4, 3), "float32"), values[:4]
    module = tw.relax.transform.DecomposeOpsForInference()(Norm)
    machine = tw.relax.VirtualMachine(tw.relax.build(module, "llvm"), tw.cpu())
    found = machine["main"](*map(tw.nd.array, (x, gamma, beta, mean, var))).numpy()
    np.testing.assert_allclose(found, (x - mean) / np.sqrt(var + 1e-5) * gamma + beta, rtol=1e-5)
    # The program as it is keeps its meaning, which is the statistics of the batch.
    machine = tw.relax.VirtualMachine(tw.relax.build(Norm, "llvm"), tw.cpu())
    found = machine["main"](*map(tw.nd.array, (x, gamma, beta, mean, var))).numpy()
    wanted = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) * gamma + beta
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)


def test_the_sum_of_two_products_is_combined():
    @I.ir_module
    class Products:
        @R.function
        def main(x: R.Tensor((2, 3), "float32"), a: R.Tensor((3, 4), "float32"), b: R.Tensor((3, 4), "float32")):
            with R.dataflow():
                p = R.matmul(x, a)
                q = R.matmul(x, b)
                o = R.add(p, q)
                R.output(o)
            return o

    assert tw.relax.transform.CombineParallelMatmul()(Products).script().count("R.matmul(") == 1


def test_a_tensor_is_reshaped_to_a_shape_that_the_run_computes():
    @I.ir_module
    class Reshaped:
        @R.function
        def main(x: R.Tensor((2, 3), "float32"), t: R.Tensor((2,), "int64")):
            s: R.Shape(ndim=2) = R.tensor_to_shape(t)
            y = R.reshape(x, s)
            return y

    machine = tw.relax.VirtualMachine(tw.relax.build(Reshaped, "llvm"), tw.cpu())["main"]
    x = np.arange(6, dtype="float32").reshape(2, 3)
    for shape in [(3, 2), (6, 1), (1, 6)]:
        found = machine(tw.nd.array(x), tw.nd.array(np.int64(shape))).numpy()
        np.testing.assert_array_equal(found, x.reshape(shape))
    with pytest.raises(tw.TVMError):
        machine(tw.nd.array(x), tw.nd.array(np.int64([4, 2])))
