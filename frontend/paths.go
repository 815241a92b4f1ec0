package frontend

import "net/url"

// recordFile is the address of stored bytes: request, answer, receipt or export.
func recordFile(id, what string) string {
	return "/api/v1/lab/records/" + url.PathEscape(id) + "/" + what
}

func samplePath(name string) string { return "/runner/" + url.PathEscape(name) }

func recordPath(id string) string { return "/runs/" + url.PathEscape(id) }

// reopenPath opens a stored request in the lab.
func reopenPath(id string) string { return "/runner?from=" + url.QueryEscape(id) }

func exportWord(a Act) string {
	switch a {
	case ActNegotiate:
		return "Export compatibility JSON"
	case ActValidate:
		return "Export validation JSON"
	}
	return "Export run JSON"
}
