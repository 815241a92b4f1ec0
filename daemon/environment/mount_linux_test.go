package environment_test

import "syscall"

func mountSmall(dir string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m") }

func unmount(dir string) error { return syscall.Unmount(dir, 0) }
