package lab_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"parley/app/desktop/lab"
)

func nobody() (string, int, bool, error) { return "", 0, false, nil }

func TestOpenStartsAChildAndEndsIt(t *testing.T) {
	t.Parallel()
	l, err := lab.Open(nobody, command(t, "serves"))
	if err != nil {
		t.Fatalf("Open: got %v, want a lab", err)
	}
	if want := "http://127.0.0.1:7/open?token=t"; l.OpenURL != want {
		t.Errorf("got open URL %q, want %q", l.OpenURL, want)
	}
	if err := syscall.Kill(l.PID, 0); err != nil {
		t.Errorf("signal the child before Close: got %v, want it to run", err)
	}
	for range 2 { // Close may be repeated
		if err := l.Close(); err != nil {
			t.Errorf("Close: got %v, want no error", err)
		}
	}
	if err := syscall.Kill(l.PID, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("signal the child after Close: got %v, want %v", err, syscall.ESRCH)
	}
	<-l.Ended()
}

func TestOpenAttachesAndLeavesTheLabAlone(t *testing.T) {
	t.Parallel()
	running := func() (string, int, bool, error) { return "http://127.0.0.1:7/open?token=x", os.Getpid(), true, nil }
	refused := command(t, "fails")
	l, err := lab.Open(running, refused)
	if err != nil {
		t.Fatalf("Open: got %v, want the running lab", err)
	}
	if refused.Process != nil {
		t.Error("a child was started beside a running lab")
	}
	if err := l.Close(); err != nil {
		t.Errorf("Close: got %v, want no error", err)
	}
	if l.Ended() != nil {
		t.Error("Ended: got a channel, want none for a lab of somebody else")
	}
}

func TestOpenSaysWhyThereIsNoLab(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"fails":   "did not become ready",
		"talks":   "no readiness line",
		"refuses": "the port is taken",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, err := lab.Open(nobody, command(t, how))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want one with %q", err, want)
			}
		})
	}
}

func TestOpenStartsWhereNobodyCouldLook(t *testing.T) {
	t.Parallel()
	cause := errors.New("no permission")
	blind := func() (string, int, bool, error) { return "", 0, false, cause }
	l, err := lab.Open(blind, command(t, "serves"))
	if err != nil {
		t.Fatalf("Open: got %v, want a lab", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("Close: got %v, want no error", err)
	}
	if _, err := lab.Open(blind, command(t, "fails")); !errors.Is(err, cause) {
		t.Errorf("got error %v, want it to wrap %v", err, cause)
	}
}

// Two windows opened together: the second lab is refused, and by then the first one runs.
func TestOpenAttachesAfterALostRace(t *testing.T) {
	t.Parallel()
	looks := 0
	late := func() (string, int, bool, error) {
		looks++
		return "http://127.0.0.1:7/open?token=x", os.Getpid(), looks > 1, nil
	}
	l, err := lab.Open(late, command(t, "refuses"))
	if err != nil {
		t.Fatalf("Open: got %v, want the lab that won", err)
	}
	if l.PID != os.Getpid() {
		t.Errorf("got process %d, want %d", l.PID, os.Getpid())
	}
}

func TestCloseKillsAChildThatStays(t *testing.T) {
	t.Parallel()
	l, err := lab.Open(nobody, command(t, "stays"))
	if err != nil {
		t.Fatalf("Open: got %v, want a lab", err)
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Close: got %v, want an error that says it was killed", err)
	}
	<-l.Ended()
}

func TestPagesHoldTheirTextAsData(t *testing.T) {
	t.Parallel()
	hostile := `</script><script>alert(1)</script>`
	for _, tc := range []struct {
		name, got, want string
	}{
		{"leading", body(t, lab.Leading("http://127.0.0.1:7/open?token=t")), `location.replace("http://127.0.0.1:7/open?token=t")`},
		{"leading, hostile", body(t, lab.Leading(hostile)), `location.replace("\u003c/script\u003e`},
		{"failed, hostile", body(t, lab.Failed(errors.New(hostile))), `&lt;/script&gt;`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(tc.got, tc.want) {
				t.Errorf("got page %q, want it to contain %q", tc.got, tc.want)
			}
			if strings.Contains(tc.got, hostile) {
				t.Errorf("got page %q, want no markup from data", tc.got)
			}
		})
	}
}

// body is what a handler answers.
func body(t *testing.T, h http.Handler) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
	return recorder.Body.String()
}
