// Package harness is the contract between the Runtime and the native agent programs behind it: what a Factory, an
// Executor and a Turn promise (behaviour 9.1), what a kind declares, and the registry of kinds (behaviour 9.2).
//
// The dispatcher calls it and adapters below it implement it. A declaration is the most that a kind can do; the presence
// of a method grants nothing. The package starts no process and knows no connection.
package harness
