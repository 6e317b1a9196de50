//! Changed texts: each is refused, or runs to an end or a fault. A panic or an endless run fails the test.

use std::sync::Arc;

use tilewright_ptx_sim::{Launch, Machine, Module, Options};

use crate::harness::kernel_text;

const TEXTS: [&str; 3] = [kernel_text!("language"), kernel_text!("elementwise"), kernel_text!("gemm_sm80")];

/// Texts that are made of each.
const CASES: u64 = 300;

struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// One to four lines are left out, doubled, swapped, or get a word or a character of another one.
fn mutated(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + rng.below(4) {
        let (at, other) = (rng.below(lines.len()), rng.below(lines.len()));
        let words: Vec<String> = lines[other].split_whitespace().map(str::to_owned).collect();
        match rng.below(5) {
            0 => lines[at].clear(),
            1 => lines.swap(at, other),
            2 => lines.insert(at, lines[other].clone()),
            3 if !words.is_empty() => {
                let word = &words[rng.below(words.len())];
                let mut own: Vec<&str> = lines[at].split_whitespace().collect();
                if !own.is_empty() {
                    let place = rng.below(own.len());
                    own[place] = word;
                    lines[at] = own.join(" ");
                }
            }
            _ => {
                let mut chars: Vec<char> = lines[at].chars().collect();
                if !chars.is_empty() {
                    let place = rng.below(chars.len());
                    chars[place] = (32 + rng.below(95) as u8).into();
                    lines[at] = chars.into_iter().collect();
                }
            }
        }
    }
    lines.join("\n")
}

/// Runs all kernels of a text that can be read; how many were launched.
fn run(text: &str, seed: u64) -> usize {
    let Ok(module) = Module::parse(text) else { return 0 };
    let options = Options { seed, instruction_limit: 5_000, memory_bytes: 1 << 24, ..Options::default() };
    let mut machine = Machine::new(options);
    let Ok(loaded) = machine.load(Arc::new(module)) else { return 0 };
    let kernels: Vec<_> = loaded.module().kernels().cloned().collect();
    for kernel in &kernels {
        let buffer = machine.alloc(1 << 16).expect("memory");
        let mut params = vec![1; kernel.param_bytes as usize];
        for parameter in kernel.params.iter().filter(|parameter| parameter.bytes == 8) {
            params[parameter.offset as usize..][..8].copy_from_slice(&buffer.to_le_bytes());
        }
        let launch = Launch { grid: [2, 1, 1], block: [96, 1, 1], dynamic_shared: 1 << 16, params: &params };
        // Any outcome will do that is one.
        let _ = machine.launch(&loaded, &kernel.name, launch).map_err(|fault| fault.to_string());
        machine.free(buffer).expect("free");
    }
    kernels.len()
}

#[test]
fn changed_texts_are_refused_or_end() {
    let mut launched = 0;
    for (index, text) in TEXTS.iter().enumerate() {
        assert!(run(text, 0) > 0);
        for case in 0..CASES {
            let mut rng = Rng((case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index as u64);
            launched += run(&mutated(text, &mut rng), case);
        }
    }
    assert!(launched > 300, "{launched}: most texts are refused before they run");
}
