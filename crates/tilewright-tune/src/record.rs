//! Records: a trace for a kernel on a machine, and the times that were measured of it.

use serde_json::{Value, json};

use crate::measure::{Run, median};

/// A kernel whose record is above this part of the time without tuning stays as it is: clocks are no better.
pub(crate) const MEASURABLY_FASTER: f64 = 0.98;

/// What was measured of a schedule.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The workload's key in its database.
    pub workload: String,
    /// The machine that the schedule was measured on: [`machine_name`](crate::machine_name).
    pub machine: String,
    /// The trace, a call on each line.
    pub trace: Vec<String>,
    pub runs: Vec<Run>,
}

impl Record {
    /// Seconds of a call, over all sizes; infinite where nothing was measured.
    pub fn seconds(&self) -> f64 {
        let medians: Option<Vec<f64>> = self.runs.iter().map(|run| median(&run.seconds)).collect();
        medians.filter(|all| !all.is_empty()).map_or(f64::INFINITY, |all| all.iter().sum())
    }

    /// The geometric mean over the sizes of the time by that without tuning.
    pub fn ratio(&self) -> Option<f64> {
        let ratios: Option<Vec<f64>> = self.runs.iter().map(Run::ratio).collect();
        let ratios = ratios.filter(|all| !all.is_empty())?;
        let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        Some((logs / ratios.len() as f64).exp())
    }

    /// Whether the kernel is measurably faster than without tuning, and at no size slower.
    pub fn is_faster(&self) -> bool {
        let none_slower = self.runs.iter().all(|run| run.ratio().is_some_and(|ratio| ratio < 1.0));
        none_slower && self.ratio().is_some_and(|ratio| ratio < MEASURABLY_FASTER)
    }

    /// As an object of JSON.
    pub fn to_json(&self) -> Value {
        let run = |run: &Run| json!({"sizes": run.sizes, "seconds": run.seconds, "baseline": run.baseline});
        let runs: Vec<Value> = self.runs.iter().map(run).collect();
        json!({"workload": self.workload, "machine": self.machine, "trace": self.trace, "runs": runs})
    }

    /// The runs of an object of JSON.
    pub(crate) fn runs_of(value: &Value) -> Result<Vec<Run>, String> {
        let run = |run: &Value| {
            Ok(Run { sizes: ints(run, "sizes")?, seconds: floats(run, "seconds")?, baseline: floats(run, "baseline")? })
        };
        array(value, "runs")?.iter().map(run).collect()
    }

    /// The record of an object of JSON.
    ///
    /// # Errors
    /// The name of what is missing or of another type.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        Ok(Self {
            workload: text(value, "workload")?,
            machine: text(value, "machine")?,
            trace: array(value, "trace")?.iter().map(|line| string(line, "trace")).collect::<Result<_, _>>()?,
            runs: Self::runs_of(value)?,
        })
    }
}

fn wrong(name: &str, expected: &str) -> String {
    format!("`{name}`: expected {expected}")
}

pub(crate) fn string(value: &Value, name: &str) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| wrong(name, "a text"))
}

pub(crate) fn text(value: &Value, name: &str) -> Result<String, String> {
    string(value.get(name).unwrap_or(&Value::Null), name)
}

pub(crate) fn array<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| wrong(name, "a list"))
}

/// Numbers, of which JSON has no infinite ones: `null` stands for these.
pub(crate) fn floats(value: &Value, name: &str) -> Result<Vec<f64>, String> {
    let number = |v: &Value| if v.is_null() { Some(f64::INFINITY) } else { v.as_f64() };
    array(value, name)?.iter().map(|v| number(v).ok_or_else(|| wrong(name, "numbers"))).collect()
}

pub(crate) fn ints(value: &Value, name: &str) -> Result<Vec<i64>, String> {
    array(value, name)?.iter().map(|v| v.as_i64().ok_or_else(|| wrong(name, "integers"))).collect()
}
