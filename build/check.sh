#!/bin/sh
# check.sh STATICCHECK TAGS: everything about the tree that no behaviour test sees. It changes nothing.
set -eu
staticcheck=$1 tags=$2

step() { echo "check: $*"; }

step "formatting"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "run gofmt -w on:" && echo "$unformatted" && exit 1; }

step "generated components"
go tool templ generate -check

step "vet"
go vet ./...
go vet -tags "$tags" ./app/desktop

step "staticcheck"
"$staticcheck" ./...
"$staticcheck" -tags "$tags" ./app/desktop

step "borders and documents"
go test ./build/...
