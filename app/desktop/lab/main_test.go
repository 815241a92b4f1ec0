package lab_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"parley/app/desktop/lab"
)

// behaviour names, in the environment of this test binary, the lab that it plays instead of running tests.
const behaviour = "PARLEY_TEST_LAB"

func TestMain(m *testing.M) {
	if os.Getenv(behaviour) != "" {
		os.Exit(play(os.Getenv(behaviour)))
	}
	goleak.VerifyTestMain(m)
}

// play is a lab: it says that it is ready and ends when its standard input closes, or misbehaves as told.
func play(how string) int {
	switch how {
	case "fails":
		return 1
	case "refuses":
		lab.Refuse(os.Stdout, errors.New("the port is taken"))
		return 1
	case "talks":
		fmt.Println("hello")
		return waitForStdin()
	case "stays":
		signal.Ignore(syscall.SIGTERM)
		fmt.Printf(`{"url":"http://127.0.0.1:7","open_url":"http://127.0.0.1:7/open?token=t","pid":%d}`+"\n", os.Getpid())
		select {}
	}
	fmt.Printf(`{"url":"http://127.0.0.1:7","open_url":"http://127.0.0.1:7/open?token=t","pid":%d}`+"\n", os.Getpid())
	return waitForStdin()
}

func waitForStdin() int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// command starts this binary as a lab of the given behaviour.
func command(t *testing.T, how string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), behaviour+"="+how)
	return cmd
}
