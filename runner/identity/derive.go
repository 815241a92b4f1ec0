package identity

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// Version names the derivation, as documents carry it.
const Version = "sha256-waza-c14n-v1"

// contractVersion is the constant part of run: request schema version and runner version are both 1.0 for an admitted
// request, so which of them is meant cannot be told apart (runner-identity 1).
const contractVersion = "1.0"

// Of encodes both documents and derives the identity. Its error is ErrNotEncodable, which admitted documents never give.
func Of(req *runner.Request, eval, task *yaml.Node) (runner.Identity, error) {
	canonicalEval, err := Encode(eval)
	if err != nil {
		return runner.Identity{}, fmt.Errorf("derive identity from the eval: %w", err)
	}
	canonicalTask, err := Encode(task)
	if err != nil {
		return runner.Identity{}, fmt.Errorf("derive identity from the task: %w", err)
	}
	return Derive(req, canonicalEval, canonicalTask), nil
}

// Derive is the chain of runner-identity 1: each hash holds its parent's, and the digest, computed last, holds all
// five. Capabilities, offered versions, consent and profile are not in it.
func Derive(req *runner.Request, canonicalEval, canonicalTask string) runner.Identity {
	run := hash("run", contractVersion, req.RunKey, strconv.FormatInt(req.TimeoutMS, 10), canonicalEval)
	shard := hash("shard", run, req.Selection.Shard)
	task := hash("task", shard, req.Selection.Task, canonicalTask)
	trial := hash("trial", task, strconv.Itoa(req.Selection.Trial))
	attempt := hash("attempt", trial, strconv.Itoa(req.Selection.Attempt))
	return runner.Identity{
		Version:         Version,
		CanonicalDigest: hash("input", run, shard, task, trial, attempt),
		Run:             "run-" + run,
		Shard:           "shard-" + shard,
		Task:            "task-" + task,
		Trial:           "trial-" + trial,
		Attempt:         "attempt-" + attempt,
	}
}

// hash is H of runner-identity 1: every part is a string, ordinals and the timeout in decimal. Parts are whole documents
// and go through a small buffer; writing to a hash cannot fail.
func hash(namespace string, parts ...string) string {
	sum := sha256.New()
	w := bufio.NewWriter(sum)
	w.WriteString(Version + "\x00" + namespace + "\x00")
	count(w, letterSequence, len(parts))
	for _, part := range parts {
		token(w, letterString, part)
	}
	w.Flush()
	return hex.EncodeToString(sum.Sum(nil))
}
