package frontend

import (
	"net/url"
	"strconv"
	"time"
)

func sessionPath(id string) string { return "/sessions/" + url.PathEscape(id) }

// turnPath opens a Session where the Turn is shown.
func turnPath(session string, t TurnView) string {
	return sessionPath(session) + "?turn=" + url.QueryEscape(t.ID) + "#" + t.anchor()
}

// earlierPath shows the Turns before the first one that is shown.
func earlierPath(v SessionView) string {
	return sessionPath(v.ID) + "?turn=" + url.QueryEscape(v.Earlier)
}

// actPath is where the page posts an act on a Session.
func actPath(session, act string) string {
	return "/api/v1/lab/sessions/" + url.PathEscape(session) + "/" + act
}

func (t TurnView) anchor() string { return "turn-" + strconv.FormatInt(t.Number, 10) }

func (t TurnView) name() string { return "Turn " + strconv.FormatInt(t.Number, 10) }

// badge is a Session's state in a word.
func (s SessionState) badge() Badge {
	switch s {
	case SessionIdle:
		return Badge{ToneNeutral, "session", "Idle"}
	case SessionWorking:
		return Badge{ToneNeutral, "clock", "In progress"}
	case SessionRequires:
		return Badge{ToneCaution, "function", "Waiting for your answer"}
	case SessionFailed:
		return Badge{ToneProblem, "problem", "Failed"}
	}
	return Badge{ToneNeutral, "unknown", short(orUnknown(string(s)))}
}

// badge is a Turn's status in words.
func (t TurnView) badge() Badge {
	switch t.Status {
	case TurnQueued:
		return Badge{ToneNeutral, "clock", "queued"}
	case TurnRunning:
		return Badge{ToneNeutral, "play", "running"}
	case TurnWaiting:
		return Badge{ToneCaution, "function", "waiting for your answer"}
	case TurnCompleted:
		return Badge{ToneOK, "ok", "completed"}
	case TurnCancelled:
		if t.Started.IsZero() {
			return Badge{ToneNeutral, "cancelled", "cancelled before it started"}
		}
		return Badge{ToneNeutral, "cancelled", "cancelled, confirmed"}
	case TurnFailed:
		return Badge{ToneProblem, "problem", "failed"}
	}
	return Badge{ToneNeutral, "unknown", short(orUnknown(string(t.Status)))}
}

// says is a Session's state in a sentence.
func (v SessionView) says() string {
	t := v.Last
	if t == nil {
		return "No Turn yet: the first message begins one."
	}
	switch t.Status {
	case TurnQueued:
		if v.Runtime != nil && v.Runtime.Online {
			return t.name() + " is queued; it starts when a Runtime takes it."
		}
		return t.name() + " is queued; it starts when a Runtime that can take it is connected."
	case TurnRunning:
		if !t.Cancel.IsZero() {
			return t.name() + " runs; its cancel was asked at " + clock(t.Cancel) + " and is not confirmed yet."
		}
		return t.name() + " runs since " + clock(t.Started) + "."
	case TurnWaiting:
		return t.name() + " asks for " + countOf(max(t.openCalls(), 1), "function result") + "."
	case TurnCompleted:
		return t.name() + " is completed; a message begins the next."
	case TurnCancelled:
		return t.name() + " was cancelled; a message begins the next."
	case TurnFailed:
		return t.name() + " failed. " + faultOf(t.Code).What
	}
	return ""
}

func (t TurnView) openCalls() int {
	n := 0
	for _, item := range t.Items {
		if item.Call != nil && item.Call.State == "open" {
			n++
		}
	}
	return n
}

// span says from when to when a Turn ran.
func (t TurnView) span() string {
	switch {
	case t.ended() && !t.Started.IsZero():
		return clock(t.Started) + " to " + clock(t.Completed) + ", " + lasted(t.Completed.Sub(t.Started))
	case t.ended():
		return "ended " + clock(t.Completed)
	case !t.Started.IsZero():
		return "since " + clock(t.Started)
	}
	return "written " + clock(t.Created)
}

// lasted is a span that was measured to the millisecond.
func lasted(d time.Duration) string {
	if d < time.Millisecond {
		return "under 1 ms"
	}
	return elapsed(d)
}

// words of a measurement; nil is unknown, never zero.
func (u *UsageView) words() string {
	if u == nil {
		return "usage unknown"
	}
	return count(u.Total) + " tokens"
}

// parts are what a measurement is made of.
func (u *UsageView) parts() string {
	if u == nil {
		return "unknown: no Turn of this Session told what it used"
	}
	return count(u.Total) + " tokens: " + count(u.Input) + " in, " + count(u.Cached) + " of them cached; " +
		count(u.Output) + " out, " + count(u.Reasoning) + " of them reasoning"
}

// cancelSteps are what is known of a cancel: that it was asked, and how that came out, apart.
func (t TurnView) cancelSteps() []Badge {
	steps := []Badge{{ToneNeutral, "clock", "asked " + clock(t.Cancel)}}
	end := "at " + clock(t.Completed) + ", after " + lasted(t.Completed.Sub(t.Cancel))
	switch {
	case !t.ended():
		return append(steps, Badge{ToneNeutral, "unchecked", "not confirmed yet"})
	case t.Status == TurnCancelled && t.Started.IsZero():
		return append(steps, Badge{ToneNeutral, "cancelled", "done " + end + ": it had not started"})
	case t.Status == TurnCancelled, t.Code == "cancel_outcome_unavailable":
		return append(steps, Badge{ToneNeutral, "cancelled", "confirmed " + end})
	case t.Status == TurnCompleted:
		return append(steps, Badge{ToneNeutral, "ok", "not needed: the Turn ended by itself " + end})
	}
	return append(steps, Badge{ToneCaution, "unknown", "not confirmed"})
}

// composing says what the message box does now.
func (v SessionView) composing() (label, act string) {
	next := "Turn " + strconv.FormatInt(v.Count+1, 10)
	if v.Last == nil || v.Last.ended() {
		return "Message: begins " + next, "Send, begin " + next
	}
	name := v.Last.name()
	if v.Last.Status == TurnQueued {
		return "Add to " + name + ": it has not started yet", "Add to " + name
	}
	return "Steer " + name + ": joins the running Turn once the Runtime has accepted it", "Steer " + name
}
