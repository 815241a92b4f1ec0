package environment

import (
	"bytes"
	"os"
	"slices"
	"strings"
)

const (
	tailBytes      = 64 << 10
	minSecretBytes = 4 // shorter values, such as 1 or yes, say nothing and stand everywhere
)

// secrets are the values that no tail may show, the longest first.
func (e *Environment) secrets() []string {
	var values []string
	for _, value := range e.variables {
		if len(value) >= minSecretBytes {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	return values
}

// drain reads the pipe to its end, so that the child never waits, and gives the last 64 KiB without the secrets.
func drain(reader *os.File, secrets []string) <-chan []byte {
	result := make(chan []byte, 1)
	go func() {
		keep := tailBytes
		if len(secrets) > 0 {
			keep += len(secrets[0]) // one that is cut in half at the front is cut off with it
		}
		var last []byte
		piece := make([]byte, 32<<10)
		for {
			n, err := reader.Read(piece)
			last = append(last, piece[:n]...)
			if len(last) > 2*keep {
				last = append(last[:0], last[len(last)-keep:]...)
			}
			if err != nil {
				break // its end, or the deadline
			}
		}
		result <- cleaned(last[max(0, len(last)-keep):], secrets)
	}()
	return result
}

func cleaned(output []byte, secrets []string) []byte {
	pairs := make([]string, 0, 2*len(secrets))
	for _, secret := range secrets {
		pairs = append(pairs, secret, "[hidden]")
	}
	text := []byte(strings.NewReplacer(pairs...).Replace(string(output)))
	return bytes.Clone(text[max(0, len(text)-tailBytes):])
}
