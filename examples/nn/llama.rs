//! A small Llama, to the letter the module that `llama.py` in the same folder writes: blocks of attention with rotary
//! embeddings and a cache that grows, for sequences of any length.
//!
//! `cargo run -p tilewright --example llama` prints the module.

use tilewright::expr::{Expr as Int, Intrinsic};
use tilewright::nn::{Args, Embedding, Exporter, KvCache, Linear, Path, Result, RmsNorm, Tensor, Weights, dims, op};
use tilewright::te::{TeError, Value, compute};
use tilewright::{DataType, IRModule};

const VOCABULARY: i64 = 50;
const HIDDEN: i64 = 32;
const HEADS: i64 = 4;
const KV_HEADS: i64 = 2;
const INTERMEDIATE: i64 = 48;
const BLOCKS: usize = 2;
const EPSILON: f64 = 1e-5;
const WIDTH: i64 = HIDDEN / HEADS;
const THETA: f64 = 10000.0;

fn int(value: i64) -> Int {
    Int::i64(value)
}

/// Rotates pairs of (batch, sequence, heads, width) by angles that grow with the position; the first row is at
/// `offset`.
fn rotary(x: &Tensor, offset: &Int) -> Result<Tensor> {
    let (half, step) = (WIDTH / 2, -2.0 * THETA.ln() / WIDTH as f64);
    op::tensor_expr("rotary", &[x], |inputs| {
        let [x] = inputs else { return Err(TeError("`rotary` takes one tensor".into())) };
        compute(x.shape(), "rotary", |i| {
            let [b, s, h, d] = i else { return Value::wrong(TeError("`rotary` takes four dimensions".into())) };
            let position = (Value::from(offset.clone()) + s).cast(DataType::F32);
            let slower = (d.floor_mod(half).cast(DataType::F32) * step).intrinsic(Intrinsic::Exp);
            let angle = position * slower;
            let other = d.lt(half).if_then_else(&-x.at(&[b, s, h, &(d + half)]), &x.at(&[b, s, h, &(d - half)]));
            let (cos, sin) = (angle.intrinsic(Intrinsic::Cos), angle.intrinsic(Intrinsic::Sin));
            cos * x.at(&[b, s, h, d]) + sin * other
        })
    })
}

/// The scores (batch, heads, new, total), minus infinity where a token would look ahead.
fn causal(scores: &Tensor, total: &Int) -> Result<Tensor> {
    op::tensor_expr("causal", &[scores], |inputs| {
        let [scores] = inputs else { return Err(TeError("`causal` takes one tensor".into())) };
        let ahead = Value::from(total.clone()) - scores.dim(2);
        compute(scores.shape(), "causal", |i| {
            let [.., row, column] = i else { return Value::wrong(TeError("`causal` takes four dimensions".into())) };
            let hidden = Value::from(Int::float(f64::NEG_INFINITY, DataType::F32));
            column.le(row + &ahead).if_then_else(&scores.at_all(i), &hidden)
        })
    })
}

struct Attention {
    q: Linear,
    k: Linear,
    v: Linear,
    o: Linear,
    k_cache: KvCache,
    v_cache: KvCache,
}

impl Attention {
    fn new(at: &Path) -> Self {
        Self {
            q: Linear::without_bias(&at.join("q"), HIDDEN, HEADS * WIDTH),
            k: Linear::without_bias(&at.join("k"), HIDDEN, KV_HEADS * WIDTH),
            v: Linear::without_bias(&at.join("v"), HIDDEN, KV_HEADS * WIDTH),
            o: Linear::without_bias(&at.join("o"), HEADS * WIDTH, HIDDEN),
            k_cache: KvCache::new(at, "k_cache", 4, &[KV_HEADS, WIDTH]),
            v_cache: KvCache::new(at, "v_cache", 4, &[KV_HEADS, WIDTH]),
        }
    }

    fn forward(&self, x: &Tensor, total: &Int) -> Result<Tensor> {
        let new = x.dim(1)?;
        let offset = total.clone() - new.clone();
        let heads = |x: Tensor, count: i64| x.reshape([int(1), new.clone(), int(count), int(WIDTH)]);
        let q = rotary(&heads(self.q.forward(x)?, HEADS)?, &offset)?;
        let k = rotary(&heads(self.k.forward(x)?, KV_HEADS)?, &offset)?;
        let v = heads(self.v.forward(x)?, KV_HEADS)?;
        let first = || op::squeeze::Options { axis: 0.into() };
        self.k_cache.append(&op::squeeze::with(&k, first())?)?;
        self.v_cache.append(&op::squeeze::with(&v, first())?)?;
        let k = every_head(&self.k_cache.view(x.graph(), total)?)?;
        let v = every_head(&self.v_cache.view(x.graph(), total)?)?;
        let (q, k) = (q.permute_dims([0, 2, 1, 3])?, k.permute_dims([0, 2, 3, 1])?);
        let scores = op::matmul(&q, &k)?;
        let scores = op::divide(&scores, (WIDTH as f64).sqrt())?;
        let weights = op::softmax(&causal(&scores, total)?)?;
        let attended = op::matmul(&weights, &v.permute_dims([0, 2, 1, 3])?)?;
        let attended = attended.permute_dims([0, 2, 1, 3])?;
        self.o.forward(&attended.reshape([int(1), new, int(HEADS * WIDTH)])?)
    }
}

/// Keys or values (total, kv_heads, width) as each head sees them: (1, total, heads, width).
fn every_head(rows: &Tensor) -> Result<Tensor> {
    op::unsqueeze(rows, 0)?.repeat(HEADS / KV_HEADS, Some(2))
}

struct Mlp {
    gate_up: Linear,
    down: Linear,
}

impl Mlp {
    fn new(at: &Path) -> Self {
        let gate_up = Linear::without_bias(&at.join("gate_up"), HIDDEN, 2 * INTERMEDIATE);
        Self { gate_up, down: Linear::without_bias(&at.join("down"), INTERMEDIATE, HIDDEN) }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let parts = op::split::with(&self.gate_up.forward(x)?, 2, op::split::Options { axis: (-1).into() })?;
        self.down.forward(&op::multiply(&op::silu(&parts[0])?, &parts[1])?)
    }
}

struct Block {
    attention: Attention,
    mlp: Mlp,
    attention_norm: RmsNorm,
    mlp_norm: RmsNorm,
}

impl Block {
    fn new(at: &Path) -> Self {
        Self {
            attention: Attention::new(&at.join("attention")),
            mlp: Mlp::new(&at.join("mlp")),
            attention_norm: RmsNorm::new(&at.join("attention_norm"), HIDDEN, EPSILON),
            mlp_norm: RmsNorm::new(&at.join("mlp_norm"), HIDDEN, EPSILON),
        }
    }

    fn forward(&self, x: &Tensor, total: &Int) -> Result<Tensor> {
        let x = op::add(x, &self.attention.forward(&self.attention_norm.forward(x)?, total)?)?;
        op::add(&x, &self.mlp.forward(&self.mlp_norm.forward(&x)?)?)
    }
}

struct Llama {
    embedding: Embedding,
    blocks: Vec<Block>,
    norm: RmsNorm,
    head: Linear,
}

impl Llama {
    fn new(at: &Path) -> Self {
        let blocks = at.join("blocks");
        Self {
            embedding: Embedding::new(&at.join("embedding"), VOCABULARY, HIDDEN),
            blocks: (0..BLOCKS).map(|number| Block::new(&blocks.join(number))).collect(),
            norm: RmsNorm::new(&at.join("norm"), HIDDEN, EPSILON),
            head: Linear::without_bias(&at.join("head"), HIDDEN, VOCABULARY),
        }
    }

    fn forward(&self, args: &Args) -> Result<Tensor> {
        let total = args.int("total")?;
        let mut x = self.embedding.forward(&args.tensor("tokens")?)?;
        for block in &self.blocks {
            x = block.forward(&x, &total)?;
        }
        self.head.forward(&self.norm.forward(&x)?)
    }
}

/// The module with `forward`, which takes the new tokens and how many there are with those of the calls before.
pub(crate) fn module() -> Result<IRModule> {
    let weights = Weights::new(DataType::F32);
    let llama = Llama::new(&weights.root());
    let mut exporter = Exporter::new(&weights);
    let forward = exporter.method("forward").tensor("tokens", &dims![1, "new"], DataType::I32).int("total");
    forward.write(|args| llama.forward(args))?;
    exporter.finish()
}

fn main() -> Result<()> {
    println!("{}", tilewright::print_module(&module()?));
    Ok(())
}
