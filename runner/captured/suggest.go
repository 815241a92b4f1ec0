package captured

import "strings"

// maxTypos is how many edits away a known name may be to be suggested.
const maxTypos = 2

// maxListedFields is how many known names a hint lists where none is near.
const maxListedFields = 9

// suggest hints at the section that knows the name, at the known name that a mistyped one is nearest to, or at all of
// them where they are few; "" otherwise.
func suggest(name string, fields []field) string {
	if len(name) > maxShownName {
		return ""
	}
	for _, f := range fields {
		if _, below := row(f.fields, name); below {
			return "it belongs below " + f.name
		}
	}
	best, distance := "", maxTypos+1
	for _, f := range fields {
		if d := edits(strings.ToLower(name), strings.ToLower(f.name)); d < distance {
			best, distance = f.name, d
		}
	}
	switch {
	case best != "":
		return "did you mean " + best
	case len(fields) <= maxListedFields:
		return "known are " + strings.Join(names(fields), ", ")
	}
	return ""
}

func names(fields []field) []string {
	var all []string
	for _, f := range fields {
		all = append(all, f.name)
	}
	return all
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
