// Package wiretest holds the wire scenarios and replays them: as a scripted Core against a Runtime under test, and as a
// scripted Runtime against a Core under test, on real WebSockets (behaviour 10). Neither side is imported.
//
// A scenario is a file: what both sides send, in order, with loss, reconnection, native settlement and silence between.
// Whoever plays a side sends that side's frames and expects the other's. Compared are type, id and payload as a decoder
// of the wire sees them; the trace never. A failure names the step, what was expected and what was seen.
//
// A Runtime is told what its native side has to do by a behaviour, which options turn into a configuration. A Core does
// not act by itself: a CoreDriver makes it act and tells what it observed; without one only what a peer can see from
// outside is tested. The package never retries, never starts a process and keeps no credential.
package wiretest
