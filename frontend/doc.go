// Package frontend is what a person sees: pages and components, their styles, scripts and icons.
//
// It promises that every page is a pure function of a view struct: the same view gives the same bytes, everything that
// came from a document is shown as text, and no page needs an inline script, an inline style or another host. Handlers
// of backend/server call it: they fill a view (RunnerView, HistoryView, RecordView, ErrorView) or build one from stored
// bytes (ReportOf, RecordOf, RowOf) and write the component.
//
// It never touches the store, the network, a clock or a process, and it imports nothing of backend. The bytes under
// static/ are made from script/, style/ and vendor/ by build/bundle; a test proves that they are current.
package frontend

//go:generate go run ../build/bundle
