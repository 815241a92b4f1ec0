// Package socket is one WebSocket as both sides of the wire use it: text messages of at most 4 MiB, one writer, a send
// queue bounded in frames and in bytes, a write deadline, no compression, and an end when a peer sends bytes without
// ever finishing a message (wire 1.5, 1.7; behaviour 3.1).
//
// Core's gateway upgrades to it and the Runtime's transport dials it. One goroutine may call Read; Queue, Send and Close
// may be called from any. It knows no envelope, never retries, and never says sent for what was only queued.
package socket
