//! Search, database, replay and application, with a function in the place of the clock.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tilewright_ir::pass::{Pass, PassCx};
use tilewright_ir::tir::{ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_schedule::{Arg, IS_SCHEDULED, Schedule, rules};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;
use tilewright_target::Target;
use tilewright_tune::{
    ApplyDatabase, Budget, Candidate, Database, Gain, Measure, Measured, Record, Run, Search, Space, Strategy, Task,
    machine_name, tasks, tune, worker, workload,
};

const MATMUL: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
        for i, j, k in T.grid(128, 128, 128):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
"#;

fn matmul() -> IRModule {
    let file = SourceFile::new("matmul.py", MATMUL);
    parse_module(&file, &NoHost).expect("the module parses")
}

fn task() -> Task {
    let module = matmul();
    Task::new("main", module.prim("main").expect("there is a main"), &target())
}

fn target() -> Target {
    Target::parse("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=haswell -num-cores=2").expect("a target")
}

/// Times that follow from the candidates, in units of the time without tuning.
struct Told<F: FnMut(&Candidate) -> Result<f64, String>> {
    cost: F,
    calls: usize,
}

fn told<F: FnMut(&Candidate) -> Result<f64, String>>(cost: F) -> Told<F> {
    Told { cost, calls: 0 }
}

impl<F: FnMut(&Candidate) -> Result<f64, String>> Measure for Told<F> {
    fn measure(&mut self, _: &Task, candidates: &[Candidate]) -> Vec<Measured> {
        self.calls += candidates.len();
        let run = |seconds: f64| vec![Run { sizes: Vec::new(), seconds: vec![seconds; 3], baseline: vec![1.0; 3] }];
        candidates.iter().map(|candidate| (self.cost)(candidate).map(run)).collect()
    }
}

fn run(
    task: &Task,
    space: Space,
    strategy: Strategy,
    trials: usize,
    measure: &mut dyn Measure,
    database: &mut Database,
) -> Gain {
    let budget = Budget { trials, trials_per_task: trials, batch: 16, is_over: &|| false };
    let search = Search::new(space, strategy, 7);
    let gains = tune(vec![(task, search)], &budget, measure, database, &mut |_| ());
    gains.expect("the database takes it").remove(0)
}

/// The extent of the function's vectorised loops, the smallest of them.
fn vector(function: &PrimFunc) -> f64 {
    let mut least = 1e9;
    tilewright_expr::node::walk(&function.body, |stmt: &Stmt| {
        if let StmtKind::For { kind: ForKind::Vectorized, extent, .. } = &stmt.kind {
            least = f64::min(least, extent.as_int().unwrap_or(1) as f64);
        }
    });
    least
}

#[test]
fn the_space_begins_with_the_candidate_of_the_rules() {
    let task = task();
    let space = Space::of_rules(&task);
    let by_rule = rules::schedule(&task.function, &task.target).function;
    let first = space.first().first().expect("a rule is for a matmul");
    assert!(tilewright_ir::node::EqCx::compare(&first.function, &by_rule).is_ok());
    assert!(!space.designs().is_empty());
}

#[test]
fn without_anything_faster_the_record_of_the_rule_stays_and_no_kernel_is_replaced() {
    let (task, mut database) = (task(), Database::memory());
    let space = Space::of_rules(&task);
    let first = space.first()[0].function.clone();
    let is_rule = |candidate: &Candidate| tilewright_ir::node::EqCx::compare(&candidate.function, &first).is_ok();
    let mut measure = told(|candidate| Ok(if is_rule(candidate) { 1.0 } else { 1.3 }));
    let gain = run(&task, space, Strategy::Evolutionary, 64, &mut measure, &mut database);
    assert_eq!((gain.trials, gain.failures), (64, 0), "{:?}", gain.failure);
    let best = gain.best.expect("something was measured");
    assert_eq!((best.ratio(), best.is_faster()), (Some(1.0), false));
    let found = database.best(&task.function, Some(&machine_name(&task.target)), &Default::default());
    let schedule = found.expect("there is a record").schedule;
    let again = schedule.module().prim("main").expect("there is a main").clone();
    let mut again = PrimFunc::clone(&again);
    again.attrs.insert(IS_SCHEDULED.into(), tilewright_ir::Attr::Bool(true));
    assert!(tilewright_ir::node::EqCx::compare(&again, &first).is_ok());
    let applied = applied(&database, &matmul());
    assert!(!applied.prim("main").expect("main").attrs.contains_key(IS_SCHEDULED));
}

fn applied(database: &Database, module: &IRModule) -> IRModule {
    let pass = ApplyDatabase::new(Arc::new(database.clone()), Some(target()));
    pass.run(&mut PassCx::default(), module.clone()).expect("the pass applies")
}

#[test]
fn a_faster_candidate_is_found_kept_and_applied() {
    // Vectors of 32 are the fastest; no rule makes these for haswell.
    let cost = |candidate: &Candidate| Ok(0.4 + 0.1 * (vector(&candidate.function).log2() - 5.0).abs());
    for strategy in [Strategy::Evolutionary, Strategy::Replay] {
        let (task, mut database) = (task(), Database::memory());
        let mut measure = told(cost);
        let gain = run(&task, Space::of_rules(&task), strategy, 64, &mut measure, &mut database);
        let best = gain.best.expect("something was measured");
        assert!(best.ratio().is_some_and(|ratio| ratio < 0.45), "{strategy:?}: {:?}", best.ratio());
        assert!(measure.calls > gain.trials, "what looks best is measured twice");
        let main = applied(&database, &matmul()).prim("main").expect("main").clone();
        assert_eq!(vector(&main), 32.0);
        assert_eq!(main.global_symbol(), Some("main"));
        assert!(main.attrs.get(IS_SCHEDULED).is_some_and(tilewright_ir::Attr::is_true));
    }
}

#[test]
fn a_lucky_time_does_not_count() {
    let (task, mut database) = (task(), Database::memory());
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut measure = told(|candidate| {
        let times = seen.entry(candidate.trace.to_string()).or_insert(0);
        *times += 1;
        Ok(if *times == 1 { 0.5 } else { 1.1 })
    });
    let gain = run(&task, Space::of_rules(&task), Strategy::Evolutionary, 16, &mut measure, &mut database);
    assert_eq!(gain.best.and_then(|best| best.ratio()), Some(1.1));
}

#[test]
fn failures_are_no_records() {
    let (task, mut database) = (task(), Database::memory());
    let mut measure =
        told(|candidate| if vector(&candidate.function) > 16.0 { Err("it crashed".to_owned()) } else { Ok(0.9) });
    let gain = run(&task, Space::of_rules(&task), Strategy::Evolutionary, 48, &mut measure, &mut database);
    assert!(gain.failures > 0 && gain.failures < gain.trials);
    assert_eq!(gain.failure.as_deref(), Some("it crashed"));
    assert_eq!(database.records().len(), gain.trials - gain.failures);
}

/// A schedule of one's own: a drawn tile of one loop.
fn own_schedule(task: &Task) -> Schedule {
    let mut schedule = Schedule::new(&task.module());
    let mut call = |name: &str, args: Vec<Arg>| {
        schedule.call_with(name, args, Vec::new()).expect("the primitive applies").rvs().to_vec()
    };
    let text = |text: &str| Arg::Attr(tilewright_ir::Attr::str(text));
    let int = |value: i64| Arg::Attr(tilewright_ir::Attr::Int(value));
    let block = call("get_block", vec![text("C"), text("main")])[0];
    let loops = call("get_loops", vec![Arg::Rv(block)]);
    let sizes = call("sample_perfect_tile", vec![Arg::Rv(loops[1]), int(2), int(64)]);
    let parts = call("split", vec![Arg::Rv(loops[1]), Arg::List(sizes.into_iter().map(Arg::Rv).collect())]);
    call("reorder", [loops[0], parts[0], loops[2], parts[1]].into_iter().map(Arg::Rv).collect());
    call("decompose_reduction", vec![Arg::Rv(block), Arg::Rv(loops[2])]);
    schedule
}

#[test]
fn a_space_of_ones_own_varies_its_decisions_and_nothing_else() {
    let (task, mut database) = (task(), Database::memory());
    let space = Space::of_schedules(&task, &[own_schedule(&task)]);
    let mut measure = told(|_| Ok(5.0));
    let gain = run(&task, space, Strategy::Evolutionary, 64, &mut measure, &mut database);
    // Tiles of 128 whose inner part is at most 64.
    assert_eq!((gain.trials, gain.failures), (7, 0));
    let given = Space::of_schedules(&task, &[own_schedule(&task)]);
    let gain = run(&task, given, Strategy::Given, 64, &mut measure, &mut database);
    assert_eq!(gain.trials, 1);
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tilewright_tune_{name}_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    folder
}

fn record(key: &str, trace: &[&str], seconds: f64, baseline: &[f64]) -> Record {
    Record {
        workload: key.to_owned(),
        machine: machine_name(&target()),
        trace: trace.iter().map(|&line| line.to_owned()).collect(),
        runs: vec![Run { sizes: Vec::new(), seconds: vec![seconds], baseline: baseline.to_vec() }],
    }
}

#[test]
fn a_database_of_one_process_serves_another() {
    let (task, folder) = (task(), folder("files"));
    let path = folder.join("tuned.jsonl");
    let mut written = Database::open(&path).expect("a new database");
    let mut measure = told(|candidate| Ok(0.5 + vector(&candidate.function) / 1e3));
    let gain = run(&task, Space::of_rules(&task), Strategy::Evolutionary, 24, &mut measure, &mut written);
    let best = gain.best.expect("something was measured");
    // A process that was ended while it wrote leaves half a line.
    let whole = std::fs::read_to_string(&path).expect("the file is there");
    std::fs::write(&path, format!("{whole}{{\"workload\": \"12")).expect("the file is written");
    let mut read = Database::open(&path).expect("the database is read");
    assert_eq!(read.records(), written.records());
    let found = read.best(&task.function, Some(&machine_name(&task.target)), &Default::default());
    assert_eq!(found.map(|found| found.record.ratio()), Some(best.ratio()));
    // Another processor has no records.
    assert!(read.best(&task.function, Some("llvm -mcpu=other -num-cores=2"), &Default::default()).is_none());
    // What is written next does not end up in that line.
    let next = record(&best.workload, &[], 7.0, &[]);
    read.commit(next.clone()).expect("the file takes it");
    assert!(Database::open(&path).expect("the database is read").records().contains(&next));
    std::fs::write(&path, "{\"workload\": 1}\n").expect("the file is written");
    let refused = Database::open(&path).expect_err("the line is wrong").to_string();
    assert!(refused.contains("line 1: `workload`: expected a text"), "{refused}");
    std::fs::remove_dir_all(folder).expect("the folder is removed");
}

#[test]
fn databases_merge_and_the_best_record_wins() {
    let module = matmul();
    let function = module.prim("main").expect("main");
    let (mut one, mut other) = (Database::memory(), Database::memory());
    let key = one.commit_workload(function).expect("memory takes all");
    assert_eq!(other.commit_workload(&workload(function)).expect("memory takes all"), key);
    one.commit(record(&key, &[], 3.0, &[])).expect("memory takes all");
    other.commit(record(&key, &[], 2.0, &[])).expect("memory takes all");
    other.commit(record(&key, &["b0 = sch.get_block(name=\"gone\")"], 1.0, &[])).expect("memory takes all");
    let nested = format!("sch.split({}", "[".repeat(100_000));
    other.commit(record(&key, &[&nested], 0.5, &[])).expect("memory takes all");
    one.merge(&other).expect("memory takes all");
    one.merge(&other).expect("memory takes all");
    let seconds: Vec<f64> = one.top(&key, None, 9).into_iter().map(Record::seconds).collect();
    assert_eq!(seconds, [0.5, 1.0, 2.0, 3.0]);
    // Traces that do not apply are passed over.
    let best = one.best(function, None, &Default::default()).expect("there are records");
    assert_eq!(best.record.seconds(), 2.0);
    assert!(one.commit(record("unknown", &[], 1.0, &[])).is_err());
}

/// A record measured alone, and one that was slower than the rule's kernel: the first one says which is taken.
#[test]
fn a_record_without_comparison_is_taken_where_the_compared_ones_are_slower() {
    let module = matmul();
    let mut database = Database::memory();
    let key = database.commit_workload(module.prim("main").expect("main")).expect("memory takes all");
    database.commit(record(&key, &[], 1.0, &[0.5])).expect("memory takes all");
    let is_applied = |database: &Database| {
        let main = applied(database, &module).prim("main").expect("main").clone();
        main.attrs.get(IS_SCHEDULED).is_some_and(tilewright_ir::Attr::is_true)
    };
    assert!(!is_applied(&database));
    database.commit(record(&key, &[], 2.0, &[])).expect("memory takes all");
    assert!(is_applied(&database));
}

#[test]
fn records_are_faster_only_beyond_the_clock_and_at_all_sizes() {
    let at = |pairs: &[(f64, f64)]| {
        let run = |&(own, other): &(f64, f64)| Run { sizes: vec![1], seconds: vec![own], baseline: vec![other] };
        Record { runs: pairs.iter().map(run).collect(), ..record("", &[], 1.0, &[]) }.is_faster()
    };
    assert!(at(&[(0.9, 1.0)]));
    assert!(!at(&[(0.99, 1.0)]));
    assert!(!at(&[(0.5, 1.0), (1.01, 1.0)]));
    assert!(!at(&[]));
    assert!(!record("", &[], 1.0, &[]).is_faster());
}

#[test]
fn functions_of_one_structure_are_one_task() {
    let module = matmul();
    let mut twice = IRModule::new();
    let function = module.prim("main").expect("main");
    for name in ["a", "b"] {
        twice.insert(name, GlobalFunc::from(PrimFunc::clone(function)).with_symbol(name));
    }
    let scheduled = rules::schedule(function, &target()).function;
    twice.insert("c", GlobalFunc::from(scheduled));
    let found = tasks(&twice, &target());
    let found: Vec<(&str, usize)> = found.iter().map(|task| (task.name.as_str(), task.weight)).collect();
    assert_eq!(found, [("a", 2)]);
}

#[test]
fn a_worker_answers_what_it_cannot_do() {
    let mut answers = Vec::new();
    let requests = "{\"do\": \"echo\"}\n\nno JSON\n{\"do\": \"dance\"}\n";
    worker::serve(requests.as_bytes(), &mut answers, &|_, _| Err("no compiler".to_owned())).expect("memory takes all");
    let answers = String::from_utf8(answers).expect("the answers are text");
    let answers: Vec<&str> = answers.lines().filter_map(|line| line.strip_prefix(worker::MARK)).collect();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0], "{\"do\":\"echo\"}");
    assert!(answers[1].contains("error") && answers[2].contains("there is no request `dance`"));
}
