package environment

import (
	"errors"
	"io"
	"testing"
)

type zeros struct{}

func (zeros) Read(data []byte) (int, error) { return len(data), nil }

// hostile-inputs F-3
func TestMeterStopsAtTheTotalAndTheRatio(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name         string
		archive      int64
		limit, bytes int64
		ok           bool
	}{
		{"all that may be", 50 << 20, maxArchiveBytes, maxArchiveBytes, true},
		{"one more", 50 << 20, maxArchiveBytes, maxArchiveBytes + 1, false},
		{"small, whatever the ratio", 10, maxArchiveBytes, ratioFloorBytes, true},
		{"above the floor", 10, maxArchiveBytes, ratioFloorBytes + 1, false},
		{"the ratio itself", 1 << 20, maxArchiveBytes, maxArchiveRatio << 20, true},
		{"above the ratio", 1 << 20, maxArchiveBytes, maxArchiveRatio<<20 + 1, false},
	} {
		m := &meter{archive: row.archive, limit: row.limit}
		// Two sources on one account: the bound is for all entries together.
		var err error
		for _, part := range []int64{row.bytes / 2, row.bytes - row.bytes/2} {
			_, copyErr := io.Copy(io.Discard, m.over(io.LimitReader(zeros{}, part)))
			err = errors.Join(err, copyErr)
		}
		if (err == nil) != row.ok || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%s: got %v, want accepted %v", row.name, err, row.ok)
		}
	}
}
