package captured

import (
	"cmp"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// Names of people's own making appear in findings, cut to these lengths in code points.
const (
	maxShownName  = 64 // of one segment of a path
	maxShownValue = 32 // of a number or of a value from a closed set
)

// faults collects the findings of one document. Beyond runner.MaxFindings it only counts.
type faults struct {
	document string
	list     []runner.Finding
	more     int
}

// counted counts a fault when the list is full, and reports that. Whoever has to put a finding into words asks it
// first, so that no text is made for a fault that nobody reads.
func (f *faults) counted() bool {
	if len(f.list) < runner.MaxFindings {
		return false
	}
	f.more++
	return true
}

func (f *faults) add(x runner.Finding) {
	if f.counted() {
		return
	}
	x.Document = f.document
	f.list = append(f.list, x)
}

// at adds a finding at a node.
func (f *faults) at(n *yaml.Node, x runner.Finding) {
	x.Line, x.Column = n.Line, n.Column
	f.add(x)
}

func (f *faults) any() bool { return len(f.list) > 0 }

// total counts the listed and the merely counted ones.
func (f *faults) total() int { return len(f.list) + f.more }

// all gives the findings in document order; what was only counted follows as one remainder.
func (f *faults) all() []runner.Finding {
	slices.SortStableFunc(f.list, func(a, b runner.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if f.more == 0 {
		return f.list
	}
	last := f.list[len(f.list)-1]
	return append(f.list, runner.Finding{
		Code: last.Code, Document: f.document, Line: last.Line, Column: last.Column,
		Expected: "no further fault", Found: fmt.Sprintf("%d more", f.more),
		Hint: "correct the listed ones first",
	})
}

// head gives the first n code points of s, without looking at what follows them.
func head(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i]
		}
		count++
	}
	return s
}

// cut shortens s to n code points and marks the cut.
func cut(s string, n int) string {
	h := head(s, n)
	if len(h) == len(s) {
		return s
	}
	return h + "…"
}
