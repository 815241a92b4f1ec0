// Command parley-desktop shows the lab in a window of its own. The window is a browser onto the loopback server and
// nothing else: it attaches to the lab that runs on the data folder, or starts one as a child process of this program
// and ends it when it closes. It binds no Go method and knows nothing of what the pages show.
//
// The window toolkit needs C libraries, so its files stand behind the build tag desktop; without the tag the program
// says how to get one that has it.
package main
