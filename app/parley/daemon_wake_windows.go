package main

import "os"

// notifyWake subscribes to nothing: there is no such signal here, --wake-after is the way.
func notifyWake(chan<- os.Signal) {}
