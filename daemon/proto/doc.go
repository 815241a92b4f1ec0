// Package proto is the wire between Core and a Runtime: the envelope, every payload, the limits, the finite codes, the
// capability declaration and the version. Both sides use it and nobody else defines a payload.
//
// Topology: a Runtime dials Core and both exchange one envelope a WebSocket text message. An envelope's id is a
// preparation request, a Run, a transfer, a mutation, an operation or a suspension request, as the table in types.go
// says; the kinds are never interchangeable (wire 1.2). The version is compared byte for byte (wire 6.1).
//
// Decode accepts what the contract accepts (wire 0.3) and is strict only where wire 1.4 says so. A frame whose
// payload does not decode is still a frame: it keeps its type and id, so that its family can answer. Validate tells
// every rule a decoded frame breaks. The package touches no file, socket, clock or process.
package proto
