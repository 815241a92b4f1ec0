package app

import (
	"encoding/json"
	"fmt"
	"io"
)

// Ready is the line that `parley serve --json` prints before anything else.
type Ready struct {
	URL        string `json:"url"`
	OpenURL    string `json:"open_url"` // "" where no pages are served
	Data       string `json:"data"`
	PID        int    `json:"pid"`
	APIKeyFile string `json:"api_key_file"`
}

func (r Ready) writeJSON(w io.Writer) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

func (r Ready) writeText(w io.Writer) error {
	text := fmt.Sprintf("Parley runs at %s\nData folder: %s\n", r.URL, r.Data)
	if r.OpenURL == "" {
		text += "Only the offline runner routes and the machine connection answer: this address can be reached by other machines.\n"
	} else {
		text += fmt.Sprintf("Open it with this link, once, within two minutes:\n  %s\n", r.OpenURL)
	}
	_, err := io.WriteString(w, text+"Stop it with Ctrl-C.\n")
	return err
}
