//! A profile in the format of Chrome's trace viewer, which Perfetto reads too.
//!
//! Every call is a complete event (`X`) on the lane of the thread that runs the program: the threads of the worker pool
//! share each kernel's work, and which of them did which part is not recorded. Memory in use is a counter (`C`). Times
//! are microseconds from the beginning of the run.

use std::time::Duration;

use tilewright_support::json::quote;

use super::{Profile, Slice};

const LANE: &str = "\"pid\": 1, \"tid\": 1";

/// The text of a file for `chrome://tracing` and <https://ui.perfetto.dev>. `title` names the process.
pub fn to_json(profile: &Profile, title: &str) -> String {
    let mut events = vec![
        format!("{{\"ph\": \"M\", {LANE}, \"name\": \"process_name\", \"args\": {{\"name\": {}}}}}", quote(title)),
        format!("{{\"ph\": \"M\", {LANE}, \"name\": \"thread_name\", \"args\": {{\"name\": \"calling thread\"}}}}"),
    ];
    events.extend(profile.slices.iter().map(|slice| event(slice, profile)));
    let points = profile.memory.as_ref().map_or(&[][..], |memory| memory.points.as_slice());
    for point in points {
        // Only calls have a time.
        let Some(slice) = point.slice.and_then(|number| profile.slices.get(number)) else { continue };
        events.push(format!(
            "{{\"ph\": \"C\", {LANE}, \"name\": \"memory in use\", \"ts\": {}, \"args\": {{\"arena\": {}, \"own\": {}}}}}",
            micros(slice.start),
            point.arena,
            point.own
        ));
    }
    let limits = quote(&profile.limits.to_string());
    let events = events.join(",\n");
    format!(
        "{{\"displayTimeUnit\": \"ns\", \"otherData\": {{\"machine\": {limits}}}, \"traceEvents\": [\n{events}\n]}}\n"
    )
}

fn event(slice: &Slice, profile: &Profile) -> String {
    let seconds = slice.time.as_secs_f64();
    let mut args = vec![format!("\"arguments\": {}", quote(&slice.args.join(", ")))];
    let amounts = [("FLOP", slice.operations), ("bytes read", slice.read), ("bytes written", slice.written)];
    args.extend(amounts.iter().filter_map(|(name, amount)| Some(format!("\"{name}\": {}", (*amount)?))));
    if seconds > 0.0 {
        args.extend(slice.operations.map(|operations| format!("\"GFLOP/s\": {:.3}", operations / seconds / 1e9)));
        let floor = slice.floor(&profile.limits);
        args.extend(floor.map(|floor| format!("\"share of floor\": {:.4}", floor.as_secs_f64() / seconds)));
    }
    let source = profile.rows.iter().find(|row| row.name == slice.name).and_then(|row| row.sources.first());
    args.extend(source.map(|source| format!("\"source\": {}", quote(source))));
    format!(
        "{{\"ph\": \"X\", {LANE}, \"name\": {}, \"cat\": \"{}\", \"ts\": {}, \"dur\": {}, \"args\": {{{}}}}}",
        quote(&slice.name),
        slice.kind.name(),
        micros(slice.start),
        micros(slice.time),
        args.join(", ")
    )
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}
