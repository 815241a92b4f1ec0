// Package drive makes the lab's Core act on one wire operation at a time and tells what it observed, as wiretest's
// CoreDriver asks. Conformance uses it, and a person who explores the wire by hand.
//
// It calls the gateway exactly as Core's own delivery does: it subscribes before it sends, retries nothing and concludes
// nothing. It knows no Session and no Turn, and keeps what it observed, within bounds, until it is asked for or Close.
package drive
