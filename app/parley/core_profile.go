package main

import (
	"fmt"
	"net/url"
	"strings"

	"parley/backend/store"
	"parley/daemon"
)

// apiRoot is what follows the origin in a profile (behaviour 2.2).
const apiRoot = "/api/v1"

// profileOf is the file of a Runtime that runs by itself (behaviour 2.2). The binding is there for a bound device only.
func profileOf(d store.Device, secret, origin string) daemon.Profile {
	return daemon.Profile{ServerURL: origin + apiRoot, RuntimeID: d.ID, RunnerCredential: secret, DeviceName: d.Name,
		EnvironmentID: d.EnvironmentID, SessionID: d.SessionID, WorkspaceDirectory: d.WorkspaceDirectory}
}

// originOf takes the address of a lab as a person writes it: an origin, perhaps with the root of its API.
func originOf(given string) (string, error) {
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" ||
		strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), apiRoot) != "" {
		return "", fmt.Errorf("expected an origin such as http://127.0.0.1:7007 or https://lab.example, found %q", given)
	}
	return u.Scheme + "://" + u.Host, nil
}
