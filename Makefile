# The commands of this project. `make help` lists the texts behind `##`; packaging/commands writes them into CONTRIBUTING.md.

COUNT   ?= 2000
FLOW_SECONDS ?= 3600
SEED    ?= 1
MINUTES ?= 10
WALKS   ?= 100000
NETWORKS ?= 20000
ADVERSARIES ?= 100000
SECONDS ?= 60
FUZZED  = packet chunks parameters cookie association handshake file_protocol bench_protocol measurement sealed sealed_handshake stream_control scenario trace script socks http_connect destination

.PHONY: help demo test crates loom lab bench cost peers versus losses agree interop conformance oracle figures figures-check figures-draw site blocking failover tuned tournament sweeps small deadlines doctor forward systems versions units nat roaming chaos soak browser tail doors docs fuzz coverage mutants faults walks adversary networks lint fmt
.DEFAULT_GOAL := help

help:   ## list the commands
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22

demo:   ## a phone's two links, predicted, simulated and really used: a minute, after the first build
	@packaging/compile demo 'two minutes on two cores' --package anabranch-cli --no-default-features
	@$(BUILT)/demo/anabranch demo

test:   ## everything that must hold before a change goes in; prints the seconds of each stage
	tests/run

bench:  ## measure speed, beside ns-2's where Debian's ns2 is installed
	cargo bench --workspace

lab:    ## the Python package with JupyterLab in target/lab, and a first picture
	notebooks/lab

cost:   ## count the instructions of fixed workloads and compare with the golden file (tests/cost/run --write)
	tests/cost/run

peers:  ## our sockets beside usrsctp, quinn, s2n-quic, UDP and TCP; writes docs/performance.md: seven minutes
	tests/peers/run --write

versus: ## our transfers beside the kernel's TCP and Multipath TCP on equal paths; writes docs/performance.md: twenty minutes
	tests/versus/run --write
	tests/losses/run --only bottleneck --write

browser: ## check report pages in Chromium; needs Node 20 and Chromium; PICTURES keeps screenshots (PICTURES=folder)
	cargo test --package anabranch-observe --test observing --test measuring --quiet
	cargo build --quiet --package anabranch-cli --bin anabranch
	tests/browser/pages $${CARGO_TARGET_DIR:-target}/tmp/pages
	tests/browser/run $${CARGO_TARGET_DIR:-target}/tmp/observing/*.html $${CARGO_TARGET_DIR:-target}/tmp/measuring/*.html $${CARGO_TARGET_DIR:-target}/tmp/pages/*.html

tail:   ## print the five longest functions and files
	tests/tail

doors:  ## count the fields of the protocol that are visible outside their part (tests/doors --tree DIR: of another checkout)
	tests/doors

docs:   ## the reference of every crate, in target/doc
	cargo doc --no-deps --workspace

fuzz:   ## fuzz every target, or one, so many seconds each (TARGET=cookie SECONDS=600)
	tests/fuzz $(SECONDS) $(or $(TARGET),$(FUZZED))

coverage: ## which lines the tests reach, as HTML, lcov and a table of crates in target/coverage (PACKAGES=anabranch-sctp)
	tests/coverage $(PACKAGES)

loom:   ## every order in which threads may run, for what is synchronised by hand: a minute
	RUSTFLAGS='--cfg anabranch_loom' CARGO_TARGET_DIR=$(or $(CARGO_TARGET_DIR),target)/loom cargo test --package anabranch-net --lib orders

mutants: COUNT = 300
mutants: ## change the protocol in one place, a sample of such changes; a test should fail: some hours; resumes (COUNT=300 SEED=1)
	tests/mutants --count $(COUNT) --seed $(SEED)

faults: ## put twelve faults into the protocol on purpose; conformance scripts should find each: some minutes (SUITES=FOLDER)
	crates/conformance/faults/run $(if $(SUITES),--suites $(SUITES))

walks:  ## random operations and faults on two endpoints, more than `make test` tries (WALKS=100000)
	ANABRANCH_WALKS=$(WALKS) cargo test --profile checked --package anabranch-sctp --test random_walks

adversary: ## honest endpoints against an attacker, with more seeds than `make test` plays (ADVERSARIES=100000)
	ANABRANCH_ADVERSARIES=$(ADVERSARIES) cargo test --profile checked --package anabranch-sctp --test adversaries -- --nocapture

networks: ## random networks with random events, more than `make test` tries (NETWORKS=20000)
	ANABRANCH_NETWORKS=$(NETWORKS) cargo test --profile checked --package anabranch-sim --test random_networks

losses: ## losses, queues that mark, shares beside the kernel's TCP; writes docs/losses.md: half an hour
	tests/losses/run --write

agree:  ## simulated goodput of twelve scenarios beside that of real transfers: a quarter of an hour
	cargo build --release --quiet --package anabranch-cli --bin anabranch
	tests/agree.py

interop: ## usrsctp's programs and ours, for docs/interop.md: some minutes; needs root or user namespaces, apt-get, TUN devices and a C compiler
	cargo build --package anabranch-cli --bin anabranch --package anabranch-net --example partner --example extensions
	tests/interop/run --csv

conformance: ## other people's scripts, for docs/conformance.md: seconds (SUITES=FOLDER, which holds clones of their repositories)
	@test -d "$(SUITES)" || { echo 'SUITES=FOLDER names the folder of their clones: docs/conformance.md' >&2; exit 2; }
	-cargo run --quiet --package anabranch-conformance -- --csv docs/conformance.csv --relative-to $(SUITES) \
		$(SUITES)/ETSI-SCTP-Conformance-Testsuite $(SUITES)/PR_SCTP_Testsuite $(SUITES)/SCTP-PLPMTUD-Tests \
		$(SUITES)/packetdrill/gtests/net/packetdrill/tests/bsd/sctp

forward: ## downloads, an echo and datagrams of other programs over emulated links, for docs/forward.md: twenty minutes
	cargo build --package anabranch-cli --bin anabranch
	tests/forward/run --write

doctor: ## examinations with --light of links and faults that are known: half a minute; all of it by tests/doctor/run: ten hours
	cargo build --package anabranch-cli --bin anabranch
	tests/doctor/run --quick

deadlines: ## a video over two links of which one is cut, with and without a lifetime, for docs/deadlines.md: five minutes
	cargo build --package anabranch-cli --bin anabranch
	tests/deadlines/run --write

crates: ## the packages of the crates as the registry would get them, and a build of each outside the tree: ten minutes
	packaging/crates --build all

systems: ## the code compiled for Windows, macOS and Android, the program run for aarch64, for docs/systems.md: a quarter of an hour
	tests/systems

versions: ## an earlier program and this one: both roles, broken-off files, sweeps; a semver check of the three crates: ten minutes
	tests/versions --files
	tests/semver

units:  ## the systemd units on a system of their own, with the Debian package: a minute; needs root, and Debian's dpkg-dev
	cargo build --package anabranch-cli --bin anabranch
	tests/units/run

nat:    ## a file through address translators, for docs/nat.md: a minute; needs what interop needs
	cargo build --package anabranch-cli --bin anabranch
	tests/nat --markdown

roaming: ## a file while the sender's addresses come and go, for docs/roaming.md: a minute; needs root or user namespaces, and TUN devices
	cargo build --package anabranch-cli --bin anabranch
	tests/roaming --markdown

chaos:  ## transfers and flows while paths are cut and programs killed: 90 minutes; needs what roaming needs (COUNT=2000 FLOW_SECONDS=3600 SEED=1)
	cargo build --package anabranch-cli --bin anabranch
	tests/chaos --count $(COUNT) --seed $(SEED)
	tests/forward/chaos --seconds $(FLOW_SECONDS) --seed $(SEED)

soak:   ## long-lived processes under the same events, which must not grow (MINUTES=10)
	cargo build --package anabranch-cli --bin anabranch --package anabranch-net --example churn
	tests/soak --minutes $(MINUTES) --seed $(SEED)

oracle: ## our transfers beside ns-2's CMT module and our TCP beside ns-3's, for docs/oracle.md
	cargo run --release --quiet --package anabranch-studies -- ns3
	cargo run --release --quiet --package anabranch-studies -- ns2

figures: ## the papers' figures at full scale, with verdicts: five hours on two idle cores; resumes
	cargo run --release --quiet --package anabranch-studies -- figures --out $${CARGO_TARGET_DIR:-target}/figures

figures-check: ## compute one in twenty of the committed points of docs/figures/ again, and compare: some minutes
	cargo run --release --quiet --package anabranch-studies -- figures-check

figures-draw: ## draw the pictures of docs/figures/ from its tables; PDF in target/figures-pdf
	cargo build --workspace --lib --locked
	tests/python/stage
	PYTHONPATH=$${CARGO_TARGET_DIR:-target}/python-package $${CARGO_TARGET_DIR:-target}/python-tools/bin/python \
	    docs/figures/draw --pdf $${CARGO_TARGET_DIR:-target}/figures-pdf

site:   ## the documentation as a site, in target/site; warnings are errors
	packaging/site/build

blocking: ## the table of receive-buffer blocking, for docs/blocking.md: a minute
	cargo run --release --quiet --package anabranch-studies -- blocking

failover: ## how long a cut stalls a transfer, for docs/failover.md: a minute
	cargo run --release --quiet --package anabranch-studies -- failover

tuned:  ## the profile tuned-2 beside rfc9260, for docs/tuned.md: some minutes
	cargo run --release --quiet --package anabranch-studies -- tuned

tournament: ## sending policies on 126 networks, for docs/tournament.md: two hours on two idle cores; resumes
	cargo run --release --quiet --package anabranch-studies -- tournament --out $${CARGO_TARGET_DIR:-target}/tournament

sweeps: ## time and memory of sweeps, which are then killed fifty times: a quarter of an hour
	cargo build --release --quiet --package anabranch-cli --bin anabranch
	tests/sweeps

small:  ## the cost of small messages, for docs/performance.md
	cargo run --release --quiet --package anabranch-studies -- small

lint:   ## clippy, warnings are errors
	cargo clippy --workspace --all-targets -- -D warnings

fmt:    ## format all Rust sources
	cargo fmt --all

include packaging/install.mk
