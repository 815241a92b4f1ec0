package proto_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/daemon/proto"
)

// wire 3.8.1, 3.8.2
func TestTransferRules(t *testing.T) {
	t.Parallel()
	prepare := func(edit func(*proto.RuntimePrepare)) func(proto.Payload) { return on(edit) }
	run(t, []breach{
		{"V03", "budget at its end", prepare(func(p *proto.RuntimePrepare) { p.BudgetMS = 1_800_000 }), "", ""},
		{"V03", "budget below 1", prepare(func(p *proto.RuntimePrepare) { p.BudgetMS = -1 }), "payload.budget_ms", "wire 3.8.1"},
		{"V03", "Environment", prepare(func(p *proto.RuntimePrepare) { p.EnvironmentID = "env" }), "payload.environment_id", "wire 3.8.1"},
		{"V03", "Session", prepare(func(p *proto.RuntimePrepare) { p.SessionID = "" }), "payload.session_id", "wire 3.8.1"},
		{"V03", "step", prepare(func(p *proto.RuntimePrepare) { p.Step = "end" }), "payload.step", "wire 3.8.1"},
		{"V03", "action", prepare(func(p *proto.RuntimePrepare) { p.Action = "install" }), "payload.action", "wire 3.8.2"},
		{"V03", "no object", prepare(func(p *proto.RuntimePrepare) { p.Skill = nil }), "payload.skill", "wire 3.8.2"},
		{"V03", "object of another action", prepare(func(p *proto.RuntimePrepare) { p.Sources = &proto.Sources{} }), "payload.sources", "wire 3.8.2"},
		{"V03", "size above the end", prepare(func(p *proto.RuntimePrepare) { p.SizeBytes = 52_428_801 }), "payload.size_bytes", "wire 3.8.2"},
		{"V03", "no digest", prepare(func(p *proto.RuntimePrepare) { p.SHA256 = "" }), "payload.sha256", "wire 3.8.2"},
		{"V06", "no digest of no bytes", prepare(func(p *proto.RuntimePrepare) { p.SHA256 = "" }), "payload.sha256", "wire 3.8.2"},
		{"V03", "slot of a skill", prepare(func(p *proto.RuntimePrepare) { p.Slot = 1 }), "payload.slot", "wire 3.8.2"},
		{"V04", "slot below 0", prepare(func(p *proto.RuntimePrepare) { p.Slot = -1 }), "payload.slot", "wire 3.8.2"},
		{"V12", "size of a finalize", prepare(func(p *proto.RuntimePrepare) { p.SizeBytes = 1 }), "payload.size_bytes", "wire 3.8.2"},
		{"V12", "digest of a finalize", prepare(func(p *proto.RuntimePrepare) { p.SHA256 = long(64) }), "payload.sha256", "wire 3.8.2"},
		{"V03", "offset", prepare(func(p *proto.RuntimePrepare) { p.Offset = 1 }), "payload.offset", "wire 3.8.1"},
		{"V03", "data", prepare(func(p *proto.RuntimePrepare) { p.Data = []byte("x") }), "payload.data", "wire 3.8.1"},
		{"V03", "data of no bytes", prepare(func(p *proto.RuntimePrepare) { p.Data = []byte{} }), "", ""},
		{"V07", "whole piece at the last place", prepare(func(p *proto.RuntimePrepare) { p.Data, p.Offset = make([]byte, 65_536), 52_363_264 }), "", ""},
		{"V07", "piece beyond the end", prepare(func(p *proto.RuntimePrepare) { p.Data, p.Offset = make([]byte, 65_536), 52_363_265 }), "payload.offset", "wire 3.8.1"},
		{"V07", "piece too long", prepare(func(p *proto.RuntimePrepare) { p.Data = make([]byte, 65_537) }), "payload.data", "wire 3.8.1"},
		{"V07", "offset below 0", prepare(func(p *proto.RuntimePrepare) { p.Offset = -1 }), "payload.offset", "wire 3.8.1"},
		{"V07", "action", prepare(func(p *proto.RuntimePrepare) { p.Action = "file" }), "payload.action", "wire 3.8.1"},
		{"V07", "object", prepare(func(p *proto.RuntimePrepare) { p.File = &proto.FileTarget{} }), "payload.file", "wire 3.8.1"},
		{"V07", "Environment", prepare(func(p *proto.RuntimePrepare) { p.EnvironmentID = "e" }), "payload.environment_id", "wire 3.8.1"},
		{"V07", "Session", prepare(func(p *proto.RuntimePrepare) { p.SessionID = "s" }), "payload.session_id", "wire 3.8.1"},
		{"V07", "slot", prepare(func(p *proto.RuntimePrepare) { p.Slot = 1 }), "payload.slot", "wire 3.8.1"},
		{"V07", "skill", prepare(func(p *proto.RuntimePrepare) { p.Skill = &proto.Capsule{} }), "payload.skill", "wire 3.8.1"},
		{"V07", "plugin", prepare(func(p *proto.RuntimePrepare) { p.Plugin = &proto.Capsule{} }), "payload.plugin", "wire 3.8.1"},
		{"V07", "initialization", prepare(func(p *proto.RuntimePrepare) { p.Initialization = &proto.Initialization{} }), "payload.initialization", "wire 3.8.1"},
		{"V07", "sources", prepare(func(p *proto.RuntimePrepare) { p.Sources = &proto.Sources{} }), "payload.sources", "wire 3.8.1"},
		{"V07", "digest", prepare(func(p *proto.RuntimePrepare) { p.SHA256 = long(64) }), "payload.sha256", "wire 3.8.1"},
		{"V09", "object of initialize", prepare(func(p *proto.RuntimePrepare) { p.Initialization = nil }), "payload.initialization", "wire 3.8.2"},
		{"V04", "object of plugin", prepare(func(p *proto.RuntimePrepare) { p.Plugin = nil }), "payload.plugin", "wire 3.8.2"},
		{"V05", "file that is too large", prepare(func(p *proto.RuntimePrepare) { p.SizeBytes = 52_428_801 }), "payload.size_bytes", "wire 3.8.2"},
		{"V05", "object of file", prepare(func(p *proto.RuntimePrepare) { p.File = nil }), "payload.file", "wire 3.8.2"},
		{"V12", "object of finalize", prepare(func(p *proto.RuntimePrepare) { p.Sources = nil }), "payload.sources", "wire 3.8.2"},
		{"V04", "plugin of no bytes", prepare(func(p *proto.RuntimePrepare) { p.SizeBytes = 0 }), "payload.size_bytes", "wire 3.8.2"},
		{"V05", "digest of a file", prepare(func(p *proto.RuntimePrepare) { p.SHA256 = long(64) }), "payload.sha256", "wire 3.8.2"},
		{"V08", "data", prepare(func(p *proto.RuntimePrepare) { p.Data = []byte("x") }), "payload.data", "wire 3.8.1"},
		{"V08", "size", prepare(func(p *proto.RuntimePrepare) { p.SizeBytes = 1 }), "payload.size_bytes", "wire 3.8.1"},
	})
}

// wire 3.8.3
func TestTransferObjects(t *testing.T) {
	t.Parallel()
	prepare := func(edit func(*proto.RuntimePrepare)) func(proto.Payload) { return on(edit) }
	step := func(edit func(*proto.Initialization)) func(proto.Payload) {
		return on(func(p *proto.RuntimePrepare) { edit(p.Initialization) })
	}
	const rule = "wire 3.8.3"
	many := func(n int) []string {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprintf("/d%d", i)
		}
		return names
	}
	run(t, []breach{
		{"V03", "type of a skill", prepare(func(p *proto.RuntimePrepare) { p.Skill.Type = "url" }), "payload.skill.type", rule},
		{"V03", "name of a skill", prepare(func(p *proto.RuntimePrepare) { p.Skill.Name = "" }), "payload.skill.name", rule},
		{"V04", "description of a plugin", prepare(func(p *proto.RuntimePrepare) { p.Plugin.Description = "" }), "payload.plugin.description", rule},
		{"V09", "action", step(func(i *proto.Initialization) { i.Action = "run" }), "payload.initialization.action", rule},
		{"V09", "no env", step(func(i *proto.Initialization) { i.Env = nil }), "", ""},
		{"V09", "empty name", step(func(i *proto.Initialization) { i.Env = map[string]string{"": "v"} }), "payload.initialization.env", rule},
		{"V09", "line feed in a name", step(func(i *proto.Initialization) { i.Env = map[string]string{"A\nB": "v"} }), "payload.initialization.env", rule},
		{"V09", "NUL in a value", step(func(i *proto.Initialization) { i.Env = map[string]string{"A": "\x00"} }), "payload.initialization.env", rule},
		{"V09", "line feed in a value", step(func(i *proto.Initialization) { i.Env = map[string]string{"A": "a\nb"} }), "", ""},
		{"V09", "most values", step(func(i *proto.Initialization) { i.Env = values(1000) }), "", ""},
		{"V09", "too many values", step(func(i *proto.Initialization) { i.Env = values(1001) }), "payload.initialization.env", rule},
		{"V09", "command", step(func(i *proto.Initialization) { i.Command = "x" }), "payload.initialization.command", rule},
		{"V09", "folder", step(func(i *proto.Initialization) { i.Cwd = "/workspace" }), "payload.initialization.cwd", rule},
		{"V10", "no package", step(func(i *proto.Initialization) { i.Packages = []string{} }), "payload.initialization.packages", rule},
		{"V10", "most packages", step(func(i *proto.Initialization) { i.Packages = many(1000) }), "", ""},
		{"V10", "too many packages", step(func(i *proto.Initialization) { i.Packages = many(1001) }), "payload.initialization.packages", rule},
		{"V10", "empty package", step(func(i *proto.Initialization) { i.Packages = []string{"a", ""} }), "payload.initialization.packages[1]", rule},
		{"V10", "CR in a package", step(func(i *proto.Initialization) { i.Packages = []string{"a\r"} }), "payload.initialization.packages[0]", rule},
		{"V10", "empty env", step(func(i *proto.Initialization) { i.Env = map[string]string{} }), "payload.initialization.env", rule},
		{"V11", "no command", step(func(i *proto.Initialization) { i.Command = "" }), "payload.initialization.command", rule},
		{"V11", "NUL in the command", step(func(i *proto.Initialization) { i.Command = "a\x00" }), "payload.initialization.command", rule},
		{"V11", "no folder", step(func(i *proto.Initialization) { i.Cwd = "" }), "", ""},
		{"V11", "folder below", step(func(i *proto.Initialization) { i.Cwd = "/workspace/a" }), "", ""},
		{"V11", "folder elsewhere", step(func(i *proto.Initialization) { i.Cwd = "/workspaces" }), "payload.initialization.cwd", rule},
		{"V11", "empty packages", step(func(i *proto.Initialization) { i.Packages = []string{} }), "payload.initialization.packages", rule},
		{"V12", "most directories", prepare(func(p *proto.RuntimePrepare) { p.Sources.Directories = many(50) }), "", ""},
		{"V12", "too many directories", prepare(func(p *proto.RuntimePrepare) { p.Sources.Directories = many(51) }), "payload.sources.directories", rule},
		{"V12", "too many skills", prepare(func(p *proto.RuntimePrepare) { p.Sources.Skills = make([]proto.Capsule, 51) }), "payload.sources.skills", rule},
		{"V12", "too many plugins", prepare(func(p *proto.RuntimePrepare) { p.Sources.Plugins = make([]proto.Capsule, 51) }), "payload.sources.plugins", rule},
		{"V12", "skill", prepare(func(p *proto.RuntimePrepare) { p.Sources.Skills[0].Name = "" }), "payload.sources.skills[0].name", rule},
		{"V12", "plugin", prepare(func(p *proto.RuntimePrepare) { p.Sources.Plugins = make([]proto.Capsule, 1) }), "payload.sources.plugins[0].type", rule},
		{"V12", "directory twice", prepare(func(p *proto.RuntimePrepare) { p.Sources.Directories = []string{"/a", "/b", "/a"} }), "payload.sources.directories[2]", rule},
	})
}

func values(n int) map[string]string {
	all := make(map[string]string, n)
	for i := range n {
		all[fmt.Sprintf("K%d", i)] = ""
	}
	return all
}

// wire 3.8.3
func TestDirectories(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/": true, "/opt": true, "/opt/a b": true, `/opt/a\b`: true, "/" + long(4095): true,
		`C:\`: true, `C:\a`: true, `z:\a\b`: true, `\\server\share`: true, `\\server\share\a`: true,
		"": false, "opt": false, "./opt": false, "/opt/": false, "//opt": false, "/opt//a": false, "/opt/../a": false, "/.": false, "/a/.": false,
		"/a\x00b": false, "/" + long(4096): false, "C:": false, `C:a`: false, `C:/a`: false, `C:\a\`: false, `C:\a\..\b`: false,
		`C:\a/b`: false, `1:\a`: false, `\a`: false, `\\server`: false, `\\server\`: false, `\\`: false, `\\server/share\a`: false,
	} {
		payload := validFrame(t, "V12").Payload.(*proto.RuntimePrepare)
		payload.Sources.Directories = []string{path}
		if err := proto.New(validFrame(t, "V12").ID, payload).Validate(); (err == nil) != want {
			t.Errorf("%.40q: got %v, want accepted %v", path, err, want)
		}
	}
}

// wire 3.8.3, 3.10.2
func TestPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"a": true, "a/b": true, ".a": true, "..a/b..": true, "a b/ü": true, long(4096): true,
		"": false, ".": false, "..": false, "/": false, "/a": false, "a/": false, "a//b": false, "a/./b": false, "a/..": false, "../a": false,
		`a\b`: false, "a\x00": false, "a\r": false, "a\nb": false, "a\xff": false, long(4097): false,
	} {
		if got := proto.RelativePath(path); got != want {
			t.Errorf("relative %.40q: got %v, want %v", path, got, want)
		}
		if logical := "/workspace/" + path; len(path) < 4000 && proto.LogicalPath(logical) != want {
			t.Errorf("logical %.40q: got %v, want %v", logical, !want, want)
		}
	}
	for path, want := range map[string]bool{
		"/workspace": false, "/workspace/": false, "workspace/a": false, "/workspaces/a": false, "/Workspace/a": false,
		"/workspace/" + strings.Repeat("a", 4085): true, "/workspace/" + strings.Repeat("a", 4086): false,
	} {
		if got := proto.LogicalPath(path); got != want {
			t.Errorf("logical %.40q: got %v, want %v", path, got, want)
		}
	}
}

// wire 0.2
func TestWordsOfTheContract(t *testing.T) {
	t.Parallel()
	blanks := []rune{0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
		0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff}
	if !proto.Blank(string(blanks)) || !proto.Blank("") || len(blanks) != 26 {
		t.Error("got the 26 code points as not blank, want blank")
	}
	for r := rune(0); r <= 0xffff; r++ {
		want := strings.ContainsRune(string(blanks), r)
		if got := proto.Blank(string(r)); got != want {
			t.Errorf("%U: got blank %v, want %v", r, got, want)
		}
	}
	for text, want := range map[string]bool{
		"c0a9f1de-5b34-47e8-a6d2-0f1e2d3c4b5a": true, "00000000-0000-0000-0000-000000000001": true,
		"00000000-0000-0000-0000-000000000000": false, "C0a9f1de-5b34-47e8-a6d2-0f1e2d3c4b5a": false,
		"c0a9f1de5b3447e8a6d20f1e2d3c4b5a": false, "{c0a9f1de-5b34-47e8-a6d2-0f1e2d3c4b5a}": false,
		"c0a9f1de-5b34-47e8-a6d2-0f1e2d3c4b5g": false, "c0a9f1de-5b34-47e8-a6d2-0f1e2d3c4b5a ": false,
		"c0a9f1de-5b34-47e8-a6d20-f1e2d3c4b5a": false, "": false,
	} {
		if got := proto.CanonicalUUID(text); got != want {
			t.Errorf("UUID %q: got %v, want %v", text, got, want)
		}
	}
}
