# Two commands do everything on a Debian machine with Python 3.11+ and make: `make run` and `make test`.

PYTHON ?= python3
WORKERS ?= 2
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# What the tests need beyond Python: a browser for the local table's screenshots, and letters for it to draw.
SYSTEM := chromium fonts-dejavu-core

# An environment can be neither moved nor handed to another Python. `whole` records what it was made of, is taken
# away before every change and comes back after it: after an interruption the next call starts afresh.
WHOLE := $(VENV)/whole
BASE := $(shell $(PYTHON) -c 'import sys; print(sys._base_executable)' 2>/dev/null)
MADE_OF := $(CURDIR) $(shell $(PYTHON) -c 'import sys; print(sys._base_executable, sys.version.split()[0])' 2>/dev/null)
STALE := $(if $(filter $(subst $() ,|,$(MADE_OF)),$(subst $() ,|,$(shell cat $(WHOLE) 2>/dev/null))),,FORCE)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test system golden bench arena kill-loop constraints clean FORCE

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' Makefile | expand -t 20

run: $(VENV)/run.stamp ## install what is needed and start the bot; it prints its address (ARGS="--port 9000")
	@exec $(BIN)/tavla run $(ARGS)

test: $(VENV)/dev.stamp system ## everything: style, types, import contracts, tests (ARGS="tests/engine -x")
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(WORKERS) $(ARGS)

golden: $(VENV)/dev.stamp ## write the golden files of tests/render anew: look at the difference before you commit it
	TAVLA_WRITE_GOLDEN=1 $(BIN)/pytest tests/render $(ARGS)

BENCH ?= rules ai picture storage service platforms
bench: $(VENV)/dev.stamp ## the figures that the README quotes (BENCH="rules ai")
	@for what in $(BENCH); do $(BIN)/tavla bench $$what $(ARGS) || exit; done

GAME ?= tavla
LEVELS ?= hard medium
arena: $(VENV)/run.stamp ## two levels of the computer against each other (GAME=tavla LEVELS="hard easy")
	@$(BIN)/tavla arena $(GAME) $(LEVELS) $(ARGS)

TAVLA_KILLS ?= 1000
kill-loop: $(VENV)/dev.stamp ## the long form of the kill -9 test (TAVLA_KILLS=1000)
	TAVLA_KILLS=$(TAVLA_KILLS) $(BIN)/pytest tests/test_kill.py --timeout 0 $(ARGS)

constraints: ## pin anew what the dependencies of pyproject.toml bring along
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && $(BASE) -m venv "$$d" && "$$d"/bin/python -m pip install -q -e '.[dev]' \
	  && "$$d"/bin/python -m pip freeze --exclude-editable > "$$d"/pins && cp "$$d"/pins constraints.txt

clean: ## remove what these commands made; databases stay
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# --- set-up -------------------------------------------------------------------------------------------------------

$(VENV)/dev.stamp: EXTRA := [dev]
$(VENV)/run.stamp $(VENV)/dev.stamp: pyproject.toml constraints.txt $(STALE)
	@[ -n '$(BASE)' ] || { echo 'No Python at "$(PYTHON)": apt-get install python3 python3-venv, or name one: make PYTHON=...' >&2; exit 1; }
	@$(BASE) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo '$(BASE) is older than Python 3.11, which tavla needs; name another: make PYTHON=...' >&2; exit 1; }
	@$(BASE) -c 'import venv; from ensurepip import version' 2>/dev/null || { echo "$(BASE) lacks its venv module: apt-get install $$($(BASE) -c 'import sys; print("python3-venv (or python3.%d-venv)" % sys.version_info[1])')" >&2; exit 1; }
	@echo 'Installing into $(VENV) ...'
	@[ -z '$(STALE)' ] || { rm -rf $(VENV) && $(BASE) -m venv $(VENV); }
	@rm -f $(WHOLE)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.$(EXTRA)'
	@touch $(VENV)/run.stamp $@
	@echo '$(MADE_OF)' > $(WHOLE)

# As root on Debian what is missing gets installed; elsewhere the tests that need it say so.
system:
	@missing=; for p in $(SYSTEM); do \
	  case $$(dpkg-query -W -f '$${db:Status-Status}' $$p 2>/dev/null) in installed) ;; *) missing="$$missing $$p";; esac; done; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" = 0 ] && grep -qs '^ID=debian' /etc/os-release; then \
	  echo "Installing$$missing ..."; export DEBIAN_FRONTEND=noninteractive; \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	else echo "Not installed:$$missing; the tests that need them will say so." >&2; fi
