package wiretest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"parley/daemon/proto"
)

// Exchange is one HTTP request to Core and what must come back.
type Exchange struct {
	Method        string
	Path          string // below agent-daemon
	Bearer        any    // nil: no Authorization header
	Query         any
	Body          any // a text as it is, anything else as JSON
	Headers       map[string]string
	Status        int
	Error         string // of the error body
	Reply         any    // pattern of a success body
	AbsentHeaders []string
}

// do runs the exchange; the first result is what was expected, the second what was seen.
func (e *Exchange) do(ctx context.Context, r *scriptedRuntime, v *values) (want, got map[string]any, err error) {
	request, err := e.request(ctx, r.profile.ServerURL, v)
	if err != nil {
		return nil, nil, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("%s %s: %w", e.Method, request.URL.Path, err)
	}
	defer response.Body.Close()
	want, got = map[string]any{"status": int64(e.Status)}, map[string]any{"status": int64(response.StatusCode)}
	for _, name := range e.AbsentHeaders {
		got[name] = response.Header.Get(name)
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		// Closed before Core has registered it, it could take the place of the next scenario's connection.
		r.awaitOnline(ctx, true)
		return want, got, nil
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, proto.MaxBootstrapReply))
	if err != nil {
		return nil, nil, fmt.Errorf("%s %s: read the answer: %w", e.Method, request.URL.Path, err)
	}
	body, err := plain(data)
	if err != nil {
		body = string(data)
	}
	got["body"] = body
	want["body"] = e.Reply
	if e.Error != "" {
		want["body"] = map[string]any{"error": e.Error, opOthers: "any"}
	}
	return want, got, nil
}

func (e *Exchange) request(ctx context.Context, server string, v *values) (*http.Request, error) {
	query := url.Values{}
	if members, isObject := v.send(e.Query).(map[string]any); isObject {
		for key, value := range members {
			query.Set(key, fmt.Sprint(value))
		}
	}
	body, isText := v.send(e.Body).(string)
	if !isText && e.Body != nil {
		data, err := json.Marshal(v.send(e.Body))
		if err != nil {
			return nil, fmt.Errorf("encode body: %w", err)
		}
		body = string(data)
	}
	request, err := http.NewRequestWithContext(ctx, e.Method, endpoint(server, e.Path, query), strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	for key, value := range e.Headers {
		request.Header.Set(key, value)
	}
	if e.Bearer != nil {
		request.Header.Set("Authorization", fmt.Sprint(v.send(e.Bearer)))
	}
	return request, nil
}
