package main

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode"
)

// lastWords passes on what a program says and keeps the end of it.
type lastWords struct {
	log io.Writer

	mu   sync.Mutex
	tail []byte
}

// mostWords bounds what is kept, in bytes.
const mostWords = 1 << 10

func (w *lastWords) Write(said []byte) (int, error) {
	w.mu.Lock()
	w.tail = append(w.tail, said...)
	w.tail = bytes.Clone(w.tail[max(0, len(w.tail)-mostWords):])
	w.mu.Unlock()
	return w.log.Write(said)
}

// line is the last line that says anything, fit for a message.
func (w *lastWords) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(w.tail), ""))
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
