package server

//go:generate go test -run TestRoutesDocumentIsCurrent -write-docs
