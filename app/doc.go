// Package app puts the program together: configuration, data folder, store, runner service, server, listener. Only the
// two mains import it.
//
// Serve promises that nothing is said to run before its port is bound, that one data folder has one lab, and that
// ending its context ends everything in order within a bound: no new requests, running units cancelled, engines shut
// down, database closed, lock released. It writes to the streams of its Config only and never ends the process.
package app
