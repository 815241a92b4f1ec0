package dispatch

import (
	"context"
	"fmt"

	"parley/daemon/environment"
	"parley/daemon/proto"
	"parley/daemon/workspace"
)

// Environment applies initialization steps, one method for each action of wire 3.8.2 and 3.8.3; see
// environment.Environment for what they promise. A method returns when nothing of its step goes on any more.
type Environment interface {
	// Stage opens the body of an archive.
	Stage(size int64, digest string) (*workspace.Body, error)
	Skill(ctx context.Context, archive *workspace.Body, name, description string) environment.Outcome
	Plugin(ctx context.Context, archive *workspace.Body, slot int, name, description string) environment.Outcome
	File(ctx context.Context, staged *workspace.Staged, logical string) environment.Outcome
	Configure(ctx context.Context, env map[string]string) environment.Outcome
	Npm(ctx context.Context, packages []string) environment.Outcome
	Python(ctx context.Context, packages []string) environment.Outcome
	Setup(ctx context.Context, command, cwd string) environment.Outcome
	Finalize(ctx context.Context, sources environment.Sources) environment.Outcome
}

var _ Environment = (*environment.Environment)(nil)

// plan is where the bytes of an initialization wait and what its commit does with them.
type plan struct {
	body  body
	apply func(ctx context.Context) environment.Outcome
}

// plan opens what a begin needs; nothing is applied by it. Without an error the body is to be discarded.
func (r *Router) plan(ctx context.Context, begin *proto.RuntimePrepare) (plan, error) {
	e := r.config.Setup
	switch begin.Action {
	case proto.ActionFile:
		file, err := r.config.Files.Stage(ctx, begin.SizeBytes, begin.SHA256)
		return plan{file, func(ctx context.Context) environment.Outcome { return e.File(ctx, file, begin.File.Path) }}, err
	case proto.ActionSkill:
		archive, err := e.Stage(begin.SizeBytes, begin.SHA256)
		return plan{archive, func(ctx context.Context) environment.Outcome {
			return e.Skill(ctx, archive, begin.Skill.Name, begin.Skill.Description)
		}}, err
	case proto.ActionPlugin:
		archive, err := e.Stage(begin.SizeBytes, begin.SHA256)
		return plan{archive, func(ctx context.Context) environment.Outcome {
			return e.Plugin(ctx, archive, begin.Slot, begin.Plugin.Name, begin.Plugin.Description)
		}}, err
	case proto.ActionFinalize:
		sources := sourcesOf(begin.Sources)
		return plan{noBody{}, func(ctx context.Context) environment.Outcome { return e.Finalize(ctx, sources) }}, nil
	case proto.ActionInitialize:
		step := begin.Initialization
		return plan{noBody{}, func(ctx context.Context) environment.Outcome { return r.runStep(ctx, step) }}, nil
	}
	return plan{}, fmt.Errorf("%w: action %q", errMalformed, begin.Action)
}

func (r *Router) runStep(ctx context.Context, step *proto.Initialization) environment.Outcome {
	e := r.config.Setup
	switch step.Action {
	case proto.InitConfigure:
		return e.Configure(ctx, step.Env)
	case proto.InitNpm:
		return e.Npm(ctx, step.Packages)
	case proto.InitPython:
		return e.Python(ctx, step.Packages)
	case proto.InitSetup:
		return e.Setup(ctx, step.Command, step.Cwd)
	}
	return rejection(fmt.Errorf("%w: action %q", errMalformed, step.Action))
}

func sourcesOf(sources *proto.Sources) environment.Sources {
	return environment.Sources{Skills: capabilitiesOf(sources.Skills), Plugins: capabilitiesOf(sources.Plugins),
		Directories: sources.Directories}
}

func capabilitiesOf(capsules []proto.Capsule) []environment.Capability {
	all := make([]environment.Capability, len(capsules))
	for i, capsule := range capsules {
		all[i] = environment.Capability{Name: capsule.Name, Description: capsule.Description}
	}
	return all
}
