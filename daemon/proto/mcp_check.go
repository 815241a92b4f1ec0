package proto

import "net/url"

// Origins of an MCP connection (wire 3.6.5).
const (
	OriginService     = "service"
	OriginEnvironment = "environment"
)

// check applies wire 3.6.5 inside the configuration that names the place of execution. URL, token and headers are never
// shown.
func (m *MCPHTTPServer) check(in *Configuration) Faults {
	c := checker{rule: "wire 3.6.5"}
	c.oneOf("connection_origin", m.ConnectionOrigin, OriginService, OriginEnvironment)
	switch m.ConnectionOrigin {
	case OriginService:
		c.that(in.LocalEnvironment == nil, "connection_origin", "environment, as there is a local one", OriginService)
	case OriginEnvironment:
		c.that(in.LocalEnvironment != nil, "connection_origin", "service, as there is no local environment", OriginEnvironment)
	}
	c.present("server_label", m.ServerLabel)
	if m.Stdio != nil {
		m.checkStdio(&c)
		return c.faults
	}
	c.present("server_url", m.ServerURL)
	if m.BearerToken != nil {
		c.that(httpsWithHost(m.ServerURL), "server_url", "https with a host, as a bearer token goes there", "another URL")
	}
	return c.faults
}

// checkStdio checks a server that is a process of the Environment.
func (m *MCPHTTPServer) checkStdio(c *checker) {
	c.that(m.ConnectionOrigin == OriginEnvironment, "stdio", "the origin environment beside it", "another origin")
	c.absent(m.ServerURL == "", "server_url")
	c.absent(m.BearerToken == nil, "bearer_token")
	c.absent(len(m.Headers) == 0, "headers")
	c.present("stdio.command", m.Stdio.Command)
}

func httpsWithHost(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Scheme == "https" && parsed.Hostname() != ""
}
