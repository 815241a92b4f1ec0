package grading

import "strings"

// MaxClasses bounds Classes over all graders of a unit: reading that many takes a second or two and some tens of
// megabytes, whatever the patterns are.
const MaxClasses = 4096

// foldedRange is what a wide range costs where case does not count, in named classes: each of its characters is looked
// up.
const foldedRange = 8

// Classes estimates what reading the patterns costs beyond their length. A named class such as \pL is 3 bytes and a
// thousand ranges, and a wide range under (?i) a hundred thousand look-ups. It never counts too little.
func (c TextConfig) Classes() int {
	n := 0
	for _, patterns := range [][]string{c.RegexMatch, c.RegexNotMatch} {
		for _, p := range patterns {
			n += strings.Count(p, `\p`) + strings.Count(p, `\P`)
			if folds(p) {
				n += foldedRange * wideRanges(p)
			}
		}
	}
	return n
}

// folds reports that a group of flags in the pattern names i.
func folds(p string) bool {
	for {
		_, after, found := strings.Cut(p, "(?")
		if !found {
			return false
		}
		flags := after[:len(after)-len(strings.TrimLeft(after, "imsU-"))]
		if strings.Contains(flags, "i") {
			return true
		}
		p = after
	}
}

// wideRanges counts what may be a range that ends beyond ASCII.
func wideRanges(p string) int {
	n := 0
	for {
		_, after, found := strings.Cut(p, "-")
		if !found {
			return n
		}
		if after != "" && after[0] >= 0x80 || strings.HasPrefix(after, `\x`) {
			n++
		}
		p = after
	}
}
