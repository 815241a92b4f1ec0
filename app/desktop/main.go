//go:build desktop

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"

	"parley/app"
	"parley/app/desktop/lab"
)

// childArgument makes this program the lab of a window instead of a window.
const childArgument = "serve"

// Exit statuses: a failed lab or window, and misuse of the command line.
const (
	exitFailed = 1
	exitUsage  = 2
)

// errLabEnded says that the lab ended while its window was open.
var errLabEnded = errors.New("the lab ended by itself; its log above says why")

func main() {
	args, run := os.Args[1:], window
	if len(args) > 0 && args[0] == childArgument {
		args, run = args[1:], serve
	}
	o, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(exitUsage)
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "parley-desktop:", err)
		os.Exit(exitFailed)
	}
}

// choices are what the command line leaves to the person. The lab in the child gets the same.
type choices struct {
	data string // data folder, "" looks in the environment
	addr string // address of a lab that this program starts, "" prefers app.DefaultAddr
}

// parse reads the command line. What it cannot read is reported on standard error by the flag package.
func parse(args []string) (choices, error) {
	var c choices
	flags := flag.NewFlagSet("parley-desktop", flag.ContinueOnError)
	flags.StringVar(&c.data, "data", "", "data folder (default: PARLEY_DATA, else parley in the XDG data home)")
	flags.StringVar(&c.addr, "addr", "", "address of a lab that is started here (default: "+app.DefaultAddr+", else any free port)")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "parley-desktop opens the lab in a window: the one that runs on the data folder, or one of its own.\n\n")
		flags.PrintDefaults()
	}
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
		fmt.Fprintln(flags.Output(), "parley-desktop:", err)
	}
	return c, err
}

// window shows a lab until the person closes it. Where there is no lab, the window says why.
func window(c choices) error {
	command, err := child(c, os.Stderr)
	if err != nil {
		return err
	}
	find := func() (string, int, bool, error) { return app.Running(c.data, os.Getenv) }
	l, err := lab.Open(find, command)
	if err != nil {
		return errors.Join(err, show(lab.Failed(err), nil))
	}
	fmt.Fprintf(os.Stderr, "parley-desktop: lab pid=%d\n", l.PID)
	err = show(lab.Leading(l.OpenURL), l.Ended())
	select {
	case <-l.Ended():
		err = errors.Join(err, errLabEnded)
	default:
	}
	return errors.Join(err, l.Close())
}

// child is this program as a lab. Its log goes where ours goes: as a pipe of this process the log would break with the
// window, and kill the lab before it has ended in order.
func child(c choices, log io.Writer) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program's file: %w", err)
	}
	command := exec.Command(self, childArgument, "--data", c.data, "--addr", c.addr)
	command.Stderr = log
	return command, nil
}
