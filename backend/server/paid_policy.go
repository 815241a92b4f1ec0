package server

import (
	"parley/runner"
	"parley/runner/attempt"
)

// paidPolicy allows paid execution to local callers only (runner 7.3). It is asked for requests that require a paid
// profile; consent in the body does not replace it.
func paidPolicy(c Caller) attempt.Policy {
	return func(*runner.Request) *runner.Diagnostic {
		broken := c.Local()
		if broken == nil {
			return nil
		}
		denied := runner.Diagnose(runner.CodeNativeHTTPDenied, "paid execution over HTTP is for this machine only: "+
			broken.Error()+"; run it with the command line on the machine itself")
		return &denied
	}
}
