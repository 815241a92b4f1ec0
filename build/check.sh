#!/bin/sh
# check.sh STATICCHECK TAGS: everything about the tree that no behaviour test sees. It changes nothing.
set -eu
staticcheck=$1 tags=$2

step() { echo "check: $*"; }

step "formatting"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "run gofmt -w on:" && echo "$unformatted" && exit 1; }

step "generated components, bundles and documents"
go tool templ generate -check
go run ./build/bundle -check
go test -run '^TestRoutesDocumentIsCurrent$' ./backend/server
go test -run 'Reference' ./daemon/harness/scripted

step "vet"
go vet ./...
go vet -tags "$tags" ./app/desktop

# What needs no C compiler is to work on these systems too; the store does need one.
for system in darwin windows; do
	step "vet for $system"
	GOOS=$system CGO_ENABLED=0 go vet ./daemon/... ./runner/... ./frontend ./examples
done

step "staticcheck"
"$staticcheck" ./...
"$staticcheck" -tags "$tags" ./app/desktop

step "borders"
go test ./build/...
