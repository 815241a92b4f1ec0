package proto

// Version is the wire version (wire 6.1). A peer is accepted only if it names exactly these bytes.
const Version = "0.15.0"
