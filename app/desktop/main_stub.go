//go:build !desktop

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "parley-desktop: built without the window; build it with `make desktop`, or use `parley serve`")
	os.Exit(2)
}
