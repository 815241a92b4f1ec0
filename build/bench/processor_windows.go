package main

import (
	"fmt"
	"syscall"
	"time"
)

// processorTime is what this process has used so far.
func processorTime() (time.Duration, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	return span(kernel) + span(user), nil
}

// span reads a Filetime as the duration that it is here, in units of 100 ns.
func span(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
