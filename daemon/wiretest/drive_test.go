package wiretest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"parley/daemon/wiretest"
)

// echoDriver observes what it was told to do.
type echoDriver struct{ acts []wiretest.Act }

func (d *echoDriver) Connected(_ context.Context, device string) error {
	if device != "runtime" {
		return errors.New("no such device")
	}
	return nil
}

func (d *echoDriver) Do(_ context.Context, act wiretest.Act) error {
	d.acts = append(d.acts, act)
	return nil
}

func (d *echoDriver) Observe(_ context.Context, of wiretest.Watch, wait time.Duration) (wiretest.Observation, error) {
	if of.Of != "run" || wait != 50*time.Millisecond {
		return wiretest.Observation{}, errors.New("not that")
	}
	return wiretest.Observation{Frame: "done", Payload: json.RawMessage(`{"content":"x"}`)}, nil
}

// A driver behind lines of JSON does what it does without them.
func TestDriverOverLines(t *testing.T) {
	t.Parallel()
	requestsIn, requestsOut := io.Pipe()
	repliesIn, repliesOut := io.Pipe()
	served := &echoDriver{}
	ended := make(chan error, 1)
	go func() { ended <- wiretest.DriveLoop(t.Context(), requestsIn, repliesOut, served) }()
	driver := wiretest.DriveOver(requestsOut, repliesIn)
	act := wiretest.Act{Do: "write", Device: "runtime", ID: "x", Payload: json.RawMessage(`{"step":"begin"}`), Body: []byte("hello")}
	if err := driver.Do(t.Context(), act); err != nil || len(served.acts) != 1 || string(served.acts[0].Body) != "hello" ||
		string(served.acts[0].Payload) != `{"step":"begin"}` || served.acts[0].ID != "x" {
		t.Errorf("got %+v (%v), want %+v", served.acts, err, act)
	}
	seen, err := driver.Observe(t.Context(), wiretest.Watch{Of: "run", ID: "run"}, 50*time.Millisecond)
	if err != nil || seen.Frame != "done" || string(seen.Payload) != `{"content":"x"}` {
		t.Errorf("got %+v (%v), want done", seen, err)
	}
	if err := errors.Join(driver.Connected(t.Context(), "runtime"), nil); err != nil {
		t.Errorf("got %v, want connected", err)
	}
	if err := driver.Connected(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "no such device") {
		t.Errorf("got %v, want the driver's own words", err)
	}
	_ = requestsOut.Close()
	if err := <-ended; err != nil {
		t.Errorf("got the loop ended by %v, want nil", err)
	}
}

// Replies that are none are told, and a process that ended too.
func TestRepliesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reply, want string }{
		{"", "unexpected EOF"}, {"hello\n", "one JSON object a line"}, {"{}\n", "expected an observation"}, {`{"error":"broken"}` + "\n", "driver: broken"},
	} {
		driver := wiretest.DriveOver(io.Discard, strings.NewReader(tt.reply))
		if _, err := driver.Observe(t.Context(), wiretest.Watch{}, time.Second); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.reply, err, tt.want)
		}
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := wiretest.DriveLoop(t.Context(), strings.NewReader("hello\n"), &out, &echoDriver{}); err != nil || !strings.Contains(out.String(), `"error":"read request`) {
		t.Errorf("got %q (%v), want an error in the reply", out.String(), err)
	}
}

// ackDriver observes one receipt of a cancellation, whatever is asked.
type ackDriver struct{ receipt string }

func (ackDriver) Connected(context.Context, string) error { return nil }
func (ackDriver) Do(context.Context, wiretest.Act) error  { return nil }

func (d ackDriver) Observe(context.Context, wiretest.Watch, time.Duration) (wiretest.Observation, error) {
	return wiretest.Observation{Result: json.RawMessage(d.receipt)}, nil
}

// What Core observes counts as much as what it sends. // behaviour 10
func TestWrongObservationsAreCaught(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		receipt string
		want    wiretest.Verdict
	}{
		{`{"delivery_id":"cancel","applied":false,"error_code":"run_inactive"}`, wiretest.Passed},
		{`{"delivery_id":"cancel","applied":true}`, wiretest.Failed},
	} {
		for _, s := range scenarios(t) {
			if s.Name != "cancel_of_no_run" {
				continue
			}
			result, err := wiretest.ScriptedWith(t.Context(), ackDriver{tt.receipt}, s, s, wiretest.Core, 5*time.Second)
			if err != nil || result.Verdict != tt.want || result.Failure != nil && result.Failure.Step != 3 {
				t.Errorf("%s: got %v\n%s, want %s", tt.receipt, err, told(result), tt.want)
			}
		}
	}
}
