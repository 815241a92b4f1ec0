// Package store keeps what the lab must not lose: the immutable record of every act on the runner page, and drafts.
// It is the only place that knows SQL and the SQLite driver; the handle never leaves it.
//
// Promises: what a write has acknowledged survives a crash and a power cut (synchronous=FULL); a record never changes
// and is never deleted, enforced by triggers; a file that is not ours, is damaged or was written by a newer program is
// refused and left as it is; lists are paged by key. One connection writes, a small pool reads.
//
// The caller holds the data folder's lock; two programs never open the same file. All methods may be called from any
// goroutine until Close, which is called once, after the last of them.
package store
