//! Profiles and explanations as a page for a browser: one file that needs no other.
//!
//! The page is `page.html` with the script `page.js` and the data as JSON in it. Texts of the model reach the page as
//! text alone: here they are JSON in which no `<` stands, and the script makes text nodes of them. The page forbids the
//! browser to load anything.

mod graph;

use tilewright_runtime::{CallKind, Executable};
use tilewright_schedule::rules::Cost;
use tilewright_support::Map;

use serde_json::{Value as Json, json};

use crate::explain::Explanation;
use crate::profile::{Memory, Profile, Slice};

const PAGE: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");

/// Bytes of a text about a kernel at most; the rest is left out.
const MOST_TEXT: usize = 40_000;
/// Bytes of all such texts together, more or less, of which every kernel gets the same part.
const ALL_TEXTS: usize = 8 << 20;
/// Bytes of a text that it may have in any case.
const LEAST_TEXT: usize = 2_000;

/// The page of a profile.
///
/// `explanations` are those of the kernels of the module that was compiled; there are none for an executable, which
/// holds neither TensorIR nor why schedules were chosen.
pub fn profile_page(
    title: &str,
    function: &str,
    profile: &Profile,
    explanations: &[Explanation],
    executable: &Executable,
) -> String {
    let by_name: Map<&str, &Explanation> = explanations.iter().map(|one| (&*one.name, one)).collect();
    let (total, most) = (profile.total.as_secs_f64(), most_text(profile.rows.len()));
    let kernels: Vec<Json> = profile
        .rows
        .iter()
        .map(|row| {
            let time = row.time.as_secs_f64();
            let mut kernel = json!({
                "name": row.name,
                "calls": row.calls,
                "seconds": time,
                "share": time / total.max(1e-9),
                "operations": row.operations,
                "read": row.read,
                "written": row.written,
                "floor": row.floor(&profile.limits).map(|floor| floor.as_secs_f64()),
                "sources": row.sources,
            });
            let missing = match row.is_kernel {
                true => "This was compiled before: a profile of the model itself shows the schedule and the TensorIR.",
                false => "A function of the process, which is not compiled here.",
            };
            add_explanation(&mut kernel, by_name.get(row.name.as_str()).copied(), most, missing);
            kernel
        })
        .collect();
    let numbers: Map<&str, usize> = profile.rows.iter().enumerate().map(|(at, row)| (row.name.as_str(), at)).collect();
    let inside: f64 = profile.rows.iter().map(|row| row.time.as_secs_f64()).sum();
    let mut facts = vec![("a run", seconds(total)), ("in kernels", seconds(inside))];
    let kernels_alone = || profile.rows.iter().filter(|row| row.is_kernel);
    let floors: Option<f64> = kernels_alone().map(|row| Some(row.floor(&profile.limits)?.as_secs_f64())).sum();
    if let Some(floors) = floors {
        facts.push(("floor of the kernels", seconds(floors)));
        facts.push(("of the floor", format!("{:.1} %", 100.0 * floors / total.max(1e-9))));
    }
    let operations: Option<f64> = kernels_alone().map(|row| row.operations).sum();
    if let Some(operations) = operations {
        facts.push(("GFLOP/s", format!("{:.1}", operations / total.max(1e-9) / 1e9)));
    }
    facts.push(("GFLOP/s of the machine", format!("{:.0}", profile.limits.operations / 1e9)));
    if let Some(memory) = &profile.memory {
        facts.push(("memory in use at most", bytes(memory.peak())));
        facts.push(("constants", bytes(memory.constants)));
    }
    facts.push(("threads", profile.limits.threads.to_string()));
    let functions = graph::functions(executable, &numbers);
    let calls = graph::numbers_of_calls(executable, function);
    let data = json!({
        "kind": "profile",
        "title": title,
        "subtitle": format!("profile of {function}, by kernel"),
        "machine": format!("The machine: {}.", profile.limits),
        "function": function,
        "facts": facts,
        "kernels": kernels,
        "slices": slices(profile, &numbers, calls),
        "memory": profile.memory.as_ref().map(memory),
        "functions": functions,
    });
    page(title, &data)
}

/// The page of the kernels of a module, with the candidates for the schedule of each.
pub fn explanation_page(title: &str, target: &str, explanations: &[Explanation]) -> String {
    let most = most_text(explanations.len());
    let kernels: Vec<Json> = explanations
        .iter()
        .map(|one| {
            let mut kernel = json!({
                "name": &*one.name, "calls": Json::Null, "seconds": Json::Null, "share": Json::Null,
                "operations": Json::Null, "read": Json::Null, "written": Json::Null, "floor": Json::Null,
                "sources": one.sources,
            });
            add_explanation(&mut kernel, Some(one), most, "");
            kernel
        })
        .collect();
    let with_rule = explanations.iter().filter(|one| one.rule.is_some()).count();
    let considered: usize = explanations.iter().map(|one| one.considered.len()).sum();
    let facts = [
        ("kernels", explanations.len().to_string()),
        ("scheduled by a rule", with_rule.to_string()),
        ("candidates that were not taken", considered.to_string()),
    ];
    let data = json!({
        "kind": "explain",
        "title": title,
        "subtitle": format!("the schedules of the kernels for {target}"),
        "facts": facts,
        "kernels": kernels,
        "slices": [],
        "functions": [],
    });
    page(title, &data)
}

/// Adds what is known of a kernel's schedule.
fn add_explanation(kernel: &mut Json, explanation: Option<&Explanation>, most: usize, missing: &str) {
    let Some(explanation) = explanation else {
        kernel["scheduleless"] = json!(missing);
        kernel["considered"] = json!([]);
        return;
    };
    if let Some((name, doc)) = explanation.rule {
        kernel["rule"] = json!(name);
        kernel["doc"] = json!(doc);
    }
    kernel["cost"] = cost(explanation.cost.as_ref());
    kernel["considered"] = explanation
        .considered
        .iter()
        .map(|one| json!({"name": one.name, "cost": cost(one.cost.as_ref()), "declined": one.declined}))
        .collect();
    kernel["trace"] = json!(cut(&explanation.trace, most));
    kernel["tensor_ir"] = json!(cut(&explanation.tensor_ir, most));
    if explanation.unscheduled != explanation.tensor_ir {
        kernel["before"] = json!(cut(&explanation.unscheduled, most));
    }
}

fn cost(cost: Option<&Cost>) -> Json {
    cost.map_or(Json::Null, |cost| json!({"total": cost.total(), "terms": cost.terms()}))
}

/// How many bytes a text of one of so many kernels may have: each of them has three.
fn most_text(kernels: usize) -> usize {
    (ALL_TEXTS / (3 * kernels.max(1))).clamp(LEAST_TEXT, MOST_TEXT)
}

/// A text up to so many bytes, in whole lines.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    let end = text[..end].rfind('\n').unwrap_or(end);
    let left = text[end..].lines().count();
    format!("{}\n\n… and {left} more lines, which `tilewright explain` shows", &text[..end])
}

fn slices(profile: &Profile, numbers: &Map<&str, usize>, calls: Option<Vec<usize>>) -> Vec<Json> {
    // The calls of the graph are those that the function makes itself, as long as it has no branches.
    let has_all = profile.memory.is_some();
    let mut own = calls.filter(|_| has_all).unwrap_or_default().into_iter();
    let slice = |slice: &Slice| {
        let is_own = slice.depth == 0 && slice.kind != CallKind::Function;
        let call = if is_own { own.next() } else { None };
        let kernel = numbers.get(slice.name.as_str()).filter(|_| slice.kind != CallKind::Function);
        json!({
            "name": slice.name,
            "kernel": kernel.map_or(-1, |at| *at as i64),
            "call": call.map_or(-1, |call| call as i64),
            "depth": slice.depth,
            "start": slice.start.as_secs_f64(),
            "time": slice.time.as_secs_f64(),
            "args": slice.args,
            "operations": slice.operations,
            "floor": slice.floor(&profile.limits).map(|floor| floor.as_secs_f64()),
        })
    };
    profile.slices.iter().map(slice).collect()
}

fn memory(memory: &Memory) -> Json {
    let point = |point: &crate::profile::Point| {
        let slice = point.slice.map_or(-1, |slice| slice as i64);
        json!([point.instruction, point.arena, point.own, slice])
    };
    json!({
        "arena": memory.arena,
        "constants": memory.constants,
        "points": memory.points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn seconds(seconds: f64) -> String {
    let duration = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
    format!("{duration:.2?}")
}

fn bytes(count: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")];
    let (size, unit) = UNITS.into_iter().find(|(size, _)| count >= *size).unwrap_or((1, "B"));
    let value = count as f64 / size as f64;
    if size == 1 || value >= 100.0 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// The page with its data.
fn page(title: &str, data: &Json) -> String {
    // Within a script, only `<` can begin what ends it; all of them are in texts, where JSON can write them otherwise.
    let data = data.to_string().replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // The parts are put in from the last one to the first, and none is looked at again.
    let (head, rest) = PAGE.split_once("{{TITLE}}").unwrap_or((PAGE, ""));
    let (middle, rest) = rest.split_once("{{DATA}}").unwrap_or((rest, ""));
    let (script, end) = rest.split_once("{{SCRIPT}}").unwrap_or((rest, ""));
    [head, &title, middle, &data, script, SCRIPT, end].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_nothing_else() {
        let hostile = "</script><script>alert(1)</script><!-- {{DATA}} & {{SCRIPT}}";
        let text = page(hostile, &json!({"name": hostile}));
        assert_eq!(text.matches("</script>").count(), PAGE.matches("</script>").count());
        assert!(!text.contains("<script>alert") && !text.contains("<!-- {{DATA}}"), "{text}");
        assert!(text.contains("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- {{DATA}} &amp;"));
        assert!(text.contains("{\"name\":\"\\u003c/script>\\u003cscript>alert(1)"));
    }

    #[test]
    fn the_page_loads_nothing() {
        for part in ["http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'", "href=\"data:,\""] {
            assert!(PAGE.contains(part), "{part}");
        }
        let script = SCRIPT.replace("http://www.w3.org/2000/svg", "");
        for part in ["src=", "url(", "http:", "https:", "innerHTML", "@import", "fetch(", "eval("] {
            assert!(!PAGE.contains(part) && !script.contains(part), "{part}");
        }
        assert!(!SCRIPT.contains("</script"));
    }

    #[test]
    fn long_texts_are_cut_at_a_line() {
        let text = "ä line\n".repeat(10_000);
        let short = cut(&text, MOST_TEXT);
        assert!(short.len() < MOST_TEXT + 100 && short.contains("ä line\n\n… and "), "{}", short.len());
        assert_eq!(cut("one\ntwo", 7), "one\ntwo");
        assert!(most_text(1) == MOST_TEXT && most_text(1000) < 3000 && most_text(100_000) == LEAST_TEXT);
    }
}
