# Everything a person needs: `make demo` shows it, `make test` proves it. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OPENCV5 := build/opencv5
GAME ?= carpets

.PHONY: demo test test-pi bench soak lint figures train lock clean install uninstall

demo: $(READY)
	$(BIN)/kibitz demo $(GAME)

test: lint $(OPENCV5)/.ready
	$(BIN)/python -m pytest -n 2 -m "not slow"
	PYTHONPATH=$(OPENCV5) KIBITZ_OPENCV=5 $(BIN)/python -m pytest -n 2 -m "not slow" tests/vision --ignore tests/vision/test_tablegen.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m tests.bench

# Hours of the live loop: memory and open files stay as they are.
FRAMES ?= 200000
soak: $(READY)
	$(BIN)/python -m tests.bench.soak --frames $(FRAMES)

# The appliance on a real systemd with the real picamera2, in a Debian folder: needs root and debootstrap.
test-pi: $(READY)
	tests/pi/run

# On a Raspberry Pi, as root: makes an appliance of it, or upgrades it; and takes it off again, but for its games.
install:
	systemd/install

uninstall:
	systemd/uninstall

# Random tables and games that nobody tuned to: half an hour. Other seeds: make figures SEEDS=2000:2100
SEEDS ?= 1000:1200
HANDS ?= 1000:1040
GAMES ?= 1000:1010
figures: $(READY)
	$(BIN)/python -m pytest -n 2 -m slow
	$(BIN)/python -m tests.figures --seeds $(SEEDS) --hands $(HANDS) --games $(GAMES)

# The networks anew from seeds, in an environment of its own: over an hour. TRAIN=--small shows in minutes that every step
# runs; TRAIN=--ship replaces the networks in models/.
TRAIN ?=
train: build/train/.ready
	build/train/bin/python -m models.train.dice build/dice $(TRAIN)

build/train/.ready: requirements.lock requirements-train.txt
	$(PYTHON) -m venv build/train
	build/train/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock -r requirements-train.txt
	touch $@

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kibitz needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

# Seeing runs on both OpenCV 4 and 5: the other one lies beside the environment, for its tests alone.
$(OPENCV5)/.ready: requirements-opencv5.txt $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(OPENCV5) -r requirements-opencv5.txt
	touch $@

# Pins what is installed now, after the ranges in pyproject.toml were met anew.
lock:
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet -e . --group dev
	build/lock/bin/python -m pip freeze --exclude-editable > requirements.lock

clean:
	rm -rf $(VENV) build *.egg-info
