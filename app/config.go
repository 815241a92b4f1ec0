package app

import (
	"errors"
	"io"
	"log/slog"
)

// DefaultAddr is where the lab listens: the literal loopback address.
const DefaultAddr = "127.0.0.1:7007"

// Config is what a lab is told. The streams and Getenv are required.
type Config struct {
	Addr              string // host:port; host is a literal address or localhost, port 0 picks a free one
	Data              string // data folder; "" looks in the environment
	NoDaemon          bool   // without the lab's own Runtime
	NoOpen            bool   // leave the browser alone
	JSON              bool   // one readiness line for programs instead of text for people
	Verbose           bool   // log every request
	StopWithStdin     bool   // end when Stdin closes: the window's child does
	DangerouslyListen bool   // allow an address that other machines reach; only the offline runner contract and the machine connection answer there

	Getenv func(string) string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

func (c Config) check() error {
	if c.Getenv == nil || c.Stdin == nil || c.Stdout == nil || c.Stderr == nil {
		return errors.New("serve: environment and streams are required")
	}
	return nil
}

func (c Config) logger() *slog.Logger {
	level := slog.LevelInfo
	if c.Verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(c.Stderr, &slog.HandlerOptions{Level: level}))
}
