package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// apiError is a refusal of Core's API.
type apiError struct {
	Status  int    `json:"-"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// api sends one request to Core's API; value becomes its body unless it is nil. The caller closes the answer's body.
func (l labClient) api(ctx context.Context, method, path string, value any) (*http.Response, error) {
	var body io.Reader
	if value != nil {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, l.url+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask the lab: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+l.key)
	request.Header.Set("OpenAI-Beta", "agents=v1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the lab: %w", err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer response.Body.Close()
		return nil, refusalOf(response)
	}
	return response, nil
}

func refusalOf(response *http.Response) error {
	const most = 64 << 10 // more than any refusal has
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return fmt.Errorf("read the lab's answer: %w", err)
	}
	var refusal struct {
		Error *apiError `json:"error"`
	}
	if json.Unmarshal(text, &refusal) != nil || refusal.Error == nil {
		return fmt.Errorf("ask the lab: status %d: %s", response.StatusCode, bytes.TrimSpace(text))
	}
	refusal.Error.Status = response.StatusCode
	return refusal.Error
}

// document sends a request and gives the document that answers it.
func (l labClient) document(ctx context.Context, method, path string, value any) (json.RawMessage, error) {
	response, err := l.api(ctx, method, path, value)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the lab's answer: %w", err)
	}
	return text, nil
}

// shownSession is what the commands read of a Session.
type shownSession struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Agent  struct {
		Name string `json:"name"`
	} `json:"agent"`
	Required []struct {
		CallID    string          `json:"call_id"`
		Name      string          `json:"name"`
		TurnID    string          `json:"turn_id"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"required_actions"`
	CreatedAt    int64 `json:"created_at"`
	LastActiveAt int64 `json:"last_active_at"`
	Core         struct {
		LastEventID int64 `json:"last_event_id"`
	} `json:"x_agents_core"`
}

const sessionsPath = "/v1/agents/sessions"

func sessionPath(id string) string { return sessionsPath + "/" + url.PathEscape(id) }

// session reads a Session, also as the document that it is.
func (l labClient) session(ctx context.Context, id string) (shownSession, json.RawMessage, error) {
	var session shownSession
	text, err := l.document(ctx, http.MethodGet, sessionPath(id), nil)
	if err == nil {
		err = json.Unmarshal(text, &session)
	}
	return session, text, err
}

// addEvent gives a Session one input event.
func (l labClient) addEvent(ctx context.Context, id string, event map[string]any) error {
	_, err := l.document(ctx, http.MethodPost, sessionPath(id)+"/events", map[string]any{"events": []any{event}})
	return err
}
