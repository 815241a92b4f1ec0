// Package data is the room where one lab keeps its files: where the folder lies, who may read it, which program holds
// it, and the secrets in it.
//
// It promises that a folder belongs to its owner alone (0700, files 0600), that one program holds it at a time (a lock
// of the operating system, released by its death too), and that a file appears whole or not at all.
//
// Package app calls it. It knows nothing of the database that lies in the folder, and never deletes what a person made.
package data
