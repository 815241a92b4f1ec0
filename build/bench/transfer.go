package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/daemon/proto"
)

// Sizes around the data of a chunk and of its acknowledgement on the wire, in bytes: envelope, id, trace, step, offset.
const (
	chunkHead = 204
	ackSize   = 175
)

// largestGrowth is what a transfer may take above idle, in bytes.
const largestGrowth = 8 << 20

// benchTransfer is B7: a write of 50 MiB into a bound folder, against base64 and SHA-256 on both ends of the same sockets
// in frames of the same size with one acknowledgement each.
func benchTransfer(r *report, dir string) error {
	body, err := newBody(filepath.Join(dir, "body"))
	if err != nil {
		return err
	}
	defer body.Close() // opened for reading
	d, err := newDuo(dir)
	if err != nil {
		return err
	}
	err = d.holdTransfer(r, body)
	if err == nil {
		err = d.timeTransfer(r, body)
	}
	if err == nil {
		err = d.timeNeighbour(r, body)
	}
	return errors.Join(err, d.close())
}

// newBody makes a file of the largest transfer with random content.
func newBody(path string) (*os.File, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(file, rand.Reader, proto.MaxTransfer); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// timeTransfer compares the rates.
func (d *duo) timeTransfer(r *report, body *os.File) error {
	f, err := pairs(rate(d.chunks()), rate(func() error { return d.write(body) }))
	if err != nil {
		return err
	}
	r.add("B7 rate", f, goal{Must: 0.45, Aim: 0.55, Good: atLeast})
	return nil
}

// holdTransfer bounds the memory of both processes while the file is written, at its peak.
func (d *duo) holdTransfer(r *report, body *os.File) error {
	if err := d.write(body); err != nil { // buffers that stay are made
		return err
	}
	ours := &meter{}
	theirIdle, err := d.side.query(askWatch)
	if err != nil {
		return err
	}
	ourIdle, err := ours.watch()
	if err != nil {
		return err
	}
	if err := d.write(body); err != nil {
		return err
	}
	ourPeak, err := ours.read()
	if err != nil {
		return err
	}
	theirPeak, err := d.side.query(askGauge)
	if err != nil {
		return err
	}
	within := goal{Must: 1, Good: atMost, Hard: true}
	r.count("B7 memory, runtime", float64(theirPeak.Peak)-float64(theirIdle.Held), largestGrowth, "bytes above idle", within)
	r.count("B7 memory, core", float64(ourPeak.Peak)-float64(ourIdle.Held), largestGrowth, "bytes above idle", within)
	return nil
}

// write is one whole transfer of the product.
func (d *duo) write(body *os.File) error {
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	begin := proto.WorkspaceWrite{EnvironmentID: environment, SessionID: session, Path: "incoming/file"}
	_, err := d.connection.Write(context.Background(), mutationID, begin, body)
	return err
}

// mutationID serves every write: the one before has ended.
const mutationID = "5d2f6c1e-8b3a-4f47-9a10-2b3c4d5e6f70"

// chunks is the floor of one whole transfer.
func (d *duo) chunks() func() error {
	ws, hash := d.bare[bareTransfer], sha256.New()
	chunk := make([]byte, proto.MaxChunk)
	_, _ = rand.Read(chunk) // never fails (crypto/rand)
	message := make([]byte, chunkHead+base64.StdEncoding.EncodedLen(len(chunk)))
	return func() error {
		for range proto.MaxTransfer / proto.MaxChunk {
			hash.Write(chunk)
			base64.StdEncoding.Encode(message[chunkHead:], chunk)
			if err := exchange(ws, message); err != nil {
				return err
			}
		}
		return nil
	}
}

// timeNeighbour compares what another Session waits for a round trip on the same connection while files are written, at
// the 99th percentile, to the same beside the floor's transfers: what hashing takes of two processors nobody can give
// back. Against a quiet connection it is recorded.
func (d *duo) timeNeighbour(r *report, body *os.File) error {
	product := d.beside(func() error { return d.write(body) })
	f, err := pairsOf(d.beside(d.chunks()), product)
	if err != nil {
		return err
	}
	r.add("B7 neighbour p99", f[0], goal{Must: 2, Good: atMost})
	both, err := together(product, percentiles(d.refusedRead(), 99))()
	if err != nil {
		return err
	}
	r.count("B7 neighbour, quiet", both[0], both[1], "s", goal{})
	return nil
}

// beside measures round trips during transfers, for one window at least, and gives the 99th percentile.
func (d *duo) beside(transfer func() error) measures {
	return func() ([]float64, error) {
		work := d.refusedRead()
		var all []time.Duration
		for start := time.Now(); time.Since(start) < windowTime; {
			ended := make(chan error, 1)
			go func() { ended <- transfer() }()
			some, err := until(ended, work)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		slices.Sort(all)
		return quantiles(all, 99), nil
	}
}

// until runs work as long as nothing comes from done.
func until(done <-chan error, work func() error) ([]time.Duration, error) {
	var all []time.Duration
	for {
		select {
		case err := <-done:
			return all, err
		default:
		}
		begin := time.Now()
		if err := work(); err != nil {
			return nil, fmt.Errorf("beside a transfer: %w", errors.Join(err, <-done))
		}
		all = append(all, time.Since(begin))
	}
}
