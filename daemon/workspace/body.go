package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
)

const (
	maxBodyBytes  = 50 << 20 // wire 5.1
	maxChunkBytes = 64 << 10 // wire 5.1
)

// Body is a transfer on its way: bytes that no name shows yet. One goroutine uses it; Discard is due in every case.
type Body struct {
	file     nameless
	size     int64
	digest   string
	staged   int64
	hash     hash.Hash
	complete bool
	fault    error // the first fault; nothing is accepted after it
}

// NewBody opens an empty body beside the contents of folder, which shows nothing of it. Size is at most 52,428,800 bytes,
// digest the lower-case hex SHA-256 of all of them. The error is ErrTooLarge, ErrDigest or of the file system.
func NewBody(folder *os.Root, size int64, digest string) (*Body, error) {
	if size < 0 || size > maxBodyBytes {
		return nil, fmt.Errorf("stage body: %w: %d bytes; expected 0 to %d", ErrTooLarge, size, maxBodyBytes)
	}
	if len(digest) != hex.EncodedLen(sha256.Size) || strings.Trim(digest, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("stage body: %w: expected 64 lower-case hex digits, found %q", ErrDigest, digest)
	}
	file, err := openNameless(folder)
	if err != nil {
		return nil, fmt.Errorf("stage body: %w", reason(err))
	}
	return &Body{file: file, size: size, digest: digest, hash: sha256.New()}, nil
}

// Append adds the next chunk, at most 65,536 bytes, which starts at offset. The error is ErrOffset, ErrTooLarge, ErrNoSpace
// or of the file system; the body then accepts nothing more and can only be discarded.
func (b *Body) Append(offset int64, data []byte) error {
	if b.fault == nil {
		b.fault = b.append(offset, data)
	}
	return b.fault
}

func (b *Body) append(offset int64, data []byte) error {
	if offset != b.staged {
		return fmt.Errorf("stage chunk: %w: it starts at %d, expected %d", ErrOffset, offset, b.staged)
	}
	if len(data) > maxChunkBytes {
		return fmt.Errorf("stage chunk: %w: %d bytes, expected at most %d", ErrTooLarge, len(data), maxChunkBytes)
	}
	if offset+int64(len(data)) > b.size {
		return fmt.Errorf("stage chunk: %w: it ends at %d, the body was declared with %d bytes",
			ErrTooLarge, offset+int64(len(data)), b.size)
	}
	if _, err := b.file.Write(data); err != nil {
		return fmt.Errorf("stage chunk: %w", reason(err))
	}
	b.hash.Write(data)
	b.staged += int64(len(data))
	return nil
}

// Staged is the number of bytes accepted so far.
func (b *Body) Staged() int64 { return b.staged }

// Size is the declared number of bytes.
func (b *Body) Size() int64 { return b.size }

// Complete checks the whole body: ErrShort, ErrDigest or what an earlier Append met.
func (b *Body) Complete() error {
	if b.fault == nil {
		b.fault = b.check()
	}
	b.complete = b.fault == nil
	return b.fault
}

func (b *Body) check() error {
	if b.staged < b.size {
		return fmt.Errorf("complete body: %w: %d bytes of %d", ErrShort, b.staged, b.size)
	}
	if found := hex.EncodeToString(b.hash.Sum(nil)); found != b.digest {
		return fmt.Errorf("complete body: %w: expected %s, found %s", ErrDigest, b.digest, found)
	}
	return nil
}

// Reader reads the bytes of a complete body at any place; nil if it is not complete. It is good until Discard.
func (b *Body) Reader() *io.SectionReader {
	if !b.complete {
		return nil
	}
	return io.NewSectionReader(b.file, 0, b.size)
}

// Discard lets go of the staged bytes; what was installed stays. It may be called twice.
func (b *Body) Discard() {
	b.file.discard()
	b.complete = false
	if b.fault == nil {
		b.fault = fmt.Errorf("use body: %w", os.ErrClosed)
	}
}
