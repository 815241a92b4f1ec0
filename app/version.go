package app

import (
	"runtime"
	"runtime/debug"
)

// version is written by the linker (-X parley/app.version=…).
var version string

// Version is the program's version as the build gave it, or "unknown".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unknown"
}

// Commit is the commit that the program was built from, or "unknown".
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, dirty := "unknown", ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			commit = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				dirty = "-dirty"
			}
		}
	}
	return commit + dirty
}

// Platform is operating system and architecture, "linux/amd64".
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }
