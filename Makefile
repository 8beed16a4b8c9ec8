# perfblame. The two commands to know are `make demo` and `make test`.

.DEFAULT_GOAL := help
.PHONY: help demo test lint fmt prepare bench clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / && $$1 != "help" { printf "make %-8s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## Start perfblame with the demo data on a PostgreSQL of its own, and print the links
	@.ci/install postgres
	cargo build --release --package server
	@exec target/release/perfblame demo $(ARGS)

test: ## Install what the tests need, then run all of them
	@.ci/install postgres nextest browser
	@.ci/with-postgres .ci/test $(ARGS)

lint: ## Format check, Clippy and the scripts' types
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	@.ci/install browser
	cd web && npm run --silent check

fmt: ## Format the code
	cargo fmt --all

prepare: ## Describe every query anew after a change of queries or migrations (.sqlx)
	@.ci/install postgres
	@.ci/with-postgres .ci/sqlx write

bench: ## Run the benchmarks
	cargo bench --workspace $(ARGS)

clean: ## Remove what was built
	cargo clean
	rm -rf web/node_modules
