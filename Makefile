# The commands of this project. `make help` lists them; CONTRIBUTING.md says when to use which.

WALKS   ?= 100000
SECONDS ?= 60
TARGET  ?= packet chunks parameters cookie association file_protocol

.PHONY: help demo test bench tail docs fuzz walks lint fmt
.DEFAULT_GOAL := help

help:   ## list the commands
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

demo:   ## 64 MB over two loopback links, one cut half-way
	cargo run --release --quiet --package anabranch-cli --bin anabranch -- demo

test:   ## all that continuous integration checks, stage by stage
	tests/run

bench:  ## measure speed
	cargo bench --workspace

tail:   ## show the five longest functions and files
	tests/tail

docs:   ## build the reference of every crate
	cargo doc --no-deps --workspace

fuzz:   ## fuzz the parsers, one target after another (TARGET=cookie SECONDS=600)
	tests/fuzz $(SECONDS) $(TARGET)

walks:  ## long random walks of two endpoints (WALKS=100000)
	ANABRANCH_WALKS=$(WALKS) cargo test --profile checked --package anabranch-sctp --test random_walks

lint:   ## clippy, warnings are errors
	cargo clippy --workspace --all-targets -- -D warnings

fmt:    ## format all sources
	cargo fmt --all
