//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyWake subscribes to the signal that brings a suspended Runtime back.
func notifyWake(signals chan<- os.Signal) { signal.Notify(signals, syscall.SIGUSR1) }
