// Package transport keeps a Runtime connected to Core: one bootstrap, then a WebSocket that is dialled again whenever it
// ends, heartbeats on it, and frames to and from a router (behaviour 3).
//
// The daemon makes one Link and calls Run once. Each connection gets a router of its own, and no connection is dialled
// before the router of the last one has confirmed that nothing of it is going on any more; only an accepted suspension
// keeps a router across sockets (behaviour 7.5). Refusals that will not change end Run.
//
// It admits nothing, repeats no frame, invents no end of a Run, and shows the credential to nobody but the server of
// the profile and the address that this server gave.
package transport
