// Package server is the lab's HTTP face: one route table, the guards in front of it, and the handlers. Router, guard
// test and docs/http.md come from the table.
//
// It promises: the runner contract's routes behave exactly as runner 7 says and have no other guard; everything else
// answers only to this machine, and what shows or changes data only to somebody who holds the lab's credential; a
// refusal happens before anything is read, has no effect and tells nothing; no answer carries a permissive CORS header
// or a secret.
//
// The caller (package app) owns the listener and the http.Server that Limits made; handlers run until their request's
// context ends. The package opens no file and starts no process.
package server
