"""Tuning: programs of TVM run, with made-up times where a time decides."""

import numpy as np
import pytest

import tilewright as tvm
from tilewright import meta_schedule as ms
from tilewright import relax
from tilewright.error import TVMError
from tilewright.meta_schedule.builder import BuilderInput, BuilderResult, PyBuilder
from tilewright.meta_schedule.database import JSONDatabase, MemoryDatabase, TuningRecord, Workload
from tilewright.meta_schedule.runner import EvaluatorConfig, PyRunner, PyRunnerFuture, RunnerInput, RunnerResult
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T
from tilewright.tir import Schedule

TARGET = "llvm --num-cores=1"


@I.ir_module
class Matmul:
    @T.prim_func
    def main(
        A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")
    ):
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        for i, j, k in T.grid(128, 128, 128):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


@I.ir_module
class Model:
    @T.prim_func
    def linear0(x: T.handle, w: T.handle, z: T.handle):
        T.func_attr({"global_symbol": "linear0"})
        X = T.match_buffer(x, (1, 64), "float32")
        W = T.match_buffer(w, (32, 64), "float32")
        Z = T.match_buffer(z, (1, 32), "float32")
        for i, j, k in T.grid(1, 32, 64):
            with T.block("Z"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Z[vi, vj] = T.float32(0)
                Z[vi, vj] = Z[vi, vj] + X[vi, vk] * W[vj, vk]

    @R.function
    def main(x: R.Tensor((1, 64), "float32"), w: R.Tensor((32, 64), "float32")):
        cls = Model
        with R.dataflow():
            lv = R.call_tir(cls.linear0, (x, w), R.Tensor((1, 32), "float32"))
            out = R.nn.relu(lv)
            R.output(out)
        return out


def stochastic_schedule_mm(sch):
    block = sch.get_block("C", "main")
    i, j, k = sch.get_loops(block=block)
    j_0, j_1 = sch.split(loop=j, factors=sch.sample_perfect_tile(loop=j, n=2))
    sch.reorder(i, j_0, k, j_1)
    sch.decompose_reduction(block, k)
    return sch


def inner_tile(mod):
    """The extent of the innermost loop of the update block."""
    sch = Schedule(mod)
    return int(sch.get(sch.get_loops(sch.get_block("C_update"))[-1]).extent)


class Copies(PyBuilder):
    """Keeps the modules in the place of files."""

    def __init__(self):
        self.mods = []

    def build(self, build_inputs):
        first = len(self.mods)
        self.mods.extend(one.mod for one in build_inputs)
        return [BuilderResult(str(first + at), None) for at in range(len(build_inputs))]


@ms.derived_object
class Told(PyRunnerFuture):
    def __init__(self, result):
        super().__init__()
        self.told = result

    def done(self):
        return True

    def result(self):
        return self.told


class Pretend(PyRunner):
    """Tells times that follow from the module."""

    def __init__(self, builder, cost):
        self.builder, self.cost = builder, cost

    def run(self, runner_inputs):
        def result(one):
            assert [info.shape for info in one.args_info] == [[128, 128]] * 3
            seconds = self.cost(self.builder.mods[int(one.artifact_path)])
            return RunnerResult(None, "it fails") if seconds is None else RunnerResult([seconds], None)

        return [Told(result(one)) for one in runner_inputs]


def tune(tmp_path, space=stochastic_schedule_mm, cost=lambda mod: 1.0 / inner_tile(mod), **kwargs):
    builder = Copies()
    return ms.tune_tir(
        mod=Matmul,
        target=TARGET,
        max_trials_global=64,
        num_trials_per_iter=16,
        space=ms.space_generator.ScheduleFn(space),
        work_dir=tmp_path,
        builder=builder,
        runner=Pretend(builder, cost),
        seed=3,
        **kwargs,
    )


@pytest.mark.parametrize("strategy", ["evolutionary", "replay-trace", "replay-func"])
def test_a_schedule_function_is_searched_and_its_best_trace_replays(tmp_path, capsys, strategy):
    database = tune(tmp_path, task_name="main", strategy=strategy)
    sch = ms.tir_integration.compile_tir(database, Matmul, TARGET)
    sizes = {inner_tile(record.as_measure_candidate().sch.mod) for record in database.get_all_tuning_records()}
    assert inner_tile(sch.mod) == max(sizes) and len(sizes) > 2
    again = Schedule(Matmul)
    sch.trace.apply_to_schedule(again)
    tvm.ir.assert_structural_equal(again.mod, sch.mod)
    assert "sample_perfect_tile" in str(sch.trace) and "decision=" in str(sch.trace)
    sch.trace.show()
    sch.mod.show()
    assert "decompose_reduction" in capsys.readouterr().out


def test_a_database_of_one_process_serves_another(tmp_path):
    database = tune(tmp_path)
    read = JSONDatabase(work_dir=tmp_path)
    assert len(read) == len(database) > 2
    one, other = (ms.tir_integration.compile_tir(found, Matmul, TARGET) for found in (database, read))
    tvm.ir.assert_structural_equal(one.mod, other.mod)
    assert str(one.trace) == str(other.trace)


def test_records_that_are_no_use_hide_no_others(tmp_path):
    database = JSONDatabase(work_dir=tmp_path)
    workload = database.commit_workload(Matmul)
    sch = Schedule(Matmul)
    sch.parallel(sch.get_loops(sch.get_block("C"))[0])
    for seconds in (float("nan"), float("inf"), 1.0):
        database.commit_tuning_record(TuningRecord(sch.trace, workload, [seconds], tvm.target.Target(TARGET)))
    (file,) = (path for path in tmp_path.iterdir() if "parallel" in path.read_text())
    line = file.read_text().splitlines()[-1]
    assert '"seconds":[1.0]' in line
    wrong = line.replace('name=\\"C\\"', 'name=\\"absent\\"').replace('"seconds":[1.0]', '"seconds":[0.5]')
    assert "absent" in wrong
    with file.open("a") as records:
        records.write(wrong + "\n")
    read = JSONDatabase(work_dir=tmp_path)
    assert [float(record.run_secs[0]) for record in read.get_top_k(workload, 1)] == [1.0]
    assert "parallel" in str(read.query_schedule(Matmul, tvm.target.Target(TARGET), "main").trace)


def test_failures_and_wrong_arguments(tmp_path, capsys):
    database = tune(tmp_path / "a", cost=lambda _: None)
    assert len(database) == 0 and ms.tir_integration.compile_tir(database, Matmul, TARGET) is None
    assert "the last failure: it fails" in capsys.readouterr().err

    def raises(_):
        raise KeyError("of the user")

    with pytest.raises(KeyError, match="of the user"):
        tune(tmp_path / "b", cost=raises)
    with pytest.raises(TypeError, match="expected a schedule, a list of schedules or None"):
        tune(tmp_path / "c", space=lambda sch: 1)
    with pytest.raises(ValueError, match="expected a strategy called"):
        tune(tmp_path / "d", strategy="luck")
    with pytest.raises(ValueError, match="`path_workload` and `path_tuning_record`"):
        JSONDatabase()


def trace_of(factors):
    sch = Schedule(Matmul)
    sch.split(sch.get_loops(sch.get_block("C"))[0], factors=factors)
    return sch.trace


@pytest.mark.parametrize("kind", ["memory", "json"])
def test_a_database_orders_records(tmp_path, kind):
    database = ms.Database.create(kind, **({"work_dir": tmp_path} if kind == "json" else {}))
    assert not database.has_workload(Matmul)
    workload = database.commit_workload(Matmul)
    assert database.has_workload(Matmul) and workload == Workload(Matmul)
    for seconds, factors in [(3.0, [2, 64]), (1.0, [4, 32]), (2.0, [8, 16])]:
        record = TuningRecord(
            trace_of(factors),
            workload,
            [seconds],
            tvm.target.Target(TARGET),
            ms.arg_info.ArgInfo.from_prim_func(Matmul["main"]),
        )
        database.commit_tuning_record(TuningRecord.from_json(record.as_json(), Workload.from_json(workload.as_json())))
    assert [record.run_secs for record in database.get_top_k(workload, 2)] == [[1.0], [2.0]]
    assert len(database) == len(database.get_all_tuning_records()) == 3
    record = database.query_tuning_record(Matmul, TARGET, "main")
    assert record.run_secs == [1.0] and "[4, 32]" in str(record.trace)
    expected = Schedule(Matmul)
    record.trace.apply_to_schedule(expected)
    tvm.ir.assert_structural_equal(database.query_ir_module(Matmul, TARGET, "main"), expected.mod)
    tvm.ir.assert_structural_equal(database.query(Matmul, TARGET, kind="schedule").mod, expected.mod)
    pruned = MemoryDatabase()
    database.dump_pruned(pruned)
    assert [record.run_secs for record in pruned.get_all_tuning_records()] == [[1.0]]


def test_the_database_in_scope_is_applied():
    database = MemoryDatabase()
    linear = tvm.IRModule({"main": Model["linear0"]})
    sch = Schedule(linear)
    _, j, _ = sch.get_loops(sch.get_block("Z"))
    sch.parallel(j)
    workload = database.commit_workload(linear)
    database.commit_tuning_record(TuningRecord(sch.trace, workload, [1.0], tvm.target.Target("llvm")))
    assert ms.Database.current() is None
    with tvm.target.Target("llvm"), database:
        assert ms.Database.current() is database
        applied = relax.transform.MetaScheduleApplyDatabase()(Model)
        built = relax.build(Model, "llvm")
    assert "T.parallel(32)" in applied["linear0"].script() and applied["linear0"].attrs["tir.is_scheduled"]
    assert applied["linear0"].attrs["global_symbol"] == "linear0"
    random = np.random.default_rng(0)
    x, w = random.uniform(-1, 1, (1, 64)).astype("float32"), random.uniform(-1, 1, (32, 64)).astype("float32")
    for executable in [built, ms.relax_integration.compile_relax(database, Model, "llvm")]:
        vm = relax.VirtualMachine(executable, tvm.cpu())
        found = vm["main"](tvm.nd.array(x), tvm.nd.array(w)).numpy()
        np.testing.assert_allclose(found, np.maximum(x @ w.T, 0), rtol=1e-5, atol=1e-5)
    with pytest.raises(TVMError, match="there is no database"):
        relax.transform.MetaScheduleApplyDatabase()(Model)


def test_a_record_that_is_not_faster_replaces_nothing():
    linear = tvm.IRModule({"main": Model["linear0"]})
    sch = Schedule(linear)
    sch.parallel(sch.get_loops(sch.get_block("Z"))[1])
    for seconds, is_applied in [(2.0, False), (0.999, False), (0.5, True)]:
        database = MemoryDatabase()
        record = TuningRecord(sch.trace, database.commit_workload(linear), [seconds], tvm.target.Target("llvm"))
        record._runs = [([], [seconds], [1.0])]
        database.commit_tuning_record(record)
        copied = MemoryDatabase()
        database.dump_pruned(copied)
        for one in (database, copied):
            with tvm.target.Target("llvm"), one:
                applied = relax.transform.MetaScheduleApplyDatabase()(Model)
            assert ("T.parallel(32)" in applied["linear0"].script()) == is_applied


def test_a_build_asks_the_database_in_scope():
    class Asked(MemoryDatabase):
        times = 0

        def _in_core(self):
            self.times += 1
            return super()._in_core()

    database = Asked()
    relax.build(Model, "llvm")
    assert database.times == 0
    with database:
        relax.build(Model, "llvm")
    assert database.times == 1


def test_tasks_of_several_targets_are_refused():
    contexts = [ms.TuneContext(Matmul, target=f"llvm -num-cores={count}") for count in (1, 2)]
    with pytest.raises(ValueError, match="one target and one strategy"):
        ms.tune_tasks(tasks=contexts, task_weights=[1.0, 1.0], work_dir="unused", max_trials_global=1)


def test_tasks_of_a_model():
    tasks = ms.relax_integration.extract_tasks(Model, "llvm")
    assert [(task.task_name, task.weight) for task in tasks] == [("linear0", 1)]

    @I.ir_module
    class Graph:
        @R.function
        def main(x: R.Tensor((4, 8), "float32")):
            with R.dataflow():
                a = R.exp(x)
                b = R.sum(a, axis=[1])
                R.output(b)
            return b

    tasks = ms.relax_integration.extract_tasks(Graph, "llvm")
    assert sum(task.weight for task in tasks) >= 1
    assert any("exp" in task.task_name or "sum" in task.task_name for task in tasks)


def test_a_context_drives_a_search_step_by_step():
    context = ms.TuneContext(
        Matmul, target=TARGET, space_generator=stochastic_schedule_mm, search_strategy="replay-trace", rand_state=5
    )
    (space,) = context.generate_design_space()
    assert "sample_perfect_tile" in str(space.trace)
    context.pre_tuning(max_trials=5, num_trials_per_iter=3)
    seen = []
    while (candidates := context.generate_measure_candidates()) is not None:
        seen.extend(str(candidate.sch.trace) for candidate in candidates)
        context.notify_runner_results(candidates, [RunnerResult([1.0], None) for _ in candidates])
    context.post_tuning()
    assert len(seen) == len(set(seen)) == 5


def test_measuring_happens_in_another_process(tmp_path):
    builder = ms.builder.LocalBuilder(timeout_sec=60)
    (built,) = builder.build([BuilderInput(Matmul, tvm.target.Target(TARGET))])
    assert built.error_msg is None
    runner = ms.runner.LocalRunner(
        timeout_sec=60, evaluator_config=EvaluatorConfig(number=1, repeat=2, min_repeat_ms=0)
    )
    infos = ms.arg_info.ArgInfo.from_entry_func(Matmul)
    results = [future.result() for future in runner.run([RunnerInput(built.artifact_path, "cpu", infos)])]
    assert results[0].error_msg is None and len(results[0].run_secs) == 2
    broken = runner.run([RunnerInput(str(tmp_path / "missing"), "cpu", infos)])[0].result()
    assert broken.run_secs is None and "missing" in broken.error_msg
    # The default space begins with what the rules make; the kernels are checked against each other there.
    database = ms.tune_tir(Matmul, TARGET, tmp_path, max_trials_global=2, seed=1)
    assert len(database) > 0
    sch = ms.tir_integration.compile_tir(database, Matmul, TARGET)
    again = Schedule(Matmul)
    sch.trace.apply_to_schedule(again)
    tvm.ir.assert_structural_equal(again.mod, sch.mod)
