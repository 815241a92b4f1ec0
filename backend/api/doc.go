// Package api is Core's public API over HTTP (behaviour 8.6): agents, Sessions, their inputs, events and history, as JSON
// documents and as a stream of events.
//
// It promises: the gates of a request are asked in one order, version header, key, body, and nothing is done before all of
// them are passed; what it does not know it refuses and names; what it acknowledged is on the disk; a request that is sent
// again with the same Idempotency-Key and body has no second effect; a stream has no gap, and says so when it ends early.
//
// Its handlers are mounted by the server, which also guards them against pages of other sites. They may be used by many
// requests at the same time, keep nothing between them, and know neither SQL nor the wire: core.Service does the work.
package api
