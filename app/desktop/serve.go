//go:build desktop

package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"parley/app"
	"parley/app/desktop/lab"
)

// anyPort is the address of a lab where the usual port is taken by another program. Pages are then of another origin,
// so the browser's own store (the theme) starts empty.
const anyPort = "127.0.0.1:0"

// serve is the lab of a window: it ends when its standard input closes, with the window that started it.
func serve(c choices) error {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	err := app.Serve(ctx, config(c))
	var taken *app.AddressError
	if c.addr == "" && errors.As(err, &taken) {
		c.addr = anyPort
		err = app.Serve(ctx, config(c))
	}
	if err != nil {
		lab.Refuse(os.Stdout, err)
	}
	return err
}

func config(c choices) app.Config {
	return app.Config{
		Addr: c.addr, Data: c.data, NoOpen: true, JSON: true, StopWithStdin: true,
		Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
}
