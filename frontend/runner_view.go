package frontend

// RunnerView is the runner contract lab, whatever was opened in it.
type RunnerView struct {
	Lab    Lab
	Draft  string // name under which edits are kept, PUT /api/v1/lab/drafts/{Draft}; DefaultDraft for /runner
	Path   string // address of this page, for "Copy link": "/runner", "/runner/unit", "/runner?from=ID"
	Text   string // exact text of the editor: the draft if there is one, else Base
	Base   string // text that "Revert" gives back; "" when there is none
	Title  string // what Base is, "sample unit" or "record 3f9c"; "" when there is none
	Notice string // one sentence to show above the editor, such as a draft that could not be read; "" none
	Recent []RecordRow
	// RecentError says why the history could not be read; "" when it could.
	RecentError string
}

// DefaultDraft is the draft behind /runner.
const DefaultDraft = "draft"

// RecentRecords is how many records the lab page lists.
const RecentRecords = 10

// RecordDraft names the draft in which edits of a stored request are kept.
func RecordDraft(id string) string { return "record-" + id }
