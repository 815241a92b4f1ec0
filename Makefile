# Parley's targets. `make help` lists them; a target that lacks something of the machine installs it or names the
# one command that does (build/need.sh).

GO           ?= go
FUZZTIME     ?= 60s
VERSION      ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS      := -s -w -X parley/app.version=$(VERSION)
DESKTOP_TAGS := desktop,production,webkit2_41
STATICCHECK  := bin/tools/staticcheck-v0.8.2

.DEFAULT_GOAL := help
.PHONY: help lab build desktop test check bench fuzz window-test generate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: build ## build bin/parley and open the lab in the browser
	exec bin/parley serve

build: ## build bin/parley (needs Go and a C compiler)
	@build/need.sh cc
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/parley ./app/parley

desktop: ## build bin/parley-desktop, the lab in its own window
	@build/need.sh cc window
	$(GO) build -tags $(DESKTOP_TAGS) -ldflags '$(LDFLAGS)' -o bin/parley-desktop ./app/desktop

test: ## run every test: race detector, browser, short fuzzing, the window
	@build/need.sh cc browser window screen
	$(GO) run ./build/suite -race -vet=off ./...
	$(GO) run ./build/fuzz -time 2000x
	@$(MAKE) --no-print-directory window-test

window-test: build desktop ## open the window without a screen, see the page report itself ready, close it
	@build/need.sh screen
	build/window-test.sh bin/window.png

check: $(STATICCHECK) ## format, vet, lint, generated files, borders
	@build/need.sh cc window
	build/check.sh $(STATICCHECK) $(DESKTOP_TAGS)

bench: ## measure against the baselines and write bench.json
	@build/need.sh cc
	$(GO) run ./build/bench

fuzz: ## fuzz every target for FUZZTIME each (60s)
	@build/need.sh cc
	$(GO) run ./build/fuzz -time $(FUZZTIME)

generate: ## write the generated files anew
	$(GO) tool templ generate
	$(GO) generate ./...

clean: ## remove what the targets built
	rm -rf bin bench.json

# Pinned, and installed once: later runs need no network.
$(STATICCHECK):
	GOBIN=$(CURDIR)/bin/tools $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.8.2
	mv bin/tools/staticcheck $@
