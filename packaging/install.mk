# Where the program and what belongs to it go: `make install`, `make uninstall`, and the packages, which install into
# a separate folder (DESTDIR).

PREFIX  ?= /usr/local
DESTDIR ?=
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
DOCDIR  ?= $(PREFIX)/share/doc/anabranch
BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS  ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS ?= $(PREFIX)/share/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
CONFDIR ?= /etc/anabranch

BUILT    = $(or $(CARGO_TARGET_DIR),target)
PAPERS   = README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE $(wildcard docs/*.md docs/*.csv)
FIGURES  = $(wildcard docs/figures/*.md docs/figures/*.csv docs/figures/*.svg)
UNITS    = $(notdir $(wildcard packaging/systemd/*.service))
OPTIONS  = $(notdir $(wildcard packaging/systemd/*.toml))
INSTALL ?= install

# PROGRAM=FILE takes one that is built already: a static one, for example.
ifndef PROGRAM
PROGRAM := $(BUILT)/release/anabranch
BUILD   := release
endif

.PHONY: release install uninstall static deb wheel dist reproducible deny advisories

release: ## the optimised program; its debug information is in a file beside it
	@if command -v cargo >/dev/null; then \
		packaging/remap packaging/compile release 'five minutes on two cores' --package anabranch-cli && packaging/split $(BUILT)/release/anabranch; \
	elif test -x $(PROGRAM); then \
		echo "no cargo is found here: taking $(PROGRAM) as it is"; \
	else \
		echo "no cargo is found here, and there is no $(PROGRAM): run 'make release' as yourself first" >&2; exit 1; \
	fi

install: $(BUILD) ## program, manual, completions, documents and licences (PREFIX=/usr/local DESTDIR=)
	umask 022; $(INSTALL) -d $(addprefix $(DESTDIR),$(BINDIR) $(MANDIR)/man1 $(DOCDIR)/docs/figures $(DOCDIR)/scenarios \
		$(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) $(UNITDIR) $(CONFDIR))
	$(INSTALL) -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/anabranch
	umask 022; $(PROGRAM) manual $(DESTDIR)$(MANDIR)/man1
	umask 022; $(PROGRAM) completions bash >$(DESTDIR)$(BASH_COMPLETIONS)/anabranch
	umask 022; $(PROGRAM) completions zsh >$(DESTDIR)$(ZSH_COMPLETIONS)/_anabranch
	umask 022; $(PROGRAM) completions fish >$(DESTDIR)$(FISH_COMPLETIONS)/anabranch.fish
	$(INSTALL) -m 644 $(filter-out docs/%,$(PAPERS)) $(DESTDIR)$(DOCDIR)
	$(INSTALL) -m 644 $(filter docs/%,$(PAPERS)) $(DESTDIR)$(DOCDIR)/docs
	$(INSTALL) -m 644 $(FIGURES) $(DESTDIR)$(DOCDIR)/docs/figures
	$(INSTALL) -m 644 $(wildcard scenarios/*) $(DESTDIR)$(DOCDIR)/scenarios
	umask 022; for unit in $(UNITS); do \
		sed 's|/usr/bin/anabranch|$(BINDIR)/anabranch|' packaging/systemd/$$unit >$(DESTDIR)$(UNITDIR)/$$unit || exit; done
# Files of options that are there stay.
	for file in $(OPTIONS); do \
		test -e $(DESTDIR)$(CONFDIR)/$$file || $(INSTALL) -m 644 packaging/systemd/$$file $(DESTDIR)$(CONFDIR) || exit; done

uninstall: ## remove what `make install` put there, with the same PREFIX and DESTDIR
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/anabranch $(MANDIR)/man1/anabranch.1 $(MANDIR)/man1/anabranch-*.1 \
		$(BASH_COMPLETIONS)/anabranch $(ZSH_COMPLETIONS)/_anabranch $(FISH_COMPLETIONS)/anabranch.fish \
		$(addprefix $(UNITDIR)/,$(UNITS)))
# Files of options that were changed stay.
	for file in $(OPTIONS); do \
		! cmp -s packaging/systemd/$$file $(DESTDIR)$(CONFDIR)/$$file || rm -f $(DESTDIR)$(CONFDIR)/$$file; done
	rm -rf $(DESTDIR)$(DOCDIR)

static: ## a program that needs no shared library (TARGET=x86_64-unknown-linux-musl)
	packaging/static $(TARGET)

wheel:  ## the Python package as a wheel, in target/wheels: some minutes
	packaging/wheel

deb:    $(BUILD) ## a package for Debian and its relatives
	packaging/deb $(PROGRAM)

dist:   ## all that a release consists of, with digests and provenance, in target/release-VERSION: a quarter of an hour (docs/release.md)
	packaging/release

reproducible: ## whether the last commit gives the same program, Debian package and crates in two places: a quarter of an hour
	packaging/reproducible

deny:   ## licences, duplicates, wildcards and sources of all crates, beside deny.toml: a second, after the first time
	packaging/deny

advisories: ## known holes in the crates, from RustSec's database; needs GitHub
	packaging/deny advisories
