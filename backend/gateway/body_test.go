package gateway_test

import (
	"io"
	"strings"
)

// held is a body whose second reading stops before an offset until it is let go.
type held struct {
	*strings.Reader
	after, read int64
	rewound     bool
	hold        chan struct{}
}

func (h *held) Seek(offset int64, whence int) (int64, error) {
	h.rewound = whence == io.SeekStart
	return h.Reader.Seek(offset, whence)
}

func (h *held) Read(p []byte) (int, error) {
	if h.rewound && h.read == h.after {
		<-h.hold
	}
	n, err := h.Reader.Read(p)
	if h.rewound {
		h.read += int64(n)
	}
	return n, err
}

// seekable makes a reader that fails a body.
type seekable struct {
	io.Reader
	seek error
}

func (s *seekable) Seek(int64, int) (int64, error) { return 0, s.seek }

// endless reads as zeros.
type endless struct{}

func (endless) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}

// shrinking is shorter when it is read again.
type shrinking struct{ *strings.Reader }

func (s *shrinking) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		s.Reset("tw")
	}
	return s.Reader.Seek(offset, whence)
}
