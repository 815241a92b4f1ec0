package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/go-json-experiment/json"
)

// side is one end of a benchmark in a process of its own. It is asked by a line on its standard input, answers each with
// a line of JSON, and ends when the input does.
type side struct {
	cmd *exec.Cmd
	ask io.WriteCloser
	out *bufio.Reader
}

// What a side may be asked.
const (
	askWatch = "watch" // give memory back and note its peak from now on
	askGauge = "gauge" // say what was used
	askAwait = "await" // wait until everything of the other side is there
)

// startSide starts this program as the named side and waits until it says how it is reached.
func startSide(name string, args ...string) (s *side, address string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	s = &side{cmd: exec.Command(self, append([]string{"-side", name}, args...)...)}
	s.cmd.Stderr = os.Stderr
	if s.ask, err = s.cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, "", err
	}
	if err := s.read(&address); err != nil {
		return nil, "", errors.Join(fmt.Errorf("start side %s: %w", name, err), s.stop())
	}
	return s, address, nil
}

func (s *side) read(into any) error {
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// query asks and gives the answer.
func (s *side) query(what string) (gauge, error) {
	if _, err := io.WriteString(s.ask, what+"\n"); err != nil {
		return gauge{}, err
	}
	var answer gauge
	if err := s.read(&answer); err != nil {
		return gauge{}, fmt.Errorf("ask side for %s: %w", what, err)
	}
	return answer, nil
}

// stop lets the side end and waits for that.
func (s *side) stop() error {
	return errors.Join(s.ask.Close(), s.cmd.Wait())
}

// serveSide is the side's own main.
func serveSide(name string, args []string) error {
	switch name {
	case sideRuntime:
		return runtimeSide(args)
	case sideCore:
		return coreSide()
	case sideRuntimes:
		return runtimesSide(args)
	case sideBareCore:
		return bareCoreSide()
	case sideBarePeers:
		return barePeersSide(args)
	}
	return fmt.Errorf("-side: %q is none", name)
}

// answer tells the other process how this side is reached and then serves its questions until it hangs up.
func answer(address string, await func() error) error {
	say := func(what any) error {
		line, err := json.Marshal(what)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(append(line, '\n'))
		return err
	}
	if err := say(address); err != nil {
		return err
	}
	m := &meter{}
	for questions := bufio.NewScanner(os.Stdin); questions.Scan(); {
		now, err := reply(m, questions.Text(), await)
		if err == nil {
			err = say(now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func reply(m *meter, question string, await func() error) (gauge, error) {
	switch question {
	case askWatch:
		return m.watch()
	case askAwait:
		if err := await(); err != nil {
			return gauge{}, err
		}
	}
	return m.read()
}
