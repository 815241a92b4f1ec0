package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"parley/app/data"
	"parley/backend/server"
	"parley/backend/store"
)

const (
	listPatience = 3 * time.Second // for the lab's answer
	largestList  = 16 << 20        // of that answer, in bytes
	namedDevices = 8               // in one check
)

// examineRuntimes asks the lab that runs on the folder for its Runtimes; without one nothing can be online.
func examineRuntimes(ctx context.Context, folder data.Folder) []Check {
	held, err := folder.Held()
	if err != nil || !held {
		return []Check{countDevices(ctx, folder)}
	}
	list, err := askRuntimes(ctx, folder)
	if err != nil {
		return []Check{{"devices", unknown, "the lab was asked for its Runtimes: " + err.Error(), "look at the lab's log, or again when it has started"}}
	}
	own := Check{"runtime", note, "the lab runs without a Runtime of its own", "start parley serve without --no-daemon to have one"}
	var others []string
	online := 0
	for _, r := range list.List {
		if r.Own {
			own = examineOwn(r)
			continue
		}
		if r.Online {
			online++
		}
		others = append(others, r.Name+": "+presence(r))
	}
	return []Check{own, tellDevices(others, online, list.Revoked)}
}

// countDevices says how many devices there are where no lab can be asked; a database that is not sound has a check of
// its own.
func countDevices(ctx context.Context, folder data.Folder) Check {
	facts, err := store.Inspect(ctx, folder.Database(), false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Check{"devices", ok, "no device yet", ""}
	case err != nil || facts.Devices < 0:
		return Check{"devices", unknown, "how many devices may connect is not known", "parley core device list lists them"}
	}
	return Check{"devices", ok, fmt.Sprintf("%d may connect; none is online, as no lab runs", facts.Devices), ""}
}

func askRuntimes(ctx context.Context, folder data.Folder) (server.Runtimes, error) {
	var list server.Runtimes
	holder, err := folder.Holder()
	if err != nil {
		return list, err
	}
	if holder.URL == "" {
		return list, errors.New("it names no address: it is starting or ending, or serves other machines only")
	}
	key, err := folder.APIKey()
	if err != nil {
		return list, err
	}
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	question, err := http.NewRequestWithContext(ctx, http.MethodGet, holder.URL+"/api/v1/lab/runtimes", nil)
	if err != nil {
		return list, err
	}
	question.Header.Set("Authorization", "Bearer "+key)
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(question) // no proxy and no redirect gets the key
	if err != nil {
		return list, err
	}
	defer answer.Body.Close() // a failure to close changes nothing
	if answer.StatusCode != http.StatusOK {
		return list, fmt.Errorf("expected status 200, found %d", answer.StatusCode)
	}
	return list, json.NewDecoder(io.LimitReader(answer.Body, largestList)).Decode(&list)
}

// examineOwn words the lab's own Runtime, which should be online.
func examineOwn(r server.Runtime) Check {
	if r.Online && r.State == "online" {
		return Check{"runtime", ok, "the lab's own Runtime is " + presence(r), ""}
	}
	says := "the lab's own Runtime is " + r.State
	if r.LastError != "" {
		says += ": " + r.LastError
	}
	do := "look again in a moment; the page Runtimes tells what it waits for"
	if r.State == "suspended" {
		do = "wake it on the page Runtimes"
	}
	return Check{"runtime", note, says, do}
}

// presence says whether a Runtime is connected and what it offers.
func presence(r server.Runtime) string {
	switch {
	case !r.Online:
		return "not connected"
	case !r.Declared:
		return "online, what it offers is not known yet"
	}
	var kinds []string
	for _, k := range r.Kinds {
		if k.Available {
			kinds = append(kinds, k.Kind)
		}
	}
	if len(kinds) == 0 {
		return "online, offers no harness"
	}
	return "online, offers " + strings.Join(kinds, ", ")
}

func tellDevices(others []string, online, revoked int) Check {
	says := fmt.Sprintf("%d other devices may connect, %d online", len(others), online)
	switch len(others) {
	case 0:
		says = "no other device may connect"
	case 1:
		says = fmt.Sprintf("1 other device may connect, %d online", online)
	}
	if revoked > 0 {
		says += fmt.Sprintf("; %d revoked", revoked)
	}
	if len(others) > 0 {
		says += " (" + strings.Join(others[:min(len(others), namedDevices)], "; ") + more(len(others)-namedDevices) + ")"
	}
	return Check{"devices", ok, says, ""}
}

// examineHarnesses tells what a Runtime of this program offers on this machine.
func examineHarnesses() Check {
	registry, err := Harnesses()
	if err != nil {
		return Check{"harnesses", broken, err.Error(), "use another build of parley"}
	}
	var kinds []string
	for _, k := range registry.Kinds() {
		name := k.Kind
		if k.Version != "" {
			name += " " + k.Version
		}
		if !k.Available {
			name += " (not available)"
		}
		kinds = append(kinds, name)
	}
	return Check{"harnesses", ok, "a Runtime of this program offers " + strings.Join(kinds, ", "), ""}
}
