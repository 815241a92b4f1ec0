// Package store keeps what the lab must not lose: the immutable record of every act on the runner page, drafts, and the
// devices and executor credentials of the machine connection, of whose secrets it knows the digests only. It is the only place that knows SQL and the SQLite driver; the handle never leaves it.
//
// Promises: what a write has acknowledged survives a crash and a power cut (synchronous=FULL); a record never changes
// and is never deleted, enforced by triggers; a file that is not ours, is damaged or was written by a newer program is
// refused and left as it is; lists are paged by key. One connection writes, a small pool reads.
//
// A lab and short commands may have the same file open at the same time: each sees what the other has committed, writes
// wait for each other for five seconds at most. One process opens a file once. All methods may be called from any
// goroutine until Close, which is called once, after the last of them.
package store
