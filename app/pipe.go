package app

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveReaders makes the end of whoever reads a stream of this process an error of the write. By default the next log
// line would end the process at once, with units running and the database open. It holds until the process ends, as the
// last message may go to such a stream too. Programs that are started keep the default: a signal that were ignored
// would be ignored by them as well.
func outliveReaders() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // that it is asked for is all; nobody waits for it
}
