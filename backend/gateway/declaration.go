package gateway

import (
	"slices"

	"parley/daemon/proto"
)

// Bounds of what Core keeps and shows of a heartbeat. The contract has none (wire 3.1), so what is over them makes no
// heartbeat invalid: it is left out.
const (
	MaxKinds = 64  // kinds; those after them are not offered
	MaxLabel = 256 // bytes of a kind's name, of a program's version and of the Runtime's
)

// kept is what Core keeps of a valid heartbeat, in values of its own: nothing else of the message is held. A version that
// is too long is not known, as part of it would be another one. Of two kinds with one name the first counts. A negative
// number of Runs is none.
func kept(h *proto.Heartbeat) *proto.Heartbeat {
	return &proto.Heartbeat{TS: h.TS, ActiveRequests: max(h.ActiveRequests, 0), DaemonVersion: label(h.DaemonVersion),
		SupportedAgentKinds: keptKinds(h.SupportedAgentKinds)}
}

func keptKinds(declared []proto.AgentKind) []proto.AgentKind {
	kinds := make([]proto.AgentKind, 0, min(len(declared), MaxKinds))
	for _, kind := range declared {
		if len(kinds) == MaxKinds {
			break
		}
		same := func(k proto.AgentKind) bool { return k.Kind == kind.Kind }
		if label(kind.Kind) == "" || slices.ContainsFunc(kinds, same) {
			continue
		}
		kind.Version = label(kind.Version)
		kinds = append(kinds, kind)
	}
	return kinds
}

// label is a short text, "" for one that is too long.
func label(text string) string {
	if len(text) > MaxLabel {
		return ""
	}
	return text
}
