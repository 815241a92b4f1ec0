package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// fillTurns makes 1,000 Sessions with 100 Turns each, of which the last of every tenth is queued (performance B9).
const fillTurns = `
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO session (id, agent_id, agent, metadata, turns, created_at_ms, last_active_at_ms)
SELECT 'session-' || i, 'agent-' || (i % 7), x'7b7d', x'7b7d', 100, i, i FROM n;
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
INSERT INTO turn (id, session, seq, status, created_at_ms)
SELECT lower(hex(randomblob(16))), 1 + i % 1000, 1 + i / 1000, iif(i / 1000 = 99 AND i % 10 = 0, 'queued', 'completed'), i FROM n;`

// BenchmarkPages measures what lists cost at that size, and gives the 99th percentile beside the mean.
func BenchmarkPages(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "parley.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.write.ExecContext(b.Context(), fillTurns); err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func(i int) (int, error){
		"sessions": func(i int) (int, error) {
			list, _, err := s.Sessions(b.Context(), "", Page{Limit: 20, After: fmt.Sprint("session-", 21+i%900)})
			return len(list), err
		},
		"turns": func(i int) (int, error) {
			list, _, err := s.Turns(b.Context(), fmt.Sprint("session-", 1+i%1000), Page{Limit: 20})
			return len(list), err
		},
		"queued": func(int) (int, error) {
			list, err := s.NextQueued(b.Context(), Candidates{Limit: 20})
			return len(list), err
		},
		"bare": func(i int) (int, error) { // 20 rows by key, the least that a page can cost
			list, err := listOf(b.Context(), s.read, scanOne[string], "SELECT id FROM turn WHERE place < ? ORDER BY place DESC LIMIT 20", 1000+i%900)
			return len(list), err
		},
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				if n, err := read(i); err != nil || n != 20 {
					b.Fatalf("got %d records (%v), want 20", n, err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
