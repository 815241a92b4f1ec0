package server

import (
	"fmt"
	"strings"

	"parley/backend/gateway"
)

// RoutesMarkdown writes docs/http.md from the tables of routes, groups and codes.
func RoutesMarkdown() string {
	var b strings.Builder
	b.WriteString(httpIntroduction)
	b.WriteString("\n## Groups\n\n| group | guard |\n|---|---|\n")
	for _, g := range Groups() {
		fmt.Fprintf(&b, "| %s | %s |\n", g.Group, g.Guard)
	}
	b.WriteString("\n## Routes\n\n| method | path | group | right | body | about |\n|---|---|---|---|---|---|\n")
	for _, r := range Routes() {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", r.Method, r.Path, r.Group, r.Right, bodyWords(r), r.About)
	}
	b.WriteString("\n## Codes\n\nA refusal of the lab's own routes is `{\"code\":…,\"message\":…}`, or a page that says the same. " +
		"The runner contract's routes\nanswer with documents of the contract, whose codes stand in `docs/contracts/runner.md`; " +
		"only 404 and 405 have this form there.\n\n| code | status | what | why | next |\n|---|---|---|---|---|\n")
	for _, row := range Codes() {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s | %s |\n", row.Code, row.Status, row.What, row.Why, row.Next)
	}
	b.WriteString("\n## Codes of the machine connection\n\nA refusal is `{\"error\":…,\"detail\":…}`. At the upgrade 401, 403 and 426 are " +
		"for good: a Runtime does not dial again.\n\n| code | status | when |\n|---|---|---|\n")
	for _, row := range gateway.MachineCodes() {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", row.Code, row.Status, row.When)
	}
	return b.String()
}

func bodyWords(r Route) string {
	if r.Body == 0 {
		return "–"
	}
	if r.Body >= 1<<20 {
		return fmt.Sprintf("%s, at most %d MiB", r.Media, r.Body>>20)
	}
	return fmt.Sprintf("%s, at most %d KiB", r.Media, r.Body>>10)
}

const httpIntroduction = `# HTTP

This file is written from the tables in ` + "`backend/server`" + `; a test keeps it current. To write it anew:
` + "`go generate ./backend/server`" + `.

The lab listens on the literal loopback address. With ` + "`--dangerously-listen`" + ` it may listen elsewhere; then only the
runner contract, the machine connection, Core's API and ` + "`/healthz`" + ` answer; a paid run asks the questions of the local guard,
there as everywhere.

**The local guard** asks four questions and refuses with 403 before anything is read: Is the socket's peer a loopback
address? Is Host exactly ` + "`localhost`" + ` or a literal loopback address, with or without a port? Is Origin, if sent, exactly
the request's own scheme and authority? Is Sec-Fetch-Site, if sent, ` + "`same-origin` or `none`" + `? Forwarding headers are
ignored. A link on another site therefore cannot open a page of the lab, not even by a click; typing or pasting the
address can. The one exception is ` + "`/open`" + `, which takes a top-level navigation from anywhere: its token is the
protection.

**The credential** is the session cookie or, for programs, ` + "`Authorization: Bearer`" + ` with the key in the file that
` + "`parley serve --json`" + ` names as ` + "`api_key_file`" + `. A browser gets the cookie by opening ` + "`/open?token=…`" + ` once within two
minutes, while the same start of the lab runs. Links are minted by programs that can read the data folder, and by nobody
else: running ` + "`parley serve`" + ` a
second time prints one. The cookie is HttpOnly, SameSite=Strict, lasts 30 days and has the port in its name.

**The machine connection** is for programs on this or another machine: Runtimes. Each has the credential of its own device,
from ` + "`parley core device create`, or the token of an executor, from `parley core executor create`" + `; it sends it as bearer,
never in an address. A device that is revoked is refused at once, and at the next heartbeat where it is connected.

**Core's API** is for programs: agents, Sessions, what is said to them and what they do. It takes an API key as bearer, the
one in ` + "`api_key_file`" + ` or one from ` + "`parley core key create`" + `, and on every request ` + "`OpenAI-Beta: agents=v1`" + `. Its documents
and codes stand in ` + "`docs/openapi.json`" + `, which the lab serves at ` + "`/v1/openapi.json`" + ` to whoever asks. A refusal is
` + "`{\"error\":{\"message\":…,\"type\":…,\"code\":…,\"param\":…}}`" + `.

**Acts.** ` + "`POST /api/v1/lab/runner/{negotiate,validate,run}`" + ` do what the contract's routes do, file request and answer as
one record that never changes, and answer with a report as HTML; the header Parley-Record names the record. A header
Parley-Act, up to 64 letters, digits, - and _, names the act so that it can be cancelled.

**Every answer** carries nosniff, a content policy without inline script, Cross-Origin-Resource-Policy and
Cross-Origin-Opener-Policy same-origin, Referrer-Policy no-referrer, and no CORS header. Only the files below
` + "`/static/`" + ` may be kept by a cache; their names change with their content.

**Bounds.** Headers are complete within 10 seconds and 64 KiB, bodies within 5 seconds, and at most 1024 connections are
open at a time. When all are taken the one that has been idle the longest is closed; never one with a request under way.
A WebSocket and a stream of events count as such a request as long as they are open; none of these deadlines applies to
them. Who does not take what a stream has for five seconds is given up.
`
