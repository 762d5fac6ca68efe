# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl: make help lists the targets.
#
# Variables: CC, CFLAGS, LDFLAGS, PREFIX, DESTDIR, BUILD (folder of all output),
#   W=1    warnings are errors          SAN=address,undefined    sanitizers
#   V=1    show the commands            GUEST=sid                guests of the kernel targets
#   LTO=   without link-time optimization

VERSION := 1.0.0
BUILD ?= build
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
DOCDIR ?= $(DATADIR)/doc/mrctl
CC ?= cc
CFLAGS ?= -O3 -g
PKG_CONFIG ?= pkg-config

# LD_PRELOAD, by which programs get the simulator, is a list with blanks and colons between.
ifneq ($(words $(subst :, ,$(CURDIR) $(BUILD))),2)
$(error the path of this folder or of BUILD has a blank or a colon, where the simulated HCA cannot \
	work: move it ($(CURDIR)))
endif

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)')

# Libraries of the commands beside libc; keep tests/setup.sh in step.
PACKAGES := libibverbs libmlx5 libcjson smartcols libmnl

# The answers of the kernel's ABI end with an array for data of drivers, and are members of structures here.
WARNINGS := -Wno-gnu-variable-sized-type-not-at-end -Wall -Wextra -Wconversion -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla -Wundef \
	-Wwrite-strings -Wformat=2 $(if $(W),-Werror)
# Jumps of x86 processors that check their targets (CET); other processors have no such option.
HARDENING := -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),-fcf-protection)
FORTIFY := -D_FORTIFY_SOURCE=2
HARDENED_LINK := -Wl,-z,relro -Wl,-z,now
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# pkg-config runs once, when the first recipe asks: before make setup there may be none.
DEPS_CFLAGS = $(eval DEPS_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES)))$(DEPS_CFLAGS)
DEPS_LIBS = $(eval DEPS_LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES)))$(DEPS_LIBS)
BASE_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DMRCTL_VERSION='"$(VERSION)"' \
	-DMRCTL_LIBDIR='"$(LIBDIR)"' -I. -I$(BUILD) $(WARNINGS) \
	-fPIE $(HARDENING) $(if $(SAN),,$(FORTIFY)) $(SANITIZE)
# Commands and library are compiled as one where gcc is the compiler, and so is the simulator: a line
# of a batch makes many small calls between their files.  The objects serve the unit tests as they are, too.  Where make setup has
# yet to install the compiler, nothing is compiled before it has.
ifeq ($(origin LTO),undefined)
LTO := $(if $(SAN)$(findstring clang,$(shell $(CC) --version 2>/dev/null)),,-flto=auto -ffat-lto-objects)
endif
BASE_LDFLAGS := $(SANITIZE) -pie -Wl,--as-needed $(HARDENED_LINK)
# Only the library's path is under test below the simulator: an instrumented preload would need
# the sanitizer's runtime in every program that it is loaded into.
SIM_CFLAGS := -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -I. $(WARNINGS) \
	$(HARDENING) $(FORTIFY)

# below FOLDER,ENDING: files at any depth
below = $(sort $(shell find $(1) -name '*.$(2)'))
CMD_SRC := $(call below,cmd,c)
SIM_SRC := $(call below,lib/sim,c)
AGENT_SRC := $(call below,lib/trace/agent,c)
LIB_SRC := $(filter-out $(SIM_SRC) $(AGENT_SRC),$(call below,lib,c))
UNIT_SRC := $(filter-out tests/unit/main.c,$(call below,tests/unit,c))
# A program each: they replace functions of libraries that the other tests of their folders need, or test a
# file that has another rank than its folder.
UNIT_ALONE := cmd/stat/census lib/probe/max_size lib/session/hostile lib/verbs/device
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(BUILD)/%.o)
SIM_OBJ := $(SIM_SRC:%.c=$(BUILD)/%.o)
AGENT_OBJ := $(AGENT_SRC:%.c=$(BUILD)/%.o)
# Parts of mrctl's library for the simulator and the agent of trace, compiled for a shared object
SHARED_OBJ := $(patsubst %.c,$(BUILD)/shared/%.o,$(call below,lib/base,c) lib/simulator/spec.c \
	$(call below,lib/trace/wire,c))
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o)
UNIT_ALONE_OBJ := $(UNIT_ALONE:%=$(BUILD)/tests/unit/%.o)
UNIT_FOLDERS := $(patsubst %/,%,$(sort $(dir $(filter-out $(UNIT_ALONE_OBJ),$(UNIT_OBJ)))))
UNIT_BIN := $(UNIT_FOLDERS:%=%/unit) $(UNIT_ALONE_OBJ:.o=)
DIFF_SRC := $(wildcard tests/kernel/differential/*.c)
DIFF_OBJ := $(DIFF_SRC:%.c=$(BUILD)/%.o)
CLI_BIN := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/cli/*.c))
# Preloaded by tests, which need no compiler then
PRELOADS := $(patsubst %,$(BUILD)/%.so,fail leaks mappings readonly)
REFUSED_SRC := $(wildcard tests/cli/refused/*.c)
REFUSED_OBJ := $(REFUSED_SRC:%.c=$(BUILD)/%.o)
REFUSED := $(BUILD)/tests/cli/trace-refused
# All pages together, as they are installed: those that tell of the program's tables are filled in by it.
MAN := $(patsubst man/%.in,$(BUILD)/man/%,$(wildcard man/*.[1-9].in)) $(patsubst %,$(BUILD)/%,$(wildcard man/*.[1-9]))
EXAMPLES := $(shell find man/examples -type f)

.DELETE_ON_ERROR:
.PHONY: all tests demo check check-quick check-unit check-cli check-userland check-kernel guest-programs shell-kernel \
	check-sanitized check-all deb valgrind bench bench-compare lint mutants setup dist rpm install uninstall clean help FORCE

## all: build mrctl, the simulated HCA, the agent of trace, the manual and the schema (default)
all: $(BUILD)/mrctl $(BUILD)/sim/libmrctl-sim.so $(BUILD)/sim/sysfs \
	$(BUILD)/trace/libmrctl-trace.so $(MAN) $(BUILD)/mrctl.schema.json

# Rewritten only when it changes; everything depends on it, so other flags rebuild.  W=1 changes no object.
CONFIG := $(filter-out -Werror,$(CC) $(CFLAGS) $(LTO) $(LDFLAGS) $(BASE_CFLAGS) $(SIM_CFLAGS) \
	$(BASE_LDFLAGS))
$(BUILD)/config: FORCE
	@mkdir -p $(BUILD)
	@printf '%s\n' '$(subst ','\'',$(CONFIG))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(CONFIG))' >$@

$(BUILD)/mrctl: $(CMD_OBJ) $(BUILD)/libmrctl.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LTO) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(DEPS_LIBS) -ldl -lm

$(CMD_OBJ) $(LIB_OBJ): BASE_CFLAGS += $(LTO)
$(SIM_OBJ) $(AGENT_OBJ): SIM_CFLAGS += $(LTO)

$(BUILD)/libmrctl.a: $(LIB_OBJ)
$(BUILD)/libshared.a: $(SHARED_OBJ)

%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/sim/libmrctl-sim.so: $(SIM_OBJ) $(BUILD)/libshared.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LTO) -shared -Wl,--as-needed $(HARDENED_LINK) $(LDFLAGS) -o $@ $^ -ldl -lpthread

# Bound at once, so that no call of a traced program has to wait for ld.so, and to its own functions where another
# library that is preloaded has them, too
$(BUILD)/trace/libmrctl-trace.so: $(AGENT_OBJ) $(BUILD)/libshared.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LTO) -shared -Wl,--as-needed $(HARDENED_LINK) -Wl,-z,defs \
		-Wl,-Bsymbolic -Wl,--exclude-libs,ALL $(LDFLAGS) -o $@ $^ -ldl

$(BUILD)/man/%: man/%
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/man/%: man/%.in man/fill.sh $(BUILD)/mrctl
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)man/fill.sh $(BUILD)/mrctl $< >$@

$(BUILD)/mrctl.schema.json: $(BUILD)/mrctl
	$(call say,SCHEMA,$@)
	$(Q)$(BUILD)/mrctl --dump-schema >$@

$(BUILD)/sim/sysfs: lib/sim/sysfs.txt
	$(call say,SYSFS,$@)
	$(Q)rm -rf $@ && grep -v '^#' $< | while read -r path text; do \
		mkdir -p "$@/$${path%/*}" || exit; \
		case $$text in \
		'-> '*) ln -s "$${text#-> }" "$@/$$path" ;; \
		*) printf '%s\n' "$$text" >"$@/$$path" ;; \
		esac || exit; done && touch $@

# The tables of causes, which the file with their functions includes
CAUSES := $(patsubst %.txt,$(BUILD)/%,$(wildcard lib/diagnose/causes/*.txt))
$(CAUSES:=.inc): $(BUILD)/%.inc: lib/diagnose/causes/diagnosis.c %.txt lib/diagnose/causes/rows.awk
	@mkdir -p $(@D)
	$(Q)awk -f lib/diagnose/causes/rows.awk $(wordlist 1,2,$^) >$@

$(BUILD)/lib/diagnose/log/topics.inc: $(wildcard lib/diagnose/causes/*.txt) lib/diagnose/causes/rows.awk
	@mkdir -p $(@D)
	$(Q)awk -v table=log -f lib/diagnose/causes/rows.awk $(filter %.txt,$^) >$@

$(BUILD)/lib/diagnose/checks.inc: lib/diagnose/checks.txt lib/diagnose/checks.awk
	@mkdir -p $(@D)
	$(Q)awk -f lib/diagnose/checks.awk $< >$@

$(CAUSES:=.o): %.o: %.inc
$(BUILD)/lib/diagnose/checks.o: $(BUILD)/lib/diagnose/checks.inc
$(BUILD)/lib/diagnose/log/line.o: $(BUILD)/lib/diagnose/log/topics.inc

$(BUILD)/lib/sim/%.o: lib/sim/%.c $(BUILD)/config
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SIM_CFLAGS) -MMD -MP $(CFLAGS) -c -o $@ $<

$(BUILD)/lib/trace/agent/%.o: lib/trace/agent/%.c $(BUILD)/config
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SIM_CFLAGS) $(DEPS_CFLAGS) -MMD -MP $(CFLAGS) -c -o $@ $<

# Its dlsym() leaves lookups to libc by tail calls
$(BUILD)/lib/trace/agent/binding.o: override CFLAGS += -O2 -foptimize-sibling-calls

$(BUILD)/shared/%.o: %.c $(BUILD)/config
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SIM_CFLAGS) -MMD -MP $(CFLAGS) -c -o $@ $<

$(BUILD)/%.o: %.c $(BUILD)/config
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CFLAGS) $(DEPS_CFLAGS) -MMD -MP $(CFLAGS) -c -o $@ $<

-include $(CMD_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(SIM_OBJ:.o=.d) $(AGENT_OBJ:.o=.d) $(SHARED_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(CLI_BIN:=.d) $(DIFF_OBJ:.o=.d) $(REFUSED_OBJ:.o=.d)

## setup: install the Debian packages that building and testing require
setup:
	@sh tests/setup.sh

# make --jobs, where the user has not said how many
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

## demo: install missing packages, build, and show the main task on the simulated HCA
demo: setup
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@sh tests/demo.sh $(BUILD)/mrctl

## check: install missing packages, and run all tests that require no special kernel (REPEAT=20, SEED=1)
check: setup
	@tests/announce.sh
	@$(MAKE) --no-print-directory $(PARALLEL) tests
	+@MAKE='$(MAKE)' tests/each.sh check-unit check-cli

## check-quick: run unit tests, and the quick command-line tests on one simulated device
check-quick:
	@$(MAKE) --no-print-directory $(PARALLEL) tests
	+@MAKE='$(MAKE)' PROFILES=mlx5 FILTER='!slow,!kill,!text' tests/each.sh check-unit check-cli

# The tests of a folder are one program, which links the folder that it tests and the layers below: where a
# file there uses one above, the program does not link.
UNIT_LINKS = $(eval UNIT_LINKS := $(shell tests/layers.sh --links tests/layers.ranks \
	$(UNIT_BIN:$(BUILD)/tests/unit/%=%)))$(UNIT_LINKS)
objects_for = $(patsubst $(1):%,$(BUILD)/%.o,$(filter $(1):%,$(UNIT_LINKS)))
# tests_of FOLDER/unit or FOLDER/FILE: the objects with its tests
tests_of = $(if $(filter %/unit,$(1)),$(foreach object,$(filter-out $(UNIT_ALONE_OBJ),$(UNIT_OBJ)),\
	$(if $(filter $(BUILD)/tests/unit/$(dir $(1)),$(dir $(object))),$(object))),$(BUILD)/tests/unit/$(1).o)
.SECONDEXPANSION:
$(UNIT_BIN): $(BUILD)/tests/unit/%: tests/layers.ranks $(BUILD)/tests/unit/main.o \
		$$(call tests_of,$$*) $$(call objects_for,$$*)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(BASE_LDFLAGS) -fno-lto -o $@ $(filter %.o,$^) \
		$(DEPS_LIBS) -ldl -lm -lpthread -lcmocka

## tests: build everything, and the programs that check runs
tests: all $(UNIT_BIN) $(CLI_BIN) $(REFUSED) $(PRELOADS) $(BUILD)/differential

check-unit: all $(UNIT_BIN)
	@for round in $$(seq $${REPEAT:-1}); do BUILD=$(BUILD) tests/unit/run.sh $(UNIT_BIN) || exit; done

# Programs of the command-line tests that change sessions without mrctl
$(BUILD)/tests/cli/%: tests/cli/%.c $(BUILD)/libmrctl.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CFLAGS) $(DEPS_CFLAGS) -MMD -MP $(CFLAGS) $(BASE_LDFLAGS) -fno-lto -o $@ \
		$(filter %.c %.a,$^) $(DEPS_LIBS) -ldl -lm

$(REFUSED): $(REFUSED_OBJ)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(BASE_LDFLAGS) -fno-lto -o $@ $^ $(DEPS_LIBS) -lpthread

# On rxe too: without import everything in a session goes another way
RXE_TESTS := $(patsubst %,tests/cli/%.bats,session session-join session-many rereg \
	dereg stat reg-dmabuf data-direct dmah dmabuf-sources umem relaxed advise \
	batch batch-regions reg memory output mail probe device-view system why why-rules \
	why-open why-rereg why-freeing why-prove why-dmabuf why-umem why-odp why-try trace trace-why \
	trace-reproduce trace-programs)

check-cli: all $(CLI_BIN) $(REFUSED) $(PRELOADS) $(BUILD)/differential
	@BUILD=$(BUILD) tests/cli/run.sh $(RXE_TESTS)

guest-programs: all $(BUILD)/tests/cli/dmabuf-tool $(BUILD)/tests/cli/object-tool $(BUILD)/tests/cli/path-tool $(REFUSED) \
	$(BUILD)/differential $(PRELOADS)

## check-kernel: run the tests tagged "kernel" on real Linux kernels, in VMs (only one: GUEST=sid)
check-kernel: guest-programs
	@BUILD=$(BUILD) tests/kernel/check.sh $(GUEST)

$(PRELOADS): $(BUILD)/%.so: tests/cli/preload/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE $(WARNINGS) -O2 -fPIC -shared -o $@ $<

# Runs on the simulator and in the guests, which have no libraries but libc for it
$(BUILD)/differential: $(DIFF_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^

## shell-kernel: open a prompt in that VM, with mrctl in PATH
shell-kernel: all
	@BUILD=$(BUILD) tests/kernel/run.sh shell $(or $(GUEST),sid)

## check-all: run all tests, as CI does before a release (an hour; requires root)
check-all:
	@.ci/run all

## check-sanitized: run check with AddressSanitizer and UndefinedBehaviorSanitizer
check-sanitized:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/san SAN=address,undefined CFLAGS='-O1 -g' FILTER='!kill,!text,!release' check

## check-userland: run the tests of rdma-core of Debian 12, 13 and sid on the simulated HCA
check-userland: all $(CLI_BIN) $(PRELOADS)
	@BUILD=$(BUILD) tests/pyverbs/run.sh
	@BUILD=$(BUILD) tests/userland-check.sh

## valgrind: run the command-line tests with mrctl under valgrind
valgrind: all $(UNIT_BIN)
	@BUILD=$(BUILD) WRAP='valgrind -q --error-exitcode=99 --leak-check=full' \
		tests/unit/run.sh $(UNIT_BIN)
	@BUILD=$(BUILD) tests/valgrind.sh

## deb: build and test Debian packages in minimal systems, in build/deb (SUITES="bookworm trixie sid"; requires root)
SUITES ?= bookworm trixie sid
deb:
	@BUILD=$(BUILD) tests/trees/run.sh $(SUITES:%=%:deb)

## lint: check layers and boundaries between the folders, headers, shell scripts, and C by an analyser
lint: all
	@BUILD=$(BUILD) CC='$(CC)' tests/lint.sh

## bench: measure speed and memory, as ratios to a bare C loop and a peer tool; write build/bench.json
bench: all
	@BUILD=$(BUILD) CC='$(CC)' tests/bench/run.sh

## bench-compare: compare the speed of this mrctl with that of another revision (BASE=REV)
bench-compare:
	+@BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' BASE='$(BASE)' tests/bench/compare.sh

## mutants: change one line of cmd or lib, N times (SEED or LIST), and list the changes that no test notices
mutants:
	@BUILD=$(BUILD) N='$(N)' SEED='$(SEED)' LIST='$(LIST)' ONLY='$(ONLY)' JOBS='$(JOBS)' python3 -B tests/mutants/mutants.py

## dist: make a reproducible archive of the last commit, and its checksum, in build (REV=HEAD)
DIST := mrctl-$(VERSION).tar.gz
REV ?= HEAD
dist:
	@mkdir -p $(BUILD)
	git -c tar.umask=0022 archive --prefix=mrctl-$(VERSION)/ --output=$(BUILD)/mrctl-$(VERSION).tar $(REV)
	gzip -9nf $(BUILD)/mrctl-$(VERSION).tar
	cd $(BUILD) && sha256sum $(DIST) >$(DIST).sha256

## rpm: make RPM packages of the last commit, in build/rpm (requires rpmbuild)
# Where the system has other packages, rpmbuild knows none of those that the build requires.
rpm: dist
	rm -rf $(BUILD)/rpm
	rpmbuild --quiet -ba $(if $(wildcard /etc/debian_version),--nodeps) --define '_topdir $(abspath $(BUILD)/rpm)' \
		--define '_sourcedir $(abspath $(BUILD))' $(RPMFLAGS) rpm/mrctl.spec

## install: install files below DESTDIR and PREFIX
# The examples name mrctl where the default prefix has it.
install: all
	install -D -m 755 $(BUILD)/mrctl $(DESTDIR)$(BINDIR)/mrctl
	install -D -m 755 $(BUILD)/sim/libmrctl-sim.so $(DESTDIR)$(LIBDIR)/mrctl/sim/libmrctl-sim.so
	cp -R $(BUILD)/sim/sysfs $(DESTDIR)$(LIBDIR)/mrctl/sim/
	install -D -m 755 $(BUILD)/trace/libmrctl-trace.so $(DESTDIR)$(LIBDIR)/mrctl/trace/libmrctl-trace.so
	install -D -m 644 $(BUILD)/mrctl.schema.json $(DESTDIR)$(DATADIR)/mrctl/mrctl.schema.json
	for page in $(MAN); do \
		install -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit; \
	done
	for file in $(EXAMPLES); do \
		sed 's|/usr/local/bin|$(BINDIR)|g' $$file | \
			install -D -m $$([ -x $$file ] && echo 755 || echo 644) /dev/stdin \
				$(DESTDIR)$(DOCDIR)/$${file#man/} || exit; \
	done
	install -D -m 644 completions/mrctl.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/mrctl
	install -D -m 644 completions/_mrctl $(DESTDIR)$(DATADIR)/zsh/site-functions/_mrctl
	install -D -m 644 completions/mrctl.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/mrctl.fish

## uninstall: remove the files of install
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/mrctl
	rm -rf $(DESTDIR)$(LIBDIR)/mrctl $(DESTDIR)$(DATADIR)/mrctl $(DESTDIR)$(DOCDIR)
	rm -f $(foreach page,$(MAN),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(DESTDIR)$(DATADIR)/bash-completion/completions/mrctl
	rm -f $(DESTDIR)$(DATADIR)/zsh/site-functions/_mrctl
	rm -f $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/mrctl.fish

## clean: remove all built files
clean:
	rm -rf $(BUILD)

## help: print this list
help:
	@sed -n 's/^## //p' Makefile | awk '{ i = index($$0, ": "); printf "%-15s %s\n", substr($$0, 1, i - 1), substr($$0, i + 2) }'

FORCE:
