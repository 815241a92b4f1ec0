package captured

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// walk applies the reader's rules to every node of a tree, without ever following an alias (runner 4.1).
type walk struct {
	faults *faults
	trail  []step // where the walk is
}

func (w *walk) refuse(n *yaml.Node, expected, found, hint string) {
	if w.faults.counted() {
		return
	}
	w.faults.at(n, runner.Finding{Code: runner.CodeCapturedYAMLInvalid, Path: dotted(w.trail),
		Expected: expected, Found: found, Hint: hint})
}

func (w *walk) visit(n *yaml.Node, depth int) {
	if depth > runner.MaxDepth {
		if !w.faults.counted() {
			w.refuse(n, fmt.Sprintf("at most %d levels of nesting", runner.MaxDepth), "one more", "")
		}
		return
	}
	w.properties(n)
	switch n.Kind {
	case yaml.MappingNode:
		w.mapping(n, depth)
	case yaml.SequenceNode:
		for i, child := range n.Content {
			w.down(step{item: i + 1}, child, depth)
		}
	}
}

func (w *walk) down(s step, n *yaml.Node, depth int) {
	w.trail = append(w.trail, s)
	w.visit(n, depth+1)
	w.trail = w.trail[:len(w.trail)-1]
}

// properties refuses what may decorate any node: alias, anchor, a foreign tag, a tag that its text contradicts.
func (w *walk) properties(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		w.refuse(n, "the value itself", "an alias", "write the value out")
		return
	case n.Anchor != "":
		w.refuse(n, "a value without an anchor", "an anchor", "remove the anchor, used or not")
	}
	switch {
	case !nativeTag(n):
		w.refuse(n, "a value of one of YAML's own types", "a tag that is not one of them", "remove the tag")
	case n.Kind == yaml.ScalarNode && n.Style&yaml.TaggedStyle != 0 && !resolves(n):
		w.refuse(n, "a value of the type that its tag says", "another one", "remove the tag or correct the value")
	}
}

// resolves reports that an explicit tag fits its text as the library reads it: !!int "5" does, !!int five does not.
func resolves(n *yaml.Node) bool {
	var value any
	return n.Decode(&value) == nil
}

// mapping refuses keys that are no unique strings, then visits the values.
func (w *walk) mapping(n *yaml.Node, depth int) {
	var seen map[string]int // key to its first line; one key alone needs none
	if len(n.Content) > 2 {
		seen = make(map[string]int, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		w.key(key, seen, depth)
		w.down(step{key: key.Value}, value, depth)
	}
}

func (w *walk) key(key *yaml.Node, seen map[string]int, depth int) {
	if key.Tag == tagMerge {
		w.refuse(key, "a string key", "a merge key", "write the merged fields out")
		return
	}
	before := w.faults.total()
	w.visit(key, depth+1)
	if w.faults.total() > before {
		return
	}
	if !isString(key) {
		if !w.faults.counted() {
			w.refuse(key, "a string key", describe(key), "put the key in quotes")
		}
		return
	}
	line, repeated := seen[key.Value]
	switch {
	case seen == nil:
	case !repeated:
		seen[key.Value] = key.Line
	case !w.faults.counted():
		w.refuseRepeated(key, line)
	}
}

func (w *walk) refuseRepeated(key *yaml.Node, line int) {
	w.trail = append(w.trail, step{key: key.Value})
	w.refuse(key, "each key once", "the key again", fmt.Sprintf("it stands on line %d already", line))
	w.trail = w.trail[:len(w.trail)-1]
}
