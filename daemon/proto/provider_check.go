package proto

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

// check applies wire 3.6.2. Neither the key nor the URL is ever shown: a URL may hold a password.
func (p *ModelProvider) check() Faults {
	c := checker{rule: "wire 3.6.2"}
	c.noOthers(p.Others)
	c.oneOf("protocol", p.Protocol, "anthropic", "responses", "chat_completions")
	c.that(providerURL(p.BaseURL), "base_url",
		"https, or http to a loopback IP, with a host and without user, query, fragment and control characters", "another URL")
	c.that(!Blank(p.APIKey), "api_key", "a key that is not blank", "none")
	c.that(len(p.APIKey) <= MaxAPIKey, "api_key", "at most 16384 bytes", "more")
	c.that(!strings.ContainsAny(p.APIKey, "\x00\r\n"), "api_key", "no NUL, CR or LF", "one of them")
	c.number(p.ContextWindow >= 0, "context_window", "0 or more", int64(p.ContextWindow))
	c.number(p.MaxOutputTokens >= 0, "max_output_tokens", "0 or more", int64(p.MaxOutputTokens))
	c.number(p.ContextWindow <= 0 || p.MaxOutputTokens <= p.ContextWindow, "max_output_tokens",
		"at most context_window", int64(p.MaxOutputTokens))
	return c.faults
}

// providerURL reports whether a model may be called at the URL (wire 3.6.2).
func providerURL(text string) bool {
	if strings.ContainsFunc(text, unicode.IsControl) || strings.ContainsAny(text, "?#") {
		return false
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil {
		return false
	}
	if parsed.Scheme == "https" {
		return true
	}
	address, err := netip.ParseAddr(parsed.Hostname())
	return parsed.Scheme == "http" && err == nil && address.Unmap().IsLoopback()
}
