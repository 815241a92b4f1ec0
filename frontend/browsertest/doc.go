// Package browsertest holds the tests that look at the lab as a person does: a real Chromium on the real server, with a
// real database in a temporary folder.
//
// It is a package of tests alone and may import everything, the whole program included; nobody imports it. The browser
// is "chromium" in PATH or what PARLEY_CHROMIUM names. Without one the tests are skipped and say so; where CI is set
// they fail instead, so that a green run cannot mean "skipped".
package browsertest
