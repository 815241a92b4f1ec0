package server

import (
	"parley/backend/store"
	"parley/runner"
	"parley/runner/attempt"
)

// deed is what an act gave: the answer as the contract writes it, and the facts that a list of records shows.
type deed struct {
	answer  []byte
	receipt []byte // the unit receipt behind a run
	facts   store.Summary
}

// negotiated words a negotiation. It never starts an engine, so its calls are known to be zero.
func negotiated(n runner.Negotiation) deed {
	return deed{answer: runner.Encode(n), facts: store.Summary{
		Verdict: string(n.Status), ExitCode: n.Status.ExitCode(), EngineCalls: new(int)}}
}

func validated(r runner.Receipt) deed {
	d := deed{answer: runner.Encode(r)}
	d.facts = factsOf(r)
	d.facts.Verdict, d.facts.ExitCode = string(r.Status), r.ExitCode()
	return d
}

// ran words a run by the terminal that the contract shows.
func ran(e attempt.Ended) deed {
	shown := runner.Seal(e.Terminal)
	d := deed{answer: runner.EncodeTerminal(shown), receipt: runner.Encode(e.Receipt), facts: factsOf(e.Receipt)}
	d.facts.Verdict, d.facts.ExitCode, d.facts.EngineCalls = string(shown.Outcome), shown.ExitCode, &shown.EngineCalls
	return d
}

func factsOf(r runner.Receipt) store.Summary {
	facts := store.Summary{EngineCalls: &r.EngineCalls}
	if r.Requested != nil {
		facts.Task, facts.Trial = r.Requested.Task, r.Requested.Trial
	}
	if r.Identity != nil {
		facts.Digest = r.Identity.CanonicalDigest
	}
	return facts
}
