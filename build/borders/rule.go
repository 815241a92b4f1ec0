package borders

// Rule is one habit that the tree is held to.
type Rule struct {
	Name  string
	Habit string // one sentence; the H number is the habit's number in CONTRIBUTING.md
	Check func(*Tree) []string
}

// Rules lists every rule. Each returns its findings as "file:line: what was found", and nothing on a tree in order.
func Rules() []Rule {
	return []Rule{
		{"package comment", "H1: each package says in 3 to 15 lines what it promises, who calls it, what it never does.", packageComments},
		{"package name", "H2: packages are nouns of the domain; a small helper sits next to its only user.", packageNames},
		{"file length", "H3: one concept a file; split it before 400 lines.", fileLength},
		{"package state", "H4: no package state and no work in init; wire it in one place and pass it.", packageState},
		{"floors", "H4: a package imports only from floors below its own (ARCHITECTURE.md, Floors and borders).", floors},
		{"foreign imports", "H9: a driver or a toolkit is known in one room only.", foreignImports},
		{"error comparison", "H12: test an error with errors.Is or errors.As; a wrapped one is never equal.", errorComparison},
		{"exits", "H14: only main ends the process; everybody else returns an error.", exits},
		{"citations", "H17: a cited section exists in docs/contracts.", citations},
		{"choices", "H17: a choice of ours stands in one place of the code, and its document names that place.", choices},
		{"sleeps", "H19: tests wait on a signal with a deadline, or on a synctest clock; they never sleep.", sleeps},
		{"skips", "H19: a skipped test says why.", skips},
		{"format", "H20: the tree is what gofmt writes.", formatted},
		{"words", "The product speaks of itself alone: no path of one machine, no registry host, no open ends.", words},
		{"architecture", "ARCHITECTURE.md is true: its table of floors is the one that is enforced.", architecture},
	}
}
