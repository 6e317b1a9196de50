//! Attention over a paged cache on one thread: `cargo bench -p tilewright-runtime --bench attention -- 32 4 64 float32`
//! (query heads, heads of keys and values, elements of a head, data type) prints, for contexts up to 2,048 tokens in
//! pages of 16, what a chunk of 256 tokens takes, and one token. A product and a sum are 2 operations; bytes are those
//! of the keys and values that a token sees.

use std::time::{Duration, Instant};

use tilewright_runtime::tensor::{DataType, Tensor, bf16, f16};
use tilewright_runtime::{Value, registry, set_num_threads};

const CHUNK: usize = 256;
const CHUNKS: usize = 8;
const DECODED: usize = 15;

fn call(name: &str, args: &[Value]) -> Value {
    registry::get(name).and_then(|function| function(args)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

struct Bench {
    cache: Value,
    query: usize,
    kv: usize,
    size: usize,
    dtype: DataType,
}

impl Bench {
    fn new(query: usize, kv: usize, size: usize, dtype: DataType) -> Self {
        let int = |value: usize| Value::Int(value as i64);
        let sizes = [Value::shape(&[1, 8192, 512, 16, 0]), Value::None, Value::Int(1), int(query), int(kv), int(size)];
        let rope = [Value::Int(1), Value::Float(1.0), Value::Float(10_000.0), Value::None, Value::Int(0), int(size)];
        let args = [&sizes[..], &rope[..], &[Value::DataType(dtype)]].concat();
        let cache = call("mlc.create_paged_kv_cache_generic", &args);
        call("vm.builtin.kv_state_add_sequence", &[cache.clone(), Value::Int(0)]);
        Self { cache, query, kv, size, dtype }
    }

    /// A step of so many tokens.
    fn step(&self, tokens: usize) -> Duration {
        let shape = [tokens, self.query + 2 * self.kv, self.size].map(|dim| dim as i64);
        let values = (0..shape.iter().product()).map(|at: i64| (at * 7919 % 4001) as f32 / 1000.0 - 2.0);
        let qkv = match self.dtype {
            DataType::F16 => Tensor::from_vec(&shape, values.map(f16::from_f32).collect()),
            DataType::BF16 => Tensor::from_vec(&shape, values.map(bf16::from_f32).collect()),
            _ => Tensor::from_vec(&shape, values.collect::<Vec<f32>>()),
        };
        let shape = [tokens, self.query, self.size].map(|dim| dim as i64);
        let out = Tensor::zeros(self.dtype, &shape).unwrap();
        let step = [self.cache.clone(), Value::shape(&[0]), Value::shape(&[tokens as i64])];
        call("vm.builtin.kv_state_begin_forward", &step);
        let args = [self.cache.clone(), Value::Int(0), Value::Float(1.0), qkv.unwrap().into(), out.into()];
        let start = Instant::now();
        call("vm.builtin.attention_kv_cache_attention_with_fused_qkv", &args);
        let taken = start.elapsed();
        call("vm.builtin.kv_state_end_forward", std::slice::from_ref(&self.cache));
        taken
    }

    /// The shortest of some steps, which are taken back.
    fn repeated(&self, tokens: usize, steps: usize) -> f64 {
        let step = || {
            let taken = self.step(tokens);
            let back = [self.cache.clone(), Value::Int(0), Value::Int(tokens as i64)];
            call("vm.builtin.kv_state_popn", &back);
            taken.as_secs_f64()
        };
        (0..steps).map(|_| step()).fold(f64::INFINITY, f64::min)
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let number = |at: usize, default: usize| args.get(at).map_or(default, |text| text.parse().unwrap());
    let dtype = args.get(3).map_or(DataType::F32, |text| text.parse().unwrap());
    set_num_threads(1);
    let bench = Bench::new(number(0, 32), number(1, 4), number(2, 64), dtype);
    for chunk in 0..CHUNKS {
        let prefill = bench.repeated(CHUNK, 5);
        bench.step(CHUNK);
        let tokens = (chunk + 1) * CHUNK;
        let decode = bench.repeated(1, DECODED);
        let operations = 4 * bench.query * bench.size * (CHUNK * (tokens - CHUNK) + CHUNK * CHUNK / 2);
        let bytes = 2 * bench.kv * bench.size * tokens * dtype.bytes();
        println!(
            "{tokens:5} tokens: prefill {:8.2} ms {:6.1} GFLOP/s; decode {:6.0} us {:6.1} GB/s",
            prefill * 1e3,
            operations as f64 / prefill / 1e9,
            decode * 1e6,
            bytes as f64 / decode / 1e9
        );
    }
}
