//go:build desktop && !linux

package main

import "context"

// keepGoSignals has nothing to repair where the window is not WebKitGTK.
func keepGoSignals(context.Context) {}
