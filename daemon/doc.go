// Package daemon is a whole Runtime: a profile, the harnesses it offers and the Environment it is bound to, put together
// from transport and dispatch. The lab embeds one and `parley daemon connect` is one; both reach Core over a WebSocket.
//
// Run returns only when everything that the Runtime started has confirmed its end. The package keeps the credential of
// the profile out of logs and errors, chooses no Session or Environment but its own, and never starts Core.
package daemon
