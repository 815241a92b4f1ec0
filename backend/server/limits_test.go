package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley/backend/server"
)

// runner 7.2: a stop is bounded. A handler that does not end is cut off, and the stop says how many there were.
func TestStopSaysWhatItCutOff(t *testing.T) {
	t.Parallel()
	started, finish := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(started); <-finish }) // deaf to its context
	face := server.NewFace(t.Context(), handler, slog.New(slog.DiscardHandler))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- face.Serve(l) }()
	asked := make(chan error, 1)
	go func() {
		response, err := http.Get("http://" + l.Addr().String())
		if err == nil {
			response.Body.Close()
		}
		asked <- err
	}()
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the time to stop in is over
	err = face.Stop(ctx)
	var unfinished *server.UnfinishedError
	if !errors.As(err, &unfinished) || unfinished.Requests != 1 || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("got %v, want an UnfinishedError with one request", err)
	}
	if err := <-asked; err == nil {
		t.Error("the client got an answer, want its end")
	}
	if err := <-served; err != nil {
		t.Errorf("serve: got %v, want none", err)
	}
	close(finish)
}
