package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"parley/backend/server"
	"parley/runner"
	"parley/runner/admission"
	"parley/runner/attempt"
	"parley/runner/cases"
)

// Paths of the measured server: the product's own route and the baselines beside it.
const (
	productPath = "/api/v1/runner/negotiate"
	barePath    = "/bare"
	scanPath    = "/scan"
)

// benchNegotiate is B3: negotiation over HTTP against a bare Echo handler that reads the body and returns the same
// answer, on the same server and connection.
func benchNegotiate(r *report, _ string) error {
	for _, example := range []struct{ name, body string }{{"compact", cases.C0}, {"complete", cases.M0}} {
		client, stop, err := negotiationServer(example.body)
		if err != nil {
			return err
		}
		f, err := pairs(rate(client.asks(barePath, example.body)), rate(client.asks(productPath, example.body)))
		if err != nil {
			return err
		}
		r.add("B3 "+example.name, f, goal{Must: 0.60, Aim: 0.70, Good: atLeast})
		f, err = pairs(worst(client.asks(barePath, example.body)), worst(client.asks(productPath, example.body)))
		if err != nil {
			return err
		}
		r.add("B3 "+example.name+" p99", f, goal{Must: 2.5, Good: atMost})
		stop()
	}
	return nil
}

// benchLargeNegotiate is B3's request of 4 MiB: time against reading, hashing and strictly scanning the same bytes, and
// memory against the body.
func benchLargeNegotiate(r *report, _ string) error {
	const mark = `"eval":"`
	at := strings.Index(cases.M0, mark) + len(mark)
	body := cases.M0[:at] + strings.Repeat("x", runner.MaxDocumentBytes-len(cases.M0)) + cases.M0[at:]
	client, stop, err := negotiationServer(body)
	if err != nil {
		return err
	}
	defer stop()
	scan, product := client.asks(scanPath, body), client.asks(productPath, body)
	f, err := pairs(seconds(scan), seconds(product))
	if err != nil {
		return err
	}
	r.add("B3 4 MiB time", f, goal{Must: 3, Good: atMost})
	memory, err := allocated(product, len(body))
	if err != nil {
		return err
	}
	r.add("B3 4 MiB memory", figures{Min: memory, Median: memory, Max: memory}, goal{Must: 6, Good: atMost, Hard: true})
	return nil
}

// seconds gives the mean time of one piece of work.
func seconds(work func() error) measure {
	each := rate(work)
	return func() (float64, error) {
		perSecond, err := each()
		return 1 / perSecond, err
	}
}

// worst gives the 99th percentile of one window, in seconds.
func worst(work func() error) measure {
	return func() (float64, error) {
		all, err := percentiles(work, 99)()
		if err != nil {
			return 0, err
		}
		return all[0], nil
	}
}

// allocated gives the bytes that one request allocates, garbage included, as a multiple of its body: an upper bound of
// what it holds at a time.
func allocated(work func() error, body int) (float64, error) {
	const times = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if err := work(); err != nil {
			return 0, err
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / times / float64(body), nil
}

// negotiationServer serves the product and its baselines on one listener, and gives one keep-alive connection to it.
func negotiationServer(body string) (*client, func(), error) {
	service, err := attempt.New(attempt.Options{Factories: attempt.Factories(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	product, err := server.New(server.Options{Runner: service, Now: time.Now, Log: slog.New(slog.DiscardHandler), Exposed: true})
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	baselines := bare(runner.Encode(admission.Negotiate([]byte(body))))
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == productPath {
			product.ServeHTTP(w, r)
			return
		}
		baselines.ServeHTTP(w, r)
	})}
	go func() { _ = web.Serve(listener) }() // ends with Close
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	return newClient(conn), func() { _ = conn.Close(); _ = web.Close() }, nil
}

// bare answers like the product without doing its work.
func bare(answer []byte) http.Handler {
	e := echo.New()
	e.POST(barePath, func(c echo.Context) error {
		if _, err := io.ReadAll(c.Request().Body); err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, answer)
	})
	e.POST(scanPath, func(c echo.Context) error {
		body, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		_ = sha256.Sum256(body)
		if _, err := jsontext.NewDecoder(bytes.NewBuffer(body)).ReadValue(); err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		return c.JSONBlob(http.StatusOK, answer)
	})
	return e
}
