# The commands of this project. `make help` lists them; CONTRIBUTING.md says when to use which.

COUNT   ?= 2000
SEED    ?= 1
MINUTES ?= 10
WALKS   ?= 100000
NETWORKS ?= 20000
ADVERSARIES ?= 100000
SECONDS ?= 60
FUZZED  = packet chunks parameters cookie association handshake file_protocol bench_protocol sealed sealed_handshake scenario trace

.PHONY: help demo test lab bench cost peers versus losses agree interop oracle figures figures-check figures-draw site blocking failover tuned tournament sweeps small nat roaming chaos soak browser tail doors docs fuzz mutants walks adversary networks lint fmt
.DEFAULT_GOAL := help

help:   ## list the commands
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

demo:   ## a phone's two links, simulated and really used
	@packaging/compile demo 'two minutes on two cores' --package anabranch-cli --no-default-features
	@$(BUILT)/demo/anabranch demo

test:   ## all that continuous integration checks, stage by stage
	tests/run

bench:  ## measure speed
	cargo bench --workspace

lab:    ## the Python package with its notebooks in target/lab, and a first picture
	notebooks/lab

cost:   ## count the instructions of eight fixed workloads beside the golden file (tests/cost --write writes it anew)
	tests/cost

peers:  ## our sockets beside usrsctp, QUIC, UDP and TCP; the table goes into docs/performance.md
	tests/peers/run --write

versus: ## our transfers beside the kernel's TCP and Multipath TCP on equal paths; the tables go into docs/performance.md
	tests/versus/run --write
	tests/losses/run --only bottleneck --write

browser: ## look at a report page in Chromium, on a desk and on a telephone
	cargo test --package anabranch-observe --test observing --quiet
	cargo build --quiet --package anabranch-cli --bin anabranch
	tests/browser/pages $${CARGO_TARGET_DIR:-target}/tmp/pages
	tests/browser/run $${CARGO_TARGET_DIR:-target}/tmp/observing/*.html $${CARGO_TARGET_DIR:-target}/tmp/pages/*.html

tail:   ## show the five longest functions and files
	tests/tail

doors:  ## count what of each part of the protocol other files can reach (tests/doors --help)
	tests/doors

docs:   ## build the reference of every crate
	cargo doc --no-deps --workspace

fuzz:   ## fuzz the parsers, one target after another (TARGET=cookie SECONDS=600)
	tests/fuzz $(SECONDS) $(or $(TARGET),$(FUZZED))

mutants: COUNT = 300
mutants: ## mutate the protocol by machine: does a test notice? docs/testing.md has the score (COUNT=300 SEED=1)
	tests/mutants --count $(COUNT) --seed $(SEED)

walks:  ## long random walks of two endpoints (WALKS=100000)
	ANABRANCH_WALKS=$(WALKS) cargo test --profile checked --package anabranch-sctp --test random_walks

adversary: ## honest ends against an attacker that guesses, repeats, forges and lies (ADVERSARIES=100000)
	ANABRANCH_ADVERSARIES=$(ADVERSARIES) cargo test --profile checked --package anabranch-sctp --test adversaries -- --nocapture

networks: ## long random walks of networks with events (NETWORKS=20000)
	ANABRANCH_NETWORKS=$(NETWORKS) cargo test --profile checked --package anabranch-sim --test random_networks

losses: ## losses, queues that mark and shared queues: goodput, delay and shares; the tables go into docs/losses.md
	tests/losses/run --write

agree:  ## simulated and emulated goodput of twelve scenarios, through the relay and between interfaces
	cargo build --release --quiet --package anabranch-cli --bin anabranch
	tests/agree.py

interop: ## usrsctp's programs and ours, in both roles, over one to three paths, as docs/interop.md has it
	cargo build --package anabranch-cli --bin anabranch --package anabranch-net --example partner
	tests/interop/run --markdown

nat:    ## two uplinks behind translators and one server address, as docs/nat.md has it
	cargo build --package anabranch-cli --bin anabranch
	tests/nat --markdown

roaming: ## addresses of the sender that come and go while it sends, as docs/roaming.md has it
	cargo build --package anabranch-cli --bin anabranch
	tests/roaming --markdown

chaos:  ## transfers while paths and programs come and go (COUNT=2000 SEED=1)
	cargo build --package anabranch-cli --bin anabranch
	tests/chaos --count $(COUNT) --seed $(SEED)

soak:   ## long-lived processes under the same, and whether they grow (MINUTES=10)
	cargo build --package anabranch-cli --bin anabranch --package anabranch-net --example churn
	tests/soak --minutes $(MINUTES) --seed $(SEED)

oracle: ## our transfers beside ns-2's CMT module and our TCP beside ns-3's, point by point, as docs/oracle.md has them
	cargo run --release --quiet --package anabranch-studies -- ns3
	cargo run --release --quiet --package anabranch-studies -- ns2

figures: ## the papers' figures and their verdicts, as docs/figures.md has them: about five hours on two idle cores; an interrupted run resumes
	cargo run --release --quiet --package anabranch-studies -- figures --out $${CARGO_TARGET_DIR:-target}/figures

figures-check: ## one in twenty of the committed points of docs/figures/ drawn anew and compared: some minutes
	cargo run --release --quiet --package anabranch-studies -- figures-check

figures-draw: ## the pictures of docs/figures/ drawn anew from its tables, as SVG there and as PDF in target/figures-pdf
	cargo build --workspace --lib --locked
	tests/python/stage
	PYTHONPATH=$${CARGO_TARGET_DIR:-target}/python-package $${CARGO_TARGET_DIR:-target}/python-tools/bin/python \
	    docs/figures/draw --pdf $${CARGO_TARGET_DIR:-target}/figures-pdf

site:   ## the documentation as a site, in target/site
	packaging/site/build

blocking: ## the table of receive-buffer blocking, as docs/blocking.md has it
	cargo run --release --quiet --package anabranch-studies -- blocking

failover: ## how long a cut stalls a transfer, as docs/failover.md has it
	cargo run --release --quiet --package anabranch-studies -- failover

tuned:  ## the profile tuned-2 beside rfc9260, as docs/tuned.md has it
	cargo run --release --quiet --package anabranch-studies -- tuned

tournament: ## sending policies on 126 networks beside what is possible and each path alone, as docs/tournament.md has them: some two hours on two idle cores; an interrupted run resumes
	cargo run --release --quiet --package anabranch-studies -- tournament --out $${CARGO_TARGET_DIR:-target}/tournament

sweeps: ## the time and memory of sweeps, which are then killed fifty times; docs/sweeps.md
	cargo build --release --quiet --package anabranch-cli --bin anabranch
	tests/sweeps

small:  ## what small messages cost, as docs/performance.md has it
	cargo run --release --quiet --package anabranch-studies -- small

lint:   ## clippy, warnings are errors
	cargo clippy --workspace --all-targets -- -D warnings

fmt:    ## format all sources
	cargo fmt --all

include packaging/install.mk
