package frontend

import (
	"strconv"
	"time"
)

// phases are what the lab's own Runtime can say that it is doing, with its sentence. The words are those of
// daemon/transport.
func phases() map[string]Verdict {
	return map[string]Verdict{
		"starting":   {Badge{ToneNeutral, "clock", "Starting"}, "The lab’s own Runtime is starting.", ""},
		"connecting": {Badge{ToneNeutral, "clock", "Connecting"}, "The lab’s own Runtime is dialling Core.", ""},
		"waiting":    {Badge{ToneCaution, "clock", "Waiting"}, "The lab’s own Runtime waits for its next attempt.", ""},
		"resuming":   {Badge{ToneCaution, "clock", "Resuming"}, "The lab’s own Runtime was woken. It waits for Core to resume its suspended Environment.", ""},
		"online":     {Badge{ToneOK, "plug", "Online"}, "The lab’s own Runtime is online.", ""},
		"clearing":   {Badge{ToneNeutral, "clock", "Clearing"}, "The lab’s own Runtime waits for the confirmed end of its earlier work.", ""},
		"suspended":  {Badge{ToneNeutral, "pause", "Suspended"}, "The lab’s own Runtime is suspended. It stays away until it is woken.", ""},
		"stopped":    {Badge{ToneNeutral, "unplug", "Stopped"}, "The lab’s own Runtime has stopped. It does not dial again while this lab runs.", ""},
	}
}

// ownVerdict words what the lab's own Runtime says, beside what Core sees where the two differ.
func ownVerdict(r RuntimeView) Verdict {
	v, known := phases()[r.State]
	switch {
	case !known:
		v = Verdict{Badge: Badge{ToneNeutral, "unknown", short(orUnknown(r.State))}, Line: "The lab’s own Runtime says: " + short(orUnknown(r.State)) + "."}
	case r.State == "online" && !r.Online:
		v = Verdict{Badge: Badge{ToneCaution, "warn", "Online"}, Line: "The lab’s own Runtime says that it is online; Core has no connection of it."}
	case r.State == "waiting" && !r.NextAttempt.IsZero():
		v.Line = "The lab’s own Runtime waits for its next attempt, at " + clock(r.NextAttempt) + "."
	case r.State == "stopped" && r.LastError != "":
		v.Badge = Badge{ToneProblem, "problem", "Stopped"}
	}
	return v
}

// badge is a Runtime's state in a word: its own where it is the lab's, else what Core sees.
func (r RuntimeView) badge() Badge {
	switch {
	case r.Own:
		return ownVerdict(r).Badge
	case r.Online:
		return Badge{ToneOK, "plug", "Connected"}
	}
	return Badge{ToneNeutral, "unplug", "Not connected"}
}

// since is when that state was entered; zero where nobody saw it.
func (r RuntimeView) since() time.Time {
	switch {
	case r.Own:
		return r.StateSince
	case r.Online && r.Connection != nil:
		return r.Connection.Since
	case r.Online || r.LastEnd == nil:
		return time.Time{}
	}
	return r.LastEnd.At
}

// never tells that the device has not connected since it was made.
func (r RuntimeView) never() bool {
	return !r.Own && !r.Online && r.LastSeen.IsZero() && r.LastEnd == nil
}

// kindNames are the advertised kinds in a cell.
func (r RuntimeView) kindNames() string {
	switch {
	case r.never():
		return "–"
	case !r.Declared:
		return "unknown"
	}
	var names []string
	for _, kind := range r.Kinds {
		names = append(names, kind.Name)
	}
	const most = 2
	if len(names) > most {
		return join(names[:most]) + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return join(names)
}

// counts says how many of the devices are connected.
func (v RuntimesView) counts() string {
	n, all := v.connected(), len(v.Runtimes)
	switch {
	case all == 1 && n == 1:
		return "1 Runtime is connected."
	case n == 0:
		return "No Runtime is connected."
	case n == 1:
		return "1 of " + strconv.Itoa(all) + " Runtimes is connected."
	}
	return strconv.Itoa(n) + " of " + strconv.Itoa(all) + " Runtimes are connected."
}

// verdict heads the screen. How many are connected stands above it, in the header.
func (v RuntimesView) verdict() Verdict {
	own := v.own()
	switch {
	case own != nil:
		verdict := ownVerdict(*own)
		switch {
		case own.LastError != "" && own.State != "online":
			verdict.More = "Last error: " + short(own.LastError)
		case own.Online && !own.LastSeen.IsZero():
			verdict.More = "Its last heartbeat came " + ago(v.Now, own.LastSeen) + "."
		}
		return verdict
	case v.connected() > 0:
		return Verdict{Badge{ToneOK, "plug", "Connected"}, "The lab runs without a Runtime of its own.", ""}
	}
	return Verdict{Badge{ToneNeutral, "unplug", "Not connected"}, "The lab runs without a Runtime of its own.", countOf(len(v.Runtimes), "device") + " may connect."}
}

// RailState is what the rail says of the Runtimes. The zero value says nothing.
type RailState struct {
	Badge
	Says string // a sentence
}

// RailOf words it for a list, or for a list that could not be read. The lab's own Runtime speaks for the list if there
// is one.
func RailOf(v RuntimesView) RailState {
	if v.Error != "" {
		return RailState{Badge{ToneProblem, "problem", "not read"}, "The list of Runtimes could not be read."}
	}
	if len(v.Runtimes) == 0 {
		return RailState{Badge{ToneNeutral, "unplug", "none"}, "No Runtime may connect yet."}
	}
	verdict := v.verdict()
	badge := verdict.Badge
	if v.own() == nil {
		badge.Word = strconv.Itoa(v.connected()) + " online"
		return RailState{badge, v.counts()}
	}
	badge.Word = "lab: " + lower(badge.Word)
	return RailState{badge, verdict.Line}
}
