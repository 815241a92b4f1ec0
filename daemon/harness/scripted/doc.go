// Package scripted is a harness without a model: it plays a script, chosen by name or written into the configuration,
// and so shows each part of the protocol to a person, including what a faulty native program does (behaviour 9.4).
//
// A script is data: what its preparation, start, cancellation, settlement and close do, and the steps of a Turn. It is
// read strictly before anything exists; a script that is not understood makes no Executor. Ids come from counters and
// times from the clock alone, so that the same inputs give the same frames.
//
// The Runtime's registry takes Declaration and Factory from New; pages and documents take Scripts, Check and Reference.
// The package starts no process, opens no file or socket, and keeps its native Sessions in memory only.
package scripted
