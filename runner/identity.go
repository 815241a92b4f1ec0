package runner

// Identity is the seven-field block of runner 2.7. It is derived from admitted input and proves nothing about
// execution.
type Identity struct {
	Version         string `json:"version"`
	CanonicalDigest string `json:"canonical_digest"`
	Run             string `json:"run"`
	Shard           string `json:"shard"`
	Task            string `json:"task"`
	Trial           string `json:"trial"`
	Attempt         string `json:"attempt"`
}
