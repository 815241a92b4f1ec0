package frontend

import "time"

// Record is one act as it was stored: the exact bytes sent and answered. ReportOf, RecordOf and RowOf read it.
type Record struct {
	ID       string        // random name of the stored record; "" when it could not be stored
	Unstored string        // why it could not be stored, one sentence; "" when it is stored
	Act      Act           // what was done
	At       time.Time     // when it was answered, in the zone to show
	Elapsed  time.Duration // from the request's last byte to the answer
	Request  []byte        // exact request text
	Answer   []byte        // exact answer document
	Receipt  []byte        // the unit receipt behind a run, nil when there is none
}

// RecordRow is one line of a history list. Fields that the record does not know stay empty.
type RecordRow struct {
	ID    string
	At    time.Time
	Act   Act
	Unit  string // "berth-7, 3", or "" when the act had no unit
	Badge Badge  // verdict in words, "Success, exit 0"
	Calls string // engine calls as a decimal number, "" unknown
}

// RowFacts are the columns that a store keeps beside the bytes of a record.
type RowFacts struct {
	ID      string
	At      time.Time
	Act     Act
	Verdict string // status of a negotiation or receipt, outcome of a terminal, as the document spells it
	Exit    *int   // exit code, nil unknown
	Calls   *int   // engine calls, nil unknown
	Task    string // "" unknown
	Trial   int    // 0 unknown
}
