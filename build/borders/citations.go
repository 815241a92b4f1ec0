package borders

import "regexp"

// contractDocs is the folder of the documents that code may cite.
const contractDocs = "docs/contracts/"

// citation is a document's name and a section number, such as "runner 4.1" or "runner-identity 2".
var citation = regexp.MustCompile(`\b(runner-identity|runner|wire|behaviour|runnable) (\d+(?:\.\d+)*)\b`)

// heading is a numbered section of a document.
var heading = regexp.MustCompile(`(?m)^#+ (\d+(?:\.\d+)*)\.? `)

// citations finds sections cited in a comment that no document has. A document that does not exist has no section.
func citations(t *Tree) []string {
	sections := map[string]map[string]bool{}
	var found []string
	for _, file := range t.Go {
		for _, group := range file.Syntax.Comments {
			for _, comment := range group.List {
				for _, match := range citation.FindAllStringSubmatch(comment.Text, -1) {
					name, section := match[1], match[2]
					if sections[name] == nil {
						sections[name] = headings(t.text(contractDocs + name + ".md"))
					}
					if !sections[name][section] {
						found = append(found, t.at(comment, "cites %q; %s%s.md has no section %s", match[0], contractDocs, name, section))
					}
				}
			}
		}
	}
	return found
}

func headings(document string) map[string]bool {
	numbers := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(document, -1) {
		numbers[match[1]] = true
	}
	return numbers
}
