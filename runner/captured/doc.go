// Package captured admits the two YAML texts of a complete request: it turns them into one Unit, or into findings with
// line and column for everything that can be reported together (runner 1.4 step 7 and runner 4). It promises that
// aliases, anchors and merge keys are refused before anything is expanded, that the work is linear in the texts, that
// equal input gives equal findings, and that no finding repeats a long or private content.
//
// The fields of both documents are data: eval_fields.go and task_fields.go list them with the rules of both profiles.
// Anybody may call Admit, editors too. It opens no file, expands no pattern and resolves no default into the documents.
package captured
