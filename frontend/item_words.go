package frontend

import "strconv"

// who says whose an item is.
func (i ItemView) who() string {
	switch i.Kind {
	case ItemUser:
		if i.Steering {
			return "You, steering"
		}
		return "You"
	case ItemMessage:
		return "Agent"
	case ItemReasoning:
		return "Reasoning"
	case ItemCommand:
		return "Command"
	case ItemMCP, ItemFunction:
		return "Tool"
	case ItemSearch:
		return "Web search"
	case ItemCall:
		return "Function call"
	case ItemSubagent:
		return "Subagent"
	case ItemCoordination:
		return "To a subagent"
	}
	return short(string(i.Kind))
}

// result is how a tool's work came out.
func (i ItemView) result() Badge {
	after := ""
	if i.Exit != nil {
		after = "exit " + strconv.FormatInt(*i.Exit, 10)
	}
	if i.Elapsed > 0 {
		if after != "" {
			after += ", "
		}
		after += elapsed(i.Elapsed)
	}
	word := func(w string) string {
		if after == "" {
			return w
		}
		if i.Exit != nil {
			return after
		}
		return w + ", " + after
	}
	switch i.Status {
	case "in_progress":
		return Badge{ToneNeutral, "clock", "running"}
	case "completed":
		return Badge{ToneOK, "ok", word("completed")}
	case "failed":
		return Badge{ToneProblem, "problem", word("failed")}
	}
	return Badge{ToneNeutral, "unchecked", word(short(orUnknown(i.Status)))}
}

// steps of steering: it was written, then the Runtime took it.
func (i ItemView) steps() []Badge {
	steps := []Badge{{ToneNeutral, "ok", "written " + clock(i.At)}}
	if i.Accepted {
		return append(steps, Badge{ToneOK, "ok", "accepted"})
	}
	if i.Over {
		return append(steps, Badge{ToneCaution, "skip", "not accepted before the Turn ended"})
	}
	return append(steps, Badge{ToneNeutral, "unchecked", "not accepted yet"})
}

// answered says how far the answer to a call is.
func (i ItemView) answered() Badge {
	c := *i.Call
	switch {
	case c.State == "open" && i.Over:
		return Badge{ToneNeutral, "skip", "not answered before the Turn ended"}
	case c.State == "answered" && i.Over:
		return Badge{ToneNeutral, "unknown", "answer stored; no confirmation before the Turn ended"}
	}
	switch c.State {
	case "open":
		return Badge{ToneCaution, "function", "asks for an answer"}
	case "answered":
		return Badge{ToneNeutral, "clock", "answer stored, not confirmed"}
	case "applied":
		return Badge{ToneOK, "ok", "answered, confirmed"}
	case "failed":
		return Badge{ToneProblem, "problem", "the Runtime refused the answer"}
	case "withdrawn":
		return Badge{ToneNeutral, "skip", "withdrawn: no answer will be used"}
	}
	return Badge{ToneNeutral, "unknown", short(orUnknown(c.State))}
}

// titled is what heads a folded item.
func (i ItemView) titled() string {
	if i.Title == "" {
		return i.who()
	}
	return i.Title
}
