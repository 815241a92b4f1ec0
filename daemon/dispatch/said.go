package dispatch

import "strings"

// longestSaid bounds what of an adapter's error is told, in bytes: a receipt has to fit into a frame, and receipts of
// inputs are kept.
const longestSaid = 1 << 10

// said is an error's text for the peer.
func said(err error) string {
	text := err.Error()
	if len(text) <= longestSaid {
		return text
	}
	return strings.ToValidUTF8(text[:longestSaid], "") + "…"
}
