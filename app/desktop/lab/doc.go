// Package lab gives the window a lab to show: one that already runs on the data folder, or else a child process of the
// window program. A child is told to end by closing its standard input, so it also ends when the window program is
// killed; one that does not end in time is killed with everything it started.
//
// Only app/desktop calls it. It knows neither the window toolkit nor the server: it starts a command, reads the one line
// that the command prints when it is ready, and stops it. A lab that somebody else started is never stopped.
package lab
