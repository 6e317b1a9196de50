//! The database: workloads and records, in memory or in files of JSON lines.
//!
//! ```json
//! {"workload": "5f3a…", "ir": "{\"format\": \"tilewright.ir\", …}"}
//! {"workload": "5f3a…", "machine": "llvm -mtriple=… -num-cores=2", "trace": ["b0 = sch.…", …], "runs": […]}
//! ```
//!
//! A workload's key is its structural hash; one that another function has already is followed by a number. Lines are
//! only appended, each in one write, so that several processes may share a file; of records of one kernel the best one
//! wins, whatever their order. A line whose JSON ends too early is one that a process did not finish, and is left out.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tilewright_ir::json as saved;
use tilewright_ir::op::OpTable;
use tilewright_ir::tir::PrimFunc;
use tilewright_schedule::{Schedule, primitive::Intrinsics};
use tilewright_support::Map;

use crate::candidate::replay_lines;
use crate::record::{Record, text};
use crate::task::{MAIN, are_equal, hash_of, module_of, processor, workload};

/// A file that cannot be used, or a line of one.
#[derive(Debug)]
pub struct DatabaseError(pub String);

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DatabaseError {}

/// A record, and the schedule that its trace makes.
#[derive(Clone, Debug)]
pub struct Found {
    pub record: Record,
    pub schedule: Schedule,
}

/// Where lines go.
#[derive(Clone, Debug)]
struct Files {
    workloads: PathBuf,
    records: PathBuf,
}

/// Workloads and records.
#[derive(Clone, Debug, Default)]
pub struct Database {
    /// In the order in which they were committed.
    workloads: Vec<(String, Arc<PrimFunc>)>,
    records: Vec<Record>,
    files: Option<Files>,
}

impl Database {
    /// A database without files.
    pub fn memory() -> Self {
        Self::default()
    }

    /// The database of a file, which need not be there yet.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        Self::open_files(path, path)
    }

    /// The database of two files, one for workloads and one for records.
    ///
    /// # Errors
    /// A file cannot be read, or a line of one.
    pub fn open_files(workloads: &Path, records: &Path) -> Result<Self, DatabaseError> {
        let mut database = Self::default();
        database.read(workloads)?;
        if records != workloads {
            database.read(records)?;
        }
        database.files = Some(Files { workloads: workloads.to_owned(), records: records.to_owned() });
        Ok(database)
    }

    fn read(&mut self, path: &Path) -> Result<(), DatabaseError> {
        let failed = |error: &dyn fmt::Display| DatabaseError(format!("{}: {error}", path.display()));
        let content = match std::fs::read(path) {
            Ok(content) => String::from_utf8_lossy(&content).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(&error)),
        };
        for (at, line) in content.lines().enumerate() {
            let of_line = |problem: &dyn fmt::Display| failed(&format!("line {}: {problem}", at + 1));
            match serde_json::from_str(line) {
                Ok(value) => self.read_line(&value).map_err(|problem| of_line(&problem))?,
                Err(error) if error.is_eof() => {}
                Err(error) => return Err(of_line(&error)),
            }
        }
        Ok(())
    }

    fn read_line(&mut self, value: &Value) -> Result<(), String> {
        if value.get("trace").is_some() {
            let record = Record::from_json(value)?;
            self.keep(record);
            return Ok(());
        }
        let (key, function) = (text(value, "workload")?, function_of_text(&text(value, "ir")?)?);
        if self.function(&key).is_none() {
            self.workloads.push((key, Arc::new(function)));
        }
        Ok(())
    }

    fn keep(&mut self, record: Record) {
        if !self.records.contains(&record) {
            self.records.push(record);
        }
    }

    /// The workloads with their keys, in the order in which they came.
    pub fn workloads(&self) -> impl Iterator<Item = (&str, &Arc<PrimFunc>)> {
        self.workloads.iter().map(|(key, function)| (key.as_str(), function))
    }

    /// All records, in the order in which they came.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The function of a key.
    pub fn function(&self, key: &str) -> Option<&Arc<PrimFunc>> {
        self.workloads.iter().find(|(known, _)| known == key).map(|(_, function)| function)
    }

    /// The key of a function, or of one like it.
    pub fn key_of(&self, function: &PrimFunc) -> Option<&str> {
        let function = workload(function);
        let hash = hash_of(&function);
        let alike = self.workloads.iter().filter(|(key, _)| key.starts_with(&hash));
        alike.into_iter().find(|(_, known)| are_equal(known, &function)).map(|(key, _)| key.as_str())
    }

    /// Adds a function, unless it is there; gives its key.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn commit_workload(&mut self, function: &PrimFunc) -> Result<String, DatabaseError> {
        if let Some(key) = self.key_of(function) {
            return Ok(key.to_owned());
        }
        let function = workload(function);
        let hash = hash_of(&function);
        let alike = self.workloads.iter().filter(|(key, _)| key.starts_with(&hash)).count();
        let key = if alike == 0 { hash } else { format!("{hash}-{alike}") };
        if let Some(files) = &self.files {
            append(&files.workloads, &json!({"workload": key, "ir": text_of_function(&function)}))?;
        }
        self.workloads.push((key.clone(), Arc::new(function)));
        Ok(key)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// The workload is not there, or the file cannot be written.
    pub fn commit(&mut self, record: Record) -> Result<(), DatabaseError> {
        if self.function(&record.workload).is_none() {
            return Err(DatabaseError(format!("the database has no workload `{}`", record.workload)));
        }
        if let Some(files) = &self.files {
            append(&files.records, &record.to_json())?;
        }
        self.keep(record);
        Ok(())
    }

    /// The best records of a workload, so many at most; where a machine is given, of those with its processor, its own
    /// first. Where all were measured together with the kernel without tuning, they are compared by that, else by their
    /// times. Failed ones are left out.
    pub fn top(&self, key: &str, machine: Option<&str>, count: usize) -> Vec<&Record> {
        let fits = |record: &&Record| {
            record.workload == key
                && machine.is_none_or(|machine| processor(&record.machine) == processor(machine))
                && record.seconds().is_finite()
        };
        let mut found: Vec<&Record> = self.records.iter().filter(fits).collect();
        let by_ratio = found.iter().all(|record| record.ratio().is_some());
        let cost = |record: &Record| match record.ratio() {
            Some(ratio) if by_ratio => ratio,
            _ => record.seconds(),
        };
        let is_other = |record: &Record| machine.is_some_and(|machine| record.machine != machine);
        found.sort_by(|a, b| is_other(a).cmp(&is_other(b)).then_with(|| cost(a).total_cmp(&cost(b))));
        found.truncate(count);
        found
    }

    /// The best record of a function, with its schedule; records whose trace does not apply are passed over.
    pub fn best(&self, function: &PrimFunc, machine: Option<&str>, intrinsics: &Intrinsics) -> Option<Found> {
        self.best_where(function, machine, intrinsics, |_| true)
    }

    /// The same, of the records that satisfy a condition.
    pub fn best_where(
        &self,
        function: &PrimFunc,
        machine: Option<&str>,
        intrinsics: &Intrinsics,
        is_wanted: impl Fn(&Record) -> bool,
    ) -> Option<Found> {
        let key = self.key_of(function)?;
        let records = self.top(key, machine, usize::MAX);
        records.into_iter().filter(|record| is_wanted(record)).find_map(|record| {
            let schedule = self.replay(record, intrinsics).ok()?;
            Some(Found { record: record.clone(), schedule })
        })
    }

    /// The schedule of a record, made again.
    ///
    /// # Errors
    /// The workload is not there, or its trace does not apply to it.
    pub fn replay(&self, record: &Record, intrinsics: &Intrinsics) -> Result<Schedule, String> {
        let missing = || format!("the database has no workload `{}`", record.workload);
        let function = self.function(&record.workload).ok_or_else(missing)?;
        let mut start = Schedule::new(&module_of(function));
        start.set_intrinsics(intrinsics.clone());
        replay_lines(&start, &record.trace)
    }

    /// Knows all that a copy of this database has learned, whose files are the same: nothing is written.
    pub fn absorb(&mut self, copy: Self) {
        for (key, function) in copy.workloads {
            if self.function(&key).is_none() {
                self.workloads.push((key, function));
            }
        }
        copy.records.into_iter().for_each(|record| self.keep(record));
    }

    /// Adds all of another database.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn merge(&mut self, other: &Self) -> Result<(), DatabaseError> {
        let mut keys: Map<&str, String> = Map::default();
        for (key, function) in &other.workloads {
            keys.insert(key, self.commit_workload(function)?);
        }
        for record in &other.records {
            let Some(key) = keys.get(record.workload.as_str()) else { continue };
            let record = Record { workload: key.clone(), ..record.clone() };
            if !self.records.contains(&record) {
                self.commit(record)?;
            }
        }
        Ok(())
    }
}

fn append(path: &Path, line: &Value) -> Result<(), DatabaseError> {
    let write = || -> io::Result<()> {
        let mut file: File = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let ends_a_line = if has_open_line(&mut file)? { "\n" } else { "" };
        file.write_all(format!("{ends_a_line}{line}\n").as_bytes())
    };
    write().map_err(|error| DatabaseError(format!("cannot write {}: {error}", path.display())))
}

/// Whether a process has left the last line of the file without its end.
fn has_open_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// A function as text that other processes read.
pub(crate) fn text_of_function(function: &PrimFunc) -> String {
    saved::save(&saved::Node::PrimFunc { name: MAIN.into(), function: Arc::new(function.clone()) })
}

/// The function of such a text.
pub(crate) fn function_of_text(text: &str) -> Result<PrimFunc, String> {
    match saved::load(text.as_bytes(), OpTable(tilewright_ops::lookup)) {
        Ok(saved::Node::PrimFunc { function, .. }) => Ok(PrimFunc::clone(&function)),
        Ok(_) => Err("the text holds no PrimFunc".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
