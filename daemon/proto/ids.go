package proto

import (
	"strings"
	"unicode/utf8"
)

// CanonicalUUID reports whether text is a UUID in lower-case 8-4-4-4-12 form and not the nil UUID (wire 0.2). Version
// and variant bits are not looked at.
func CanonicalUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	zero := true
	for i := range len(text) {
		b := text[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if b != '-' {
				return false
			}
		case b >= '0' && b <= '9', b >= 'a' && b <= 'f':
			zero = zero && b == '0'
		default:
			return false
		}
	}
	return !zero
}

// Blank reports whether text is empty or made only of the 26 white-space code points of wire 0.2.
func Blank(text string) bool {
	return strings.TrimFunc(text, blankRune) == ""
}

func blankRune(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

// Digest reports whether text is a SHA-256 in lower-case hex.
func Digest(text string) bool {
	if len(text) != 64 {
		return false
	}
	for i := range len(text) {
		if b := text[i]; (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

// NativeID reports whether text follows the rule of native identities (wire 3.12).
func NativeID(text string) bool {
	return text != "" && len(text) <= MaxNativeID && strings.TrimFunc(text, blankRune) == text &&
		!strings.ContainsAny(text, "\x00\r\n")
}

// bounded reports whether text is not blank and has at most most bytes.
func bounded(text string, most int) bool {
	return !Blank(text) && len(text) <= most && utf8.ValidString(text)
}

// filled reports whether text has 1 to most bytes.
func filled(text string, most int) bool { return text != "" && len(text) <= most }
