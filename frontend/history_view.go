package frontend

// HistoryView is the list of stored records, newest first.
type HistoryView struct {
	Lab   Lab
	Rows  []RecordRow
	Older string // address of the next page, "" at the end
	First bool   // this is the newest page
	Total int    // how many records there are, -1 unknown
	Error string // why the list could not be read, "" when it could
}
