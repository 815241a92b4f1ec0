package main

import "github.com/spf13/cobra"

// newSessionCommand groups what is done to the Sessions of a lab that runs, over Core's API.
func newSessionCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "session",
		Short: "Begin Sessions in a running lab, speak to them and follow them",
		Long: `Begin Sessions in a running lab, speak to them and follow them, over Core's API. The lab's data folder says where the
lab is and gives the key.

A message to an idle Session begins a Turn; to one whose Turn goes on it is active input of that Turn. What a command
acknowledges is on the disk.`,
		Example: `  parley session new --script hello --message "Is the quay free?"
  parley session tail 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514 --until-idle
  parley session send 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514 "And tomorrow?"`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(newSessionNewCommand(), newSessionListCommand(), newSessionShowCommand(), newSessionSendCommand(),
		newSessionCancelCommand(), newSessionAnswerCommand(), newSessionTailCommand())
	return group
}

// sessionFlags are the flags of every command of the group.
type sessionFlags struct {
	data string
	json bool
}

func (f *sessionFlags) add(cmd *cobra.Command, json string) {
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of the lab")
	cmd.Flags().BoolVar(&f.json, "json", false, json)
}

// sessionArgument says an argument has to be.
const sessionArgument = "the id of a Session, as parley session list shows it"
