package frontend

// RecordView is one stored record on its own page.
type RecordView struct {
	Lab           Lab
	Record        Record
	Report        ReportView
	RequestDigest string // SHA-256 of the stored request bytes, hex
	AnswerDigest  string // SHA-256 of the stored answer bytes, hex
}
