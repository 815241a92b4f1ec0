//go:build desktop && linux

package main

/*
#include <signal.h>
#include <stddef.h>

static void onstack(int s) {
	struct sigaction a;
	if (sigaction(s, NULL, &a) != 0 || (a.sa_flags & SA_ONSTACK)) return;
	a.sa_flags |= SA_ONSTACK;
	sigaction(s, &a, NULL);
}

static void all_onstack(void) {
	onstack(SIGSEGV);
	onstack(SIGBUS);
	onstack(SIGFPE);
	onstack(SIGABRT);
}
*/
import "C"

import (
	"context"
	"time"
)

const (
	// signalWatch is how long handlers are looked at: WebKit replaces them when the first page loads, about 0.3 s after
	// the start.
	signalWatch = 10 * time.Second
	signalEvery = 20 * time.Millisecond
)

// keepGoSignals gives Go's runtime its fault signals back. WebKit installs handlers without SA_ONSTACK, after which any
// fault in Go code, also one that recover would catch, ends the program. It must be called before the window opens; its
// goroutine ends with the context or after signalWatch.
func keepGoSignals(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, signalWatch)
	go func() {
		defer cancel()
		tick := time.NewTicker(signalEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				C.all_onstack()
			}
		}
	}()
}
