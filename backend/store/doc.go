// Package store keeps what the lab must not lose: the immutable record of every act on the runner page, drafts, devices
// and credentials, of whose secrets it knows the digests only, and Core's durable side: agents, Sessions, Turns, inputs,
// calls, journal, Environments and writes. It is the only place that knows SQL and the SQLite driver.
//
// Promises: what a write has acknowledged survives a crash and a power cut (synchronous=FULL), with the events that tell
// of it; an error says that nothing of the write was kept. What has ended never changes and goes with its Session only,
// enforced by triggers. A file that is not ours, is damaged or was written by a newer program is refused and left as it
// is. Lists are paged by key. One goroutine writes and commits for all who wait; a small pool reads.
//
// A lab and short commands may have the same file open at the same time: each sees what the other has committed, writes
// wait for each other for five seconds at most. One process opens a file once. All methods may be called from any
// goroutine until Close, which is called once, after the last of them. It never acts by itself: it starts no work, sends
// nothing and deletes nothing unasked.
package store
