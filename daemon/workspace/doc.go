// Package workspace gives bounded access to one real folder: reads, listings, whole-file writes and one export
// (wire 3.10, behaviour 7.2 to 7.4).
//
// It promises that nothing outside the folder is read or changed, in any interleaving with other processes: paths are
// checked before the disk is touched, every element is opened from the handle of the one before it, and no link is
// ever followed. A written file appears whole or not at all; its bytes are staged where no name shows them, and a
// killed process leaves nothing of them behind. An effect that is not known is ErrUnconfirmed, never a failure.
//
// The dispatcher and the Environment call it. Its methods are safe for concurrent use and start no goroutine. It holds
// no policy: capacity, clocks and who may write when are the dispatcher's.
package workspace
