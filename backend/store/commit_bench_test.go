package store_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley/backend/store"
)

// BenchmarkWrites measures acknowledged writes a second with so many writers; each write makes a Turn, files its input and
// two events, and every acknowledgement is on the disk.
func BenchmarkWrites(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "parley.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			ids := make([]string, writers)
			for i := range ids {
				ids[i] = session(b, s).ID
			}
			describe := func(a store.Added) store.Journal {
				return store.Journal{Events: []store.Event{event(a.Created[0], "created"), event(a.Created[0], "cancelled")}}
			}
			b.ResetTimer()
			began := time.Now()
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := w; i < b.N; i += writers {
						if _, err := s.AddInputs(b.Context(), ids[w], batch(message("x"), cancel()), describe); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "writes/s")
		})
	}
}
