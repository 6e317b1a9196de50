//! The peak performance of the machine, measured by kernels of our own on as many threads as programs have.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tilewright_runtime::{Value, VirtualMachine, num_threads};
use tilewright_target::{Limits as TargetLimits, Target};
use tilewright_tensor::Tensor;

use crate::{CompileOptions, SourceFile, compile, parse_module};

/// Rounds of the loop of multiplications.
const ROUNDS: i64 = 400_000;

/// Chains of multiplications that are independent, and numbers in each: enough to hide the latency, on processors with
/// vectors of 64 bytes and of 16.
const CHAINS: (i64, i64) = (12, 16);

/// Bytes that are read and copied to measure the bandwidth of memory: at least this, and twice the largest cache.
const MEMORY: u64 = 256 << 20;

/// The number of measurements of each limit; the best counts.
const TIMES: usize = 5;

/// The peaks that the machine has shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits {
    pub threads: usize,
    /// Fused multiply-adds of float32 count as two, a second.
    pub operations: f64,
    /// Sizes of working sets in bytes, with the bandwidth for each: halves of the caches, and memory.
    pub levels: Vec<(u64, f64)>,
    /// Bytes a second that a copy in memory reads and writes together.
    pub copy: f64,
}

impl Limits {
    /// Measures the machine at hand, which takes about a second.
    pub fn measure() -> Result<Self, String> {
        let threads = num_threads();
        let machine = Probe::new(threads)?;
        let operations = machine.rate("multiply", &[vector(CHAINS.1 as usize * threads)?], operations(threads))?;
        let sizes = sizes(&Target::host().limits, threads as u64);
        let memory = sizes.last().copied().unwrap_or(MEMORY);
        let mut levels = Vec::new();
        for bytes in sizes {
            let rounds = memory / bytes;
            let args = [vector(bytes as usize / 4)?, vector(16 * threads)?, Value::Int(rounds as i64)];
            levels.push((bytes, machine.rate("read", &args, (rounds * bytes) as f64)?));
        }
        let args = [vector(memory as usize / 8)?, vector(memory as usize / 8)?];
        let copy = machine.rate("copy", &args, memory as f64)?;
        Ok(Self { threads, operations, levels, copy })
    }

    /// The lower bound of the seconds of that many operations and bytes. Bytes that fit into a cache count at its
    /// bandwidth.
    pub fn floor(&self, operations: f64, read: f64, written: f64) -> f64 {
        let touched = read + written;
        let level = self.levels.iter().find(|(bytes, _)| touched <= *bytes as f64);
        let moving = match (level, self.levels.last()) {
            (Some((_, rate)), _) => touched / rate,
            (None, Some((_, rate))) => {
                let both = 2.0 * read.min(written);
                both / self.copy + (touched - both) / rate
            }
            (None, None) => 0.0,
        };
        moving.max(operations / self.operations)
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads: {:.1} GFLOP/s of float32", self.threads, self.operations / 1e9)?;
        for (bytes, rate) in &self.levels {
            let size = if *bytes >= 1 << 20 { format!("{} MB", bytes >> 20) } else { format!("{} KB", bytes >> 10) };
            write!(f, ", {:.1} GB/s from {size}", rate / 1e9)?;
        }
        write!(f, ", {:.1} GB/s in copies", self.copy / 1e9)
    }
}

/// Half of the capacity of the caches of that many threads, the smallest first, then [`MEMORY`].
fn sizes(limits: &TargetLimits, threads: u64) -> Vec<u64> {
    let mut sizes = vec![limits.l2_bytes / 2 * threads, limits.l3_bytes / 2];
    sizes.retain(|size| *size >= 64 << 10);
    sizes.sort_unstable();
    let memory = MEMORY.max(4 * sizes.last().copied().unwrap_or(0));
    sizes.push(memory);
    sizes
}

fn operations(threads: usize) -> f64 {
    let (chains, lanes) = CHAINS;
    2.0 * (ROUNDS * chains * lanes) as f64 * threads as f64
}

fn vector(length: usize) -> Result<Value, String> {
    let tensor = Tensor::from_vec(&[length as i64], vec![1.0f32; length]);
    tensor.map(Value::from).map_err(|error| error.to_string())
}

/// The kernels, compiled.
struct Probe(VirtualMachine);

impl Probe {
    fn new(threads: usize) -> Result<Self, String> {
        let module = parse_module(&SourceFile::new("limits.py", text(threads))).map_err(|found| found.to_string())?;
        let options = CompileOptions::for_target(Target::host());
        let executable = compile(&module, &options).map_err(|error| error.to_string())?;
        VirtualMachine::new(Arc::clone(&executable), &[]).map(Self).map_err(|error| error.to_string())
    }

    /// The best rate of an amount per second.
    fn rate(&self, kernel: &str, args: &[Value], amount: f64) -> Result<f64, String> {
        let function = self.0.function(kernel).map_err(|error| error.to_string())?;
        let mut best = f64::INFINITY;
        for _ in 0..TIMES {
            let start = Instant::now();
            function.call(args).map_err(|error| error.to_string())?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(amount / best.max(1e-9))
    }
}

/// The module of the kernels: each thread has a piece.
fn text(threads: usize) -> String {
    let (chains, lanes) = CHAINS;
    format!(
        r#"
@I.ir_module
class Limits:
    @T.prim_func
    def multiply(X: T.Buffer(({lanes} * {threads},), "float32")):
        T.func_attr({{"global_symbol": "multiply"}})
        for t in T.parallel({threads}):
            with T.block("multiply"):
                T.reads(X[0:{lanes} * {threads}])
                T.writes(X[0:{lanes} * {threads}])
                sums = T.alloc_buffer(({chains}, {lanes}), "float32", scope="local")
                factor = T.alloc_buffer(({lanes},), "float32", scope="local")
                for i in T.vectorized({lanes}):
                    factor[i] = X[t * {lanes} + i] * T.float32(0.9999)
                for c in T.unroll({chains}):
                    for i in T.vectorized({lanes}):
                        sums[c, i] = X[t * {lanes} + i] + T.Cast("float32", c)
                for k in range({ROUNDS}):
                    for c in T.unroll({chains}):
                        for i in T.vectorized({lanes}):
                            sums[c, i] = sums[c, i] * factor[i] + factor[i]
                for c in T.unroll({chains}):
                    for i in T.vectorized({lanes}):
                        X[t * {lanes} + i] = T.min(X[t * {lanes} + i], sums[c, i])

    @T.prim_func
    def read(x: T.handle, y: T.handle, rounds: T.int64):
        T.func_attr({{"global_symbol": "read"}})
        n, m = T.int64(), T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (m,), "float32")
        for t in T.parallel({threads}):
            with T.block("read"):
                T.reads(X[0:n])
                T.writes(Y[0:m])
                sums = T.alloc_buffer((8, 16), "float32", scope="local")
                for c in T.unroll(8):
                    for i in T.vectorized(16):
                        sums[c, i] = T.float32(0)
                for r in range(rounds):
                    for k in range(n // {threads} // 128):
                        for c in T.unroll(8):
                            for i in T.vectorized(16):
                                sums[c, i] = sums[c, i] + X[t * (n // {threads}) + k * 128 + c * 16 + i]
                for c in T.unroll(8):
                    for i in T.vectorized(16):
                        Y[t * 16 + i] = Y[t * 16 + i] + sums[c, i]

    @T.prim_func
    def copy(x: T.handle, y: T.handle):
        T.func_attr({{"global_symbol": "copy"}})
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        for t in T.parallel({threads}):
            with T.block("copy"):
                T.reads(X[0:n])
                T.writes(Y[0:n])
                for k in range(n // {threads} // 16):
                    for i in T.vectorized(16):
                        Y[t * (n // {threads}) + k * 16 + i] = X[t * (n // {threads}) + k * 16 + i]
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_those_of_a_machine() {
        let limits = Limits::measure().expect("the kernels run");
        assert!(limits.operations > 1e8 && limits.copy > 1e7, "{limits}");
        assert!(limits.levels.iter().all(|(_, rate)| (1e7..1e14).contains(rate)), "{limits}");
    }

    #[test]
    fn the_floor_is_arithmetic_or_memory() {
        let limits = Limits { threads: 1, operations: 100.0, levels: vec![(64, 40.0), (1024, 10.0)], copy: 5.0 };
        assert_eq!(limits.floor(1000.0, 4.0, 4.0), 10.0);
        assert_eq!(limits.floor(0.0, 30.0, 10.0), 1.0, "from the first cache");
        assert_eq!(limits.floor(0.0, 2000.0, 1000.0), 2.0 * 1000.0 / 5.0 + 100.0, "a copy, and further reads");
    }
}
