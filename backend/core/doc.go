// Package core is the durable Core: agents, Sessions, Turns and what is done to them. It takes inputs, gives queued
// Turns to connected Runtimes, follows their Runs and keeps what was observed (behaviour 8).
//
// The public API, the pages and the commands call Service; nobody else. Nothing is acknowledged before it is on the disk,
// nothing is replayed after a restart or a lost connection, and what is not known is never turned into success or into a
// native failure. It knows no HTTP and no SQL.
package core
