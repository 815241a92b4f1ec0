package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	durable "parley/backend/core"
	"parley/backend/store"
	"parley/daemon/harness/scripted"
)

// SceneKey is the metadata that names the shipped script of an agent, by which it is found again.
const SceneKey = "parley_script"

// Scene is the configuration of an agent that plays a shipped script. An error names the scripts that there are.
func Scene(name string) ([]byte, error) {
	scripts, err := scripted.Scripts()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, script := range scripts {
		if script.Name == name {
			return sceneOf(script)
		}
		names = append(names, script.Name)
	}
	return nil, fmt.Errorf("there is no script %q; expected one of %s", name, strings.Join(names, ", "))
}

// sceneOf gives the agent what its script's steps need: the functions that are called, and children.
func sceneOf(script scripted.Script) ([]byte, error) {
	var played struct {
		Steps []struct {
			Do   string `json:"do"`
			Name string `json:"name"`
		} `json:"steps"`
	}
	if err := json.Unmarshal([]byte(script.Source), &played); err != nil {
		return nil, fmt.Errorf("read script %q: %w", script.Name, err)
	}
	choice, err := json.Marshal(map[string]string{"script": script.Name})
	if err != nil {
		return nil, err
	}
	agent := durable.AgentConfig{Name: script.Name, Description: script.Title + ". " + script.Description, Model: "script",
		Metadata: map[string]string{SceneKey: script.Name},
		Core:     durable.AgentCore{Harness: scripted.Kind, HarnessConfig: choice}}
	for _, step := range played.Steps {
		switch step.Do {
		case "function":
			agent.Tools = append(agent.Tools, durable.Tool{Type: "function", Name: step.Name, Parameters: json.RawMessage(`{"type":"object"}`)})
		case "subagent":
			agent.MultiAgent = &durable.MultiAgent{Enabled: true}
		}
	}
	return json.Marshal(agent)
}

// makeScenes makes those agents of shipped scripts that are not there. All at once, so that they share a commit: a first
// start does not wait for the disk a dozen times.
func makeScenes(ctx context.Context, agents *durable.Service) error {
	have, err := scenes(ctx, agents)
	if err != nil {
		return err
	}
	scripts, err := scripted.Scripts()
	if err != nil {
		return err
	}
	failures := make([]error, len(scripts))
	var making sync.WaitGroup
	for i, script := range scripts {
		if !have[script.Name] {
			making.Go(func() { failures[i] = makeScene(ctx, agents, script) })
		}
	}
	making.Wait()
	return errors.Join(failures...)
}

func makeScene(ctx context.Context, agents *durable.Service, script scripted.Script) error {
	config, err := sceneOf(script)
	if err == nil {
		_, err = agents.CreateAgent(ctx, config)
	}
	if err != nil {
		return fmt.Errorf("make the agent of script %q: %w", script.Name, err)
	}
	return nil
}

// scenes finds the scripts that have an agent.
func scenes(ctx context.Context, agents *durable.Service) (map[string]bool, error) {
	have := map[string]bool{}
	page := store.Page{Limit: 100, Oldest: true}
	for {
		list, more, err := agents.Agents(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, agent := range list {
			var config struct {
				Metadata map[string]string `json:"metadata"`
			}
			if json.Unmarshal(agent.Config, &config) == nil && config.Metadata[SceneKey] != "" {
				have[config.Metadata[SceneKey]] = true
			}
			page.After = agent.ID
		}
		if !more {
			return have, nil
		}
	}
}
