package strictjson

import "strings"

// Integrity is what an exact reading of a number token found (runner 3.1).
type Integrity int

// The verdicts on a number token.
const (
	Exact      Integrity = iota // an integer within the bounds
	Fraction                    // its mathematical value is no integer
	BelowRange                  // an integer under the lower bound
	AboveRange                  // an integer over the upper bound
)

// maxDigits is more than any bound of the contract has; a longer integer is over every bound (runner 3.1).
const maxDigits = 10

// Integer reads a JSON number by its mathematical value, whatever its spelling, and judges it against the bounds. It
// works on the token's text with exact arithmetic, in one pass, and never expands an exponent (runner 3.1).
func Integer(token []byte, lower, upper int64) (int64, Integrity) {
	negative, digits, exponent := normalise(string(token))
	if digits == "" {
		return judge(0, lower, upper)
	}
	if exponent < 0 {
		return 0, Fraction
	}
	if int64(len(digits))+exponent > maxDigits {
		if negative {
			return 0, BelowRange
		}
		return 0, AboveRange
	}
	var n int64
	for _, d := range digits {
		n = n*10 + int64(d-'0')
	}
	for range exponent {
		n *= 10
	}
	if negative {
		n = -n
	}
	return judge(n, lower, upper)
}

func judge(n, lower, upper int64) (int64, Integrity) {
	switch {
	case n < lower:
		return n, BelowRange
	case n > upper:
		return n, AboveRange
	}
	return n, Exact
}

// normalise splits a JSON number in sign, digits without leading or trailing zeros, and decimal exponent: the value is
// digits × 10^exponent. No digits means zero.
func normalise(token string) (negative bool, digits string, exponent int64) {
	token, negative = strings.CutPrefix(token, "-")
	mantissa, power := token, ""
	if at := strings.IndexAny(token, "eE"); at >= 0 {
		mantissa, power = token[:at], token[at+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = whole + fraction
	exponent = saturating(power) - int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	return negative, strings.TrimLeft(trimmed, "0"), exponent
}

// farExponent is beyond any exponent that a 4 MiB token could bring back into range.
const farExponent = int64(1) << 40

// saturating reads a decimal exponent and stays at ±farExponent beyond.
func saturating(text string) int64 {
	text, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	var n int64
	for _, d := range text {
		n = min(n*10+int64(d-'0'), farExponent)
	}
	if negative {
		return -n
	}
	return n
}
