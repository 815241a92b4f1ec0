package main

import "os/exec"

// inOwnGroup leaves the command as it is: its end is that of the shell's process.
func inOwnGroup(*exec.Cmd) {}
