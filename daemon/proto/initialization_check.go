package proto

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

func (p *RuntimePrepare) check() Faults {
	c := checker{rule: "wire 3.8.1"}
	c.oneOf("step", p.Step, StepBegin, StepChunk, StepCommit)
	if p.Step == StepBegin {
		p.checkBegin(&c)
	} else {
		p.checkLater(&c)
	}
	c.piece(p.Step, p.Offset, p.Data)
	return c.faults
}

// checkLater wants nothing of a begin in a chunk or a commit.
func (p *RuntimePrepare) checkLater(c *checker) {
	c.absent(p.BudgetMS == 0, "budget_ms")
	c.absent(p.EnvironmentID == "", "environment_id")
	c.absent(p.SessionID == "", "session_id")
	c.absent(p.Action == "", "action")
	c.absent(p.Slot == 0, "slot")
	c.absent(p.Skill == nil, "skill")
	c.absent(p.Plugin == nil, "plugin")
	c.absent(p.File == nil, "file")
	c.absent(p.Initialization == nil, "initialization")
	c.absent(p.Sources == nil, "sources")
	c.absent(p.SizeBytes == 0, "size_bytes")
	c.absent(p.SHA256 == "", "sha256")
}

func (p *RuntimePrepare) checkBegin(c *checker) {
	c.within("budget_ms", p.BudgetMS, 1, MaxBudget.Milliseconds())
	c.text(CanonicalUUID(p.EnvironmentID), "environment_id", "a canonical UUID", p.EnvironmentID)
	c.text(CanonicalUUID(p.SessionID), "session_id", "a canonical UUID", p.SessionID)
	c.by("wire 3.8.2", p.checkAction)
	c.by("wire 3.8.3", p.checkObject)
}

// checkAction holds object, size, digest and slot to the action (wire 3.8.2).
func (p *RuntimePrepare) checkAction(c *checker) {
	c.oneOf("action", p.Action, ActionSkill, ActionPlugin, ActionFile, ActionInitialize, ActionFinalize)
	c.that((p.Skill != nil) == (p.Action == ActionSkill), "skill", "the object of the action skill", "none, or that of another action")
	c.that((p.Plugin != nil) == (p.Action == ActionPlugin), "plugin", "the object of the action plugin", "none, or that of another action")
	c.that((p.File != nil) == (p.Action == ActionFile), "file", "the object of the action file", "none, or that of another action")
	c.that((p.Initialization != nil) == (p.Action == ActionInitialize), "initialization", "the object of the action initialize", "none, or that of another action")
	c.that((p.Sources != nil) == (p.Action == ActionFinalize), "sources", "the object of the action finalize", "none, or that of another action")
	switch p.Action {
	case ActionSkill, ActionPlugin:
		c.within("size_bytes", p.SizeBytes, 1, MaxTransfer)
		c.text(Digest(p.SHA256), "sha256", "64 lower-case hex digits", p.SHA256)
	case ActionFile:
		c.within("size_bytes", p.SizeBytes, 0, MaxTransfer)
		c.text(Digest(p.SHA256), "sha256", "64 lower-case hex digits", p.SHA256)
	default:
		c.absent(p.SizeBytes == 0, "size_bytes")
		c.absent(p.SHA256 == "", "sha256")
	}
	if p.Action == ActionPlugin {
		c.within("slot", int64(p.Slot), 0, MaxSlot)
	} else {
		c.absent(p.Slot == 0, "slot")
	}
}

// checkObject checks the objects that are there (wire 3.8.3).
func (p *RuntimePrepare) checkObject(c *checker) {
	if p.Skill != nil {
		c.under("skill", p.Skill.check())
	}
	if p.Plugin != nil {
		c.under("plugin", p.Plugin.check())
	}
	if p.File != nil {
		c.text(LogicalPath(p.File.Path), "file.path", "a cleaned path below /workspace", p.File.Path)
	}
	if p.Initialization != nil {
		c.under("initialization", p.Initialization.check())
	}
	if p.Sources != nil {
		c.under("sources", p.Sources.check())
	}
}

func (p *Capsule) check() Faults {
	c := checker{rule: "wire 3.8.3"}
	c.text(p.Type == "inline", "type", "inline", p.Type)
	c.present("name", p.Name)
	c.present("description", p.Description)
	return c.faults
}

func (s *Sources) check() Faults {
	c := checker{rule: "wire 3.8.3"}
	c.number(len(s.Skills) <= MaxSources, "skills", "at most 50", int64(len(s.Skills)))
	c.number(len(s.Plugins) <= MaxSources, "plugins", "at most 50", int64(len(s.Plugins)))
	c.number(len(s.Directories) <= MaxSources, "directories", "at most 50", int64(len(s.Directories)))
	if len(c.faults) > 0 {
		return c.faults
	}
	each(&c, "skills", s.Skills, (*Capsule).check)
	each(&c, "plugins", s.Plugins, (*Capsule).check)
	for i, directory := range s.Directories {
		once := !slices.Contains(s.Directories[:i], directory)
		if !once || !absoluteDirectory(directory) {
			c.add(index("directories", i), "an absolute cleaned path, each once", show(directory))
		}
	}
	return c.faults
}

// check applies the row of the action (wire 3.8.3). Values of the environment are never shown.
func (i *Initialization) check() Faults {
	c := checker{rule: "wire 3.8.3"}
	c.oneOf("action", i.Action, InitConfigure, InitNpm, InitPython, InitSetup)
	if i.Action == InitConfigure {
		i.checkEnv(&c)
	} else {
		c.absent(i.Env == nil, "env")
	}
	if i.Action == InitNpm || i.Action == InitPython {
		i.checkPackages(&c)
	} else {
		c.absent(i.Packages == nil, "packages")
	}
	if i.Action == InitSetup {
		c.that(i.Command != "" && utf8.ValidString(i.Command) && !strings.Contains(i.Command, "\x00"), "command",
			"a command without NUL", "none, or one with NUL")
		c.text(i.Cwd == "" || i.Cwd == workspaceRoot || LogicalPath(i.Cwd), "cwd", "/workspace or a cleaned path below it", i.Cwd)
	} else {
		c.absent(i.Command == "", "command")
		c.absent(i.Cwd == "", "cwd")
	}
	return c.faults
}

func (i *Initialization) checkEnv(c *checker) {
	if len(i.Env) > MaxEnv {
		c.number(false, "env", "at most 1000 members", int64(len(i.Env)))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(i.Env)) {
		value := i.Env[name]
		valid := name != "" && utf8.ValidString(name) && !strings.ContainsAny(name, "=\x00\r\n")
		c.text(valid, "env", "names without =, NUL, CR and LF", name)
		c.that(utf8.ValidString(value) && !strings.Contains(value, "\x00"), "env", "values without NUL", "a value with NUL")
	}
}

func (i *Initialization) checkPackages(c *checker) {
	if len(i.Packages) < 1 || len(i.Packages) > MaxPackages {
		c.number(false, "packages", "1 to 1000", int64(len(i.Packages)))
		return
	}
	for n, name := range i.Packages {
		valid := name != "" && utf8.ValidString(name) && name[0] != '-' && !strings.ContainsAny(name, "\x00\r\n")
		if !valid {
			c.add(index("packages", n), "a package that does not begin with - and has no NUL, CR or LF", show(name))
		}
	}
}

func (r *RuntimePrepareResult) check() Faults {
	c := checker{rule: "wire 3.8.4"}
	c.within("exit_code", int64(r.ExitCode), 0, MaxExitCode)
	c.number(r.ExitCode == 0 || r.Outcome == OutcomeFailed, "exit_code", "0, as the outcome is not failed", int64(r.ExitCode))
	c.oneOf("outcome", r.Outcome, OutcomeReady, OutcomeReceived, OutcomeCompleted, OutcomeRejected, OutcomeFailed, OutcomeUnknown)
	c.receipt(r.Outcome, r.Offset, r.SizeBytes)
	c.code(TypeRuntimePrepareResult, r.Outcome, r.ErrorCode)
	return c.faults
}

// Answers checks a result against what its request expects (wire 3.8.4). Step is the step it answers and staged the
// bytes staged after that step.
func (r *RuntimePrepareResult) Answers(begin *RuntimePrepare, step string, staged int64) error {
	c := checker{rule: "wire 3.8.4", faults: r.check()}
	c.answer(step, r.Outcome, r.Offset, staged, r.SizeBytes, begin.SizeBytes)
	return c.faults.orNil()
}
