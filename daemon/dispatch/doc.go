// Package dispatch is the Runtime behind one connection: it admits executions, owns Executors and Turns, answers
// workspace operations and transfers, and keeps every resource whose end is not confirmed (behaviour 5, 6, 7).
//
// The transport hands each frame to Router.Handle, which decides under one lock and returns; native work, receipts and
// statuses run in goroutines that Shutdown joins. Handle waits only for a peer that leaves too many answers unread; what
// is kept on a peer's behalf is bounded in number and in bytes, and what it makes the log say too. The package never
// sends while it holds the lock, never replays anything, never takes a timeout for an end, and never says applied before
// the native side has settled.
package dispatch
