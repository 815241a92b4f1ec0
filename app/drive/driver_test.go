package drive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/app/drive"
	"parley/daemon/wiretest"
)

// What a person asks for and cannot have is told with what there is.
func TestRequestsThatCannotBeDone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.start("there")
	for _, tt := range []struct{ line, want string }{
		{`{"do":"dance","device":"one"}`, `do: expected connected, observe or an act (cancel, export, function_result, prepare, quiesce, read, release, resume, runtime_prepare, start, steer, write), found "dance"`},
		{`{"do":"observe","of":"weather","id":"x"}`, `observe: of: expected one of preparation, run, cancel`},
		{`{"do":"observe","of":"run","id":"x"}`, `observe: nothing observes run "x"; the last ones that an act began: ["there"]`},
		{`{"do":"release","id":"p","device":"two","payload":{"handle":"h"}}`, `device "two" is not connected`},
		{`{"do":"release","id":"p","payload":{"handle":7}}`, `release "p": payload.handle: expected a string, found a number (wire 3.7)`},
		{`{"do":"release","id":"p","payload":{}}`, `payload.handle: expected text, found nothing (wire 3.7)`},
		{`{"do":"release","id":"p","payload":{"handle":"h","hande":"h"}}`, `payload.hande: expected a member of execution_release, found one that it does not have (wire 3.7)`},
		{`{"do":"release","payload":{"handle":"h"}}`, `id: expected an id that is not blank, found "" (wire 1.2)`},
	} {
		if got := b.line(tt.line); !strings.Contains(got["error"], tt.want) {
			t.Errorf("%s: got %v, want %q", tt.line, got, tt.want)
		}
	}
}

// A request that names no device means the lab's own, and the reply says which that is.
func TestReplyNamesTheOwnDevice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, line := range []string{`{"do":"connected"}`, `{"do":"release","id":"p","payload":{"handle":"h"}}`} {
		if got := b.line(line); got["device"] != "one" || got["error"] != "" {
			t.Errorf("%s: got %v, want the device one", line, got)
		}
	}
	if got := b.line(`{"do":"connected","device":"one"}`); len(got) != 0 {
		t.Errorf("a named device: got %v, want nothing more", got)
	}
	none := drive.New(b.gateway, drive.Devices{})
	defer none.Close()
	if _, err := none.Own(); err == nil || !strings.Contains(err.Error(), `"device":ID`) {
		t.Errorf("without one of its own: got %v, want how to name one", err)
	}
}

// A device that does not exist is refused at once, one that is only away after the wait.
func TestDevicesThatAreNotConnected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	d := drive.New(b.gateway, drive.Devices{Known: func(_ context.Context, id string) error {
		if id == "away" {
			return nil
		}
		return fmt.Errorf("no device has the id %q", id)
	}})
	defer d.Close()
	if err := d.Connected(t.Context(), "nobody"); err == nil || err.Error() != `no device has the id "nobody"` {
		t.Errorf("got %v, want it refused", err)
	}
	if err := d.Do(t.Context(), wiretest.Act{Do: "release", Device: "nobody", ID: "p", Payload: json.RawMessage(`{"handle":"h"}`)}); err == nil || !strings.Contains(err.Error(), `no device has the id "nobody"`) {
		t.Errorf("got %v, want it refused", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := d.Connected(ctx, "away"); err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `device "away": not connected within 0 s`) {
		t.Errorf("got %v, want that it did not connect in time", err)
	}
}

// line does one line and gives the texts of its reply.
func (b *bench) line(line string) map[string]string {
	b.t.Helper()
	var out strings.Builder
	if err := wiretest.DriveLoop(b.t.Context(), strings.NewReader(line), &out, b.driver); err != nil {
		b.t.Fatal(err)
	}
	var reply map[string]string
	if err := json.Unmarshal([]byte(out.String()), &reply); err != nil {
		b.t.Fatalf("%s: %v", out.String(), err)
	}
	return reply
}
