package captured

import "go.yaml.in/yaml/v3"

// lookup gives the value below the keys, nil when one of them is not authored.
func lookup(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		n = value(n, key)
	}
	return n
}

func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// textOf gives a string's text, "" for any other node.
func textOf(n *yaml.Node) string {
	if n == nil || !isString(n) {
		return ""
	}
	return n.Value
}

// textsOf gives the strings of a list, nil for any other node.
func textsOf(n *yaml.Node) []string {
	if size(n) == 0 || n.Kind != yaml.SequenceNode {
		return nil
	}
	texts := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		texts = append(texts, textOf(item))
	}
	return texts
}

// countOf gives an integer that fits a count, and whether one is authored.
func countOf(n *yaml.Node) (int, bool) {
	i, ok := integer(n)
	if !ok || !fitsCount(i) {
		return 0, false
	}
	return int(i), true
}

// size is the number of nodes below a list or mapping, 0 for any other node.
func size(n *yaml.Node) int {
	if n == nil {
		return 0
	}
	return len(n.Content)
}
