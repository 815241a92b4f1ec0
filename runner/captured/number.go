package captured

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// What keeps a YAML number from having an exact value here (runner 4.3).
var (
	ErrNotNumber = errors.New("not a number")
	ErrNotFinite = errors.New("not a finite number")
	ErrUnderflow = errors.New("a number that a native float turns into 0")
)

// Number is the exact value of a YAML number as authored: no binary rounding ever touches it.
type Number struct {
	negative bool
	digits   string // decimal digits without leading or trailing zeros; "" is zero
	point    int    // the value is 0.digits × 10^point; a native float's range bounds it to about ±330
}

// NumberOf gives the value of an integer or float node, or one of this package's three errors. Hexadecimal, octal and
// binary integers are what the library resolves them to (runner 4.1).
func NumberOf(n *yaml.Node) (Number, error) {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag != tagInt && n.Tag != tagFloat {
		return Number{}, ErrNotNumber
	}
	if x, ok := wholeNumber(n); ok {
		return x, nil
	}
	var native float64
	if err := n.Decode(&native); err != nil {
		return Number{}, fmt.Errorf("%w: the library cannot resolve it", ErrNotNumber)
	}
	if math.IsInf(native, 0) || math.IsNaN(native) {
		return Number{}, ErrNotFinite
	}
	x, ok := decimal(n.Value)
	switch {
	case !ok:
		return Number{}, ErrNotNumber
	case native == 0 && x.digits != "":
		return Number{}, ErrUnderflow
	}
	return x, nil
}

// wholeNumber reads what the library resolves as an integer, also behind an explicit !!float.
func wholeNumber(n *yaml.Node) (Number, bool) {
	var value any
	as := yaml.Node{Kind: yaml.ScalarNode, Tag: tagInt, Value: n.Value}
	if as.Decode(&value) != nil {
		return Number{}, false
	}
	switch v := value.(type) {
	case int:
		return decimal(strconv.Itoa(v))
	case int64:
		return decimal(strconv.FormatInt(v, 10))
	case uint64:
		return decimal(strconv.FormatUint(v, 10))
	}
	return Number{}, false
}

// decimal reads [sign] digits [. digits] [e exponent], with underscores ignored. Exponents saturate, so that the work
// is linear in the text whatever it says.
func decimal(text string) (Number, bool) {
	text = strings.ReplaceAll(text, "_", "")
	var x Number
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		x.negative, text = true, rest
	} else {
		text = strings.TrimPrefix(text, "+")
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		mantissa = text[:i]
		exponent, err = strconv.Atoi(text[i+1:])
		if err != nil && !errors.Is(err, strconv.ErrRange) { // on ErrRange the value is saturated
			return Number{}, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return Number{}, false
	}
	significant := strings.TrimLeft(digits, "0")
	x.digits = strings.TrimRight(significant, "0")
	if x.digits == "" {
		return Number{}, true
	}
	x.point = add(exponent, len(whole)-(len(digits)-len(significant)))
	return x, true
}

// add adds and saturates.
func add(a, b int) int {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt
	case b < 0 && sum > a:
		return math.MinInt
	default:
		return sum
	}
}

// IsInteger reports that the mathematical value has no fraction, whatever its spelling: 1.0 and 10e-1 are integers.
func (x Number) IsInteger() bool { return x.point >= len(x.digits) }

// Sign is -1, 0 or 1.
func (x Number) Sign() int {
	switch {
	case x.digits == "":
		return 0
	case x.negative:
		return -1
	}
	return 1
}

// AboveOne reports that the value is greater than 1.
func (x Number) AboveOne() bool {
	return x.Sign() > 0 && x.point >= 1 && (x.point > 1 || x.digits != "1")
}

// String is the value in plain decimal: no plus sign, no redundant zero, no exponent (runner-identity 2).
func (x Number) String() string {
	if x.digits == "" {
		return "0"
	}
	sign := ""
	if x.negative {
		sign = "-"
	}
	switch {
	case x.IsInteger():
		return sign + x.digits + strings.Repeat("0", x.point-len(x.digits))
	case x.point <= 0:
		return sign + "0." + strings.Repeat("0", -x.point) + x.digits
	}
	return sign + x.digits[:x.point] + "." + x.digits[x.point:]
}
