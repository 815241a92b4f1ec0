package gateway

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// who is what a request says of itself, as given: nothing of it is proved.
type who struct {
	device, environment string
	version             string // of the wire, at the upgrade
}

// by puts a refusal in connection with who was refused; other errors stay as they are.
func by(err error, w who) error {
	if no, ok := errors.AsType[*refused](err); ok {
		no.who = w
	}
	return err
}

// noteRefusal logs that a Runtime was turned away, so that the lab's operator sees what the Runtime's sees. A stranger
// may cause as many refusals as it likes, and not as many lines.
func (m *Machine) noteRefusal(r *http.Request, no *refused) {
	status := statusOf(no.code)
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusUpgradeRequired:
	default:
		return
	}
	unsaid, spare := m.refusals.take(m.now())
	if !spare {
		return
	}
	token := bearer(r.Header)
	line := []any{"path", r.URL.Path, "status", status, "code", string(no.code)}
	for _, part := range []struct{ name, text string }{
		{"device", no.who.device}, {"environment", no.who.environment}, {"version", no.who.version},
	} {
		// A credential in the wrong place is one all the same.
		if part.text != "" && (token == "" || !strings.Contains(part.text, token)) {
			line = append(line, part.name, shorten(part.text))
		}
	}
	if unsaid > 0 {
		line = append(line, "more_since_last", unsaid)
	}
	m.log.Warn("runtime refused", line...)
}

const (
	rationBurst = 10              // lines at once
	rationEvery = 6 * time.Second // for each further one
)

// ration bounds lines of a log. Its zero value is full.
type ration struct {
	mu     sync.Mutex
	spent  int       // lines not yet given back
	since  time.Time // when the last was given back
	unsaid int       // refused since the last line
}

// take asks for a line: whether there is one, and how many were refused before it.
func (r *ration) take(now time.Time) (unsaid int, spare bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if back := int(now.Sub(r.since) / rationEvery); r.spent == 0 || back >= r.spent {
		r.spent, r.since = 0, now
	} else if back > 0 {
		r.spent, r.since = r.spent-back, r.since.Add(time.Duration(back)*rationEvery)
	}
	if r.spent == rationBurst {
		r.unsaid++
		return 0, false
	}
	r.spent++
	unsaid, r.unsaid = r.unsaid, 0
	return unsaid, true
}
