// Package identity derives the seven-field block that names one admitted unit: sha256-waza-c14n-v1 (runner 2.7 and
// runner-identity). It promises that the same values give the same identity whatever their presentation: key order,
// style, quoting that keeps the type, comments and indentation do not count, and what was not authored is not there.
//
// Anybody may call it with the root mappings of admitted documents. It validates no unit, defaults nothing, touches no
// number through a binary float and follows no alias. How booleans, null, fractions and text beyond ASCII encode is
// this program's choice (runner-identity 4): such identities are stable here and not claimed to be another program's.
package identity
