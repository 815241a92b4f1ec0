package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	maxReadBytes = 1 << 20   // wire 3.10.1
	pieceBytes   = 128 << 10 // one read or write; the context is looked at between two
)

// Bytes is the start of a file, or all of it.
type Bytes struct {
	Data      []byte
	Truncated bool // the file goes on; len(Data) is then exactly the bound
}

// Read returns at most max bytes, 1 to 1,048,576, from the start of the regular file at path (wire 3.10.1). The file is
// closed, and the close acknowledged, before it returns. The error is ErrPath, ErrNotFound, ErrPermission, ErrNotFile,
// ErrUnsafe, ErrTooLarge, ErrUnconfirmed or the context's.
func (w *Workspace) Read(ctx context.Context, path string, max int) (Bytes, error) {
	content, err := w.read(ctx, path, max)
	if err != nil {
		return Bytes{}, fmt.Errorf("read %q: %w", path, finite(err))
	}
	return content, nil
}

func (w *Workspace) read(ctx context.Context, path string, max int) (content Bytes, err error) {
	if max < 1 || max > maxReadBytes {
		return Bytes{}, fmt.Errorf("%w: bound of %d bytes; expected 1 to %d", ErrTooLarge, max, maxReadBytes)
	}
	if err := CheckRelative(path); err != nil {
		return Bytes{}, err
	}
	folder, name, err := w.parent(path)
	if err != nil {
		return Bytes{}, err
	}
	defer acknowledge(folder, &err)
	file, info, err := openFile(folder, name)
	if err != nil {
		return Bytes{}, err
	}
	defer acknowledge(file, &err)
	data, err := readStart(ctx, file, info.Size(), max+1)
	if err != nil {
		return Bytes{}, err
	}
	if len(data) > max {
		return Bytes{Data: data[:max], Truncated: true}, nil
	}
	return Bytes{Data: data}, nil
}

// readStart reads up to max bytes. Size is what the file claims; some files claim nothing and hold something.
func readStart(ctx context.Context, file *os.File, size int64, max int) ([]byte, error) {
	data := make([]byte, 0, int(min(size+1, int64(max))))
	for len(data) < max {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		room := data[len(data):min(cap(data), len(data)+pieceBytes, max)]
		n, err := file.Read(room)
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, bare(err)
		}
	}
	return data, nil
}
