package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"parley/app"
)

func newSessionNewCommand() *cobra.Command {
	var flags sessionFlags
	var agent, script, message string
	cmd := &cobra.Command{
		Use:   "new --agent ID | --script NAME",
		Short: "Begin a Session with an agent or a shipped script, and its first message",
		Long: `Begin a Session with an agent, or with the agent of a shipped script, and its first message. The lab has an agent for each
of its scripts, such as hello, function and long; docs/scripted.md says what they play. A script gets the message "Hello"
unless --message says another; an agent needs one.`,
		Example: `  parley session new --script hello --message "Is the quay free?"
  parley session new --agent agent_k5q2m7x3 --message "Is the quay free?" --json`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case (agent == "") == (script == ""):
				return misused(cmd, "expected either --agent or --script")
			case script == "" && message == "":
				return misused(cmd, "expected --message with --agent: a Session begins with a message")
			case message == "":
				message = "Hello"
			}
			if script != "" {
				if _, err := app.Scene(script); err != nil {
					return misused(cmd, "--script: "+err.Error())
				}
			}
			return beginSession(cmd, flags, agent, script, message)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "`id` of an agent")
	cmd.Flags().StringVar(&script, "script", "", "`name` of a shipped script")
	cmd.Flags().StringVar(&message, "message", "", "the first message, a `text`")
	flags.add(cmd, "print the Session as one JSON document")
	return cmd
}

func beginSession(cmd *cobra.Command, flags sessionFlags, agent, script, message string) error {
	lab, err := runningLab(flags.data)
	if err != nil {
		return err
	}
	if script != "" {
		if agent, err = lab.sceneAgent(cmd.Context(), script); err != nil {
			return err
		}
	}
	text, err := lab.document(cmd.Context(), http.MethodPost, sessionsPath, map[string]any{"agent": agent, "input": message})
	if err != nil {
		return err
	}
	if flags.json {
		_, err := cmd.OutOrStdout().Write(text)
		return err
	}
	var made shownSession
	if err := json.Unmarshal(text, &made); err != nil {
		return fmt.Errorf("read the lab's answer: %w", err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Session %s with %s began.\nFollow it with: parley session tail %s\n", made.ID, made.Agent.Name, made.ID)
	return err
}

// sceneAgent finds the agent of a shipped script, or makes it where somebody has deleted it.
func (l labClient) sceneAgent(ctx context.Context, script string) (string, error) {
	after := ""
	for {
		text, err := l.document(ctx, http.MethodGet, "/v1/agents?limit=100&order=asc"+after, nil)
		if err != nil {
			return "", err
		}
		var page struct {
			Data []struct {
				ID       string            `json:"id"`
				Metadata map[string]string `json:"metadata"`
			} `json:"data"`
			HasMore bool   `json:"has_more"`
			LastID  string `json:"last_id"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return "", fmt.Errorf("read the lab's answer: %w", err)
		}
		for _, agent := range page.Data {
			if agent.Metadata[app.SceneKey] == script {
				return agent.ID, nil
			}
		}
		if !page.HasMore {
			return l.makeSceneAgent(ctx, script)
		}
		after = "&after=" + url.QueryEscape(page.LastID)
	}
}

func (l labClient) makeSceneAgent(ctx context.Context, script string) (string, error) {
	config, err := app.Scene(script)
	if err != nil {
		return "", err
	}
	text, err := l.document(ctx, http.MethodPost, "/v1/agents", json.RawMessage(config))
	var made struct {
		ID string `json:"id"`
	}
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	return made.ID, err
}
