package frontend

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/daemon/proto"
)

const (
	shownKinds  = 16                  // kinds of one Runtime that are shown
	freshName   = "quay-east"         // of the device in the commands
	profileFile = freshName + ".json" // its profile
	longWord    = 32                  // bytes of a word that a command may break within
)

// createCommand and listCommand work on the lab's own data folder, wherever they are typed.
func createCommand(data string) string {
	return "parley core device create " + freshName + " --out " + profileFile + dataFlag(data)
}

func listCommand(data string) string { return "parley core device list" + dataFlag(data) }

func dataFlag(data string) string {
	if data == "" {
		return ""
	}
	return " --data " + shellWord(data)
}

// shellWord quotes a word for a shell where it needs it.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func connectCommand() string { return "parley daemon connect --profile " + profileFile }

func runtimePath(id string) string { return "/runtimes/" + url.PathEscape(id) }

// ago is the age of a time for a person, in the largest whole unit.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Second:
		return "just now"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s ago"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min ago"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h ago"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " days ago"
}

// near is a time of day, or the day alone where it was another one.
func near(now, t time.Time) string {
	if now.Format(time.DateOnly) == t.Format(time.DateOnly) {
		return clock(t)
	}
	return t.Format(time.DateOnly)
}

// count is a number with its thousands apart.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// words of an end: the side, the code, and what Core gave or found as its reason.
func (e EndView) words() string {
	text := "closed by the Runtime"
	if e.ByCore {
		text = "closed by Core"
	}
	if e.Code == 0 {
		text = "broke off without a closing code"
	} else {
		text += ", code " + strconv.Itoa(e.Code)
	}
	if e.Why != "" {
		text += ": " + short(e.Why)
	}
	return text
}

// role says whose Runtime it is.
func (r RuntimeView) role() string {
	if r.Own {
		return "the lab’s own Runtime"
	}
	return "a Runtime that was added"
}

// attempts says how many attempts to connect failed since the last that did not.
func (r RuntimeView) attempts() string {
	switch {
	case r.Failures == 0:
		return "none failed"
	case r.Failures == 1:
		return "1 failed"
	}
	return strconv.Itoa(r.Failures) + " failed in a row"
}

// silentWhy says why nothing is known of the kinds.
func (r RuntimeView) silentWhy() string {
	if r.Online {
		return "Unknown until the first valid heartbeat of this connection."
	}
	return "Unknown: there is no connection, and nothing of an earlier one counts."
}

func (k KindView) badge() Badge {
	if k.Available {
		return Badge{ToneOK, "ok", "Available"}
	}
	return Badge{ToneNeutral, "skip", "Not available"}
}

// summary counts what the kind supports.
func (k KindView) summary() string {
	n := 0
	for _, c := range declared(k) {
		if c.Badge.Word == "supported" {
			n++
		}
	}
	return strconv.Itoa(n) + " of " + strconv.Itoa(int(proto.CapabilityCount)) + " capabilities supported"
}

// capability is one field of a declaration: supported, unsupported or unknown.
type capability struct {
	Name  string
	Badge Badge
}

// declared lists every capability as a kind declares it. A declaration is complete, so what is not supported is
// unsupported (wire 4.1).
func declared(k KindView) []capability {
	supported := map[string]bool{}
	for _, name := range k.Capabilities {
		supported[name] = true
	}
	return capabilities(func(name string) Badge {
		if supported[name] {
			return Badge{ToneOK, "ok", "supported"}
		}
		return Badge{ToneNeutral, "skip", "unsupported"}
	})
}

// undeclared lists every capability as unknown.
func undeclared() []capability {
	return capabilities(func(string) Badge { return Badge{ToneNeutral, "unknown", "unknown"} })
}

func capabilities(judge func(name string) Badge) []capability {
	list := make([]capability, 0, proto.CapabilityCount)
	for c := range proto.CapabilityCount {
		list = append(list, capability{c.String(), judge(c.String())})
	}
	return list
}
