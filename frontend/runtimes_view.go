package frontend

import "time"

// RuntimesView is the screen of the Runtimes: who may connect, who is connected, and what one of them says of itself.
type RuntimesView struct {
	Lab      Lab
	Now      time.Time // when it was asked; ages are told from it
	Runtimes []RuntimeView
	Revoked  int    // devices that may not connect any more, and are not in the list
	Selected string // device id of the one that is open; "" the first
	Data     string // the lab's data folder, for the commands
	Error    string // why the list could not be read, "" when it could
}

// RuntimeView is one device. What is zero is not known, or is not the case; nothing is inferred.
type RuntimeView struct {
	ID       string
	Name     string
	Own      bool // the lab's own Runtime
	Online   bool // Core has a connection of it
	LastSeen time.Time

	// What the lab's own Runtime says of itself.
	State       string
	StateSince  time.Time
	Failures    int
	NextAttempt time.Time
	LastError   string

	Connection *ConnectionView
	LastEnd    *EndView
	Declared   bool // a valid heartbeat came on this connection
	Kinds      []KindView
}

// ConnectionView is what Core sees of an open connection.
type ConnectionView struct {
	Since            time.Time
	Build            string // "" unknown
	Active           int
	In, Out, Dropped int64
}

// EndView is how a connection ended.
type EndView struct {
	At     time.Time
	ByCore bool
	Code   int // 0: the socket broke off
	Why    string
}

// KindView is a kind of harness and what it declares.
type KindView struct {
	Name         string
	Available    bool
	Version      string
	Capabilities []string // the supported ones
}

// order gives the list with the lab's own Runtime first.
func (v RuntimesView) order() []RuntimeView {
	list := make([]RuntimeView, 0, len(v.Runtimes))
	for _, own := range []bool{true, false} {
		for _, r := range v.Runtimes {
			if r.Own == own {
				list = append(list, r)
			}
		}
	}
	return list
}

// open is the Runtime whose facts are shown; nil when there is none with that id.
func (v RuntimesView) open() *RuntimeView {
	for _, r := range v.order() {
		if v.Selected == "" || v.Selected == r.ID {
			return &r
		}
	}
	return nil
}

// Missing tells that the address names a device that is not in a list that could be read.
func (v RuntimesView) Missing() bool { return v.Error == "" && v.Selected != "" && v.open() == nil }

// own is the lab's own Runtime, nil when it has none.
func (v RuntimesView) own() *RuntimeView {
	for _, r := range v.Runtimes {
		if r.Own {
			return &r
		}
	}
	return nil
}

func (v RuntimesView) connected() int {
	n := 0
	for _, r := range v.Runtimes {
		if r.Online {
			n++
		}
	}
	return n
}
