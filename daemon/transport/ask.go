package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"parley/daemon/proto"
)

// ask posts a JSON document to a machine route, within 10 s and without following redirects, and gives the body of a
// 200 of at most limit bytes (behaviour 2.3, 3.1). Its errors name the host alone: an address may hold a secret.
func ask(ctx context.Context, client *http.Client, action string, address *url.URL, question any, credential string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, proto.BootstrapTimeout)
	defer cancel()
	response, err := post(ctx, client, address, question, credential)
	if err != nil {
		return nil, unreached(action, address.Host, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s at %s: read answer: %w", action, address.Host, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, refusedAt(address.Host, readRefusal(action, response.StatusCode, body, credential))
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("%s at %s: read answer: over the limit of %d bytes", action, address.Host, limit)
	}
	return body, nil
}

func post(ctx context.Context, client *http.Client, address *url.URL, question any, credential string) (*http.Response, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("make request: server_url is not usable")
	}
	request.Header.Set("Authorization", "Bearer "+credential)
	request.Header.Set("Content-Type", "application/json")
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return direct.Do(request)
}

// unreached words an error of the network. The client's own holds the URL and is taken apart.
func unreached(action, host string, err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	_, refused := errors.AsType[*net.OpError](err)
	if refused || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no Core answers at %s; %w (%w)", host, ErrNoAnswer, err)
	}
	return fmt.Errorf("%s at %s: %w", action, host, err)
}

// refusedAt tells Core's refusals from the answers of other servers: Core's have a code. One of 5xx without a code may
// come from a proxy before a Core.
func refusedAt(host string, refusal *StatusError) error {
	if refusal.Code == "" && refusal.Status < http.StatusInternalServerError {
		return fmt.Errorf("%s is %w (%w)", host, ErrNotCore, refusal)
	}
	return fmt.Errorf("answer of Core at %s: %w", host, refusal)
}
