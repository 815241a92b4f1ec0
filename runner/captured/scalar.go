package captured

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Tags of YAML's own types, short form, as the library resolves them.
const (
	tagString    = "!!str"
	tagBool      = "!!bool"
	tagInt       = "!!int"
	tagFloat     = "!!float"
	tagNull      = "!!null"
	tagTimestamp = "!!timestamp"
	tagBinary    = "!!binary"
	tagMerge     = "!!merge"
	tagList      = "!!seq"
	tagMapping   = "!!map"
)

// nativeTag reports that a tag is one of YAML's own for the node's kind. Others, such as !x, are refused (our choice,
// runner 4.1).
func nativeTag(n *yaml.Node) bool {
	switch n.Kind {
	case yaml.MappingNode:
		return n.Tag == tagMapping
	case yaml.SequenceNode:
		return n.Tag == tagList
	}
	switch n.Tag {
	case tagString, tagBool, tagInt, tagFloat, tagNull, tagTimestamp, tagBinary, tagMerge:
		return true
	}
	return false
}

func isString(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == tagString }
func isNull(n *yaml.Node) bool   { return n.Kind == yaml.ScalarNode && n.Tag == tagNull }

// boolean gives the value of a node with YAML's boolean tag; ok is false for any other node.
func boolean(n *yaml.Node) (value, ok bool) {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag != tagBool {
		return false, false
	}
	return value, n.Decode(&value) == nil
}

// integer gives the value of a node with YAML's integer tag; ok is false for any other node and beyond 64 bits.
func integer(n *yaml.Node) (value int64, ok bool) {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag != tagInt {
		return 0, false
	}
	return value, n.Decode(&value) == nil
}

// describe names what a node is. Numbers and booleans are short and public enough to be shown, texts are not.
func describe(n *yaml.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case yaml.MappingNode:
		return counted("mapping", len(n.Content)/2)
	case yaml.SequenceNode:
		return counted("list", len(n.Content))
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case tagString:
		return emptyText(n)
	case tagNull:
		return "null"
	case tagBool:
		return "the boolean " + shown(n.Value)
	case tagInt:
		return "the integer " + shown(n.Value)
	case tagFloat:
		return "the floating-point number " + shown(n.Value)
	case tagTimestamp:
		return "a date"
	case tagBinary:
		return "a binary value"
	case tagMerge:
		return "a merge key"
	}
	return "a value with a tag of its own"
}

func counted(kind string, size int) string {
	if size == 0 {
		return "an empty " + kind
	}
	return "a " + kind + " of " + strconv.Itoa(size)
}

func emptyText(n *yaml.Node) string {
	if n.Value == "" {
		return "an empty string"
	}
	return "a string"
}

// enumerated is describe for a field with a closed set of values, where a short text helps and reveals nothing.
func enumerated(n *yaml.Node) string {
	if n == nil || !isString(n) || n.Value == "" || head(n.Value, maxShownValue) != n.Value {
		return describe(n)
	}
	return strconv.Quote(n.Value)
}

func shown(value string) string { return cut(value, maxShownValue) }
