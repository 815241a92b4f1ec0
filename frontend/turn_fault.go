package frontend

import "strings"

// certainty is what is known of a failed Turn's work (ux-anchors R9).
type certainty string

const (
	didNotHappen certainty = "did not happen"
	happened     certainty = "happened"
	notKnown     certainty = "not known"
)

// turnFault words one error code of a Turn (behaviour 8.5).
type turnFault struct {
	Sure certainty
	What string // what failed
	Next string // what to do
}

// turnFaults is the table of the codes. A code is a projection of Core's attempt: it proves neither that the harness
// failed nor that nothing happened, unless it says so here.
func turnFaults() map[string]turnFault {
	const (
		look  = "Look at what the Turn left behind before you ask for it again."
		again = "The Turn did not start; a new message asks again."
		on    = "A new message goes on from here."
		stop  = "The Runtime was asked to stop it; whether it has is not known. " + look
	)
	return map[string]turnFault{
		"execution_unavailable":       {didNotHappen, "The Runtime could not prepare the Turn, or it does not do what the Agent asks for.", "See under Connection what the Runtime declares. " + again},
		"model_provider_required":     {didNotHappen, "The Turn needs a model provider, and there is none.", again},
		"preparation_interrupted":     {didNotHappen, "The preparation ended before the Turn could start.", again},
		"preparation_start_failed":    {didNotHappen, "The Runtime refused to start the prepared Turn.", again},
		"executor_recovery_failed":    {didNotHappen, "A second preparation, after the first executor was gone, failed as well.", again},
		"device_disconnected":         {didNotHappen, "The connection of the Runtime was gone before the Turn was sent.", "Wait until the Runtime is connected. " + again},
		"invalid_input":               {happened, "The Turn ran; a message to it could not be given to the harness.", stop},
		"message_input_unsupported":   {happened, "The Turn ran; its harness takes no message of this kind while it runs.", stop},
		"input_not_applied":           {happened, "The Turn ran; it ended before a message to it was applied.", "Send that message again: it begins a Turn of its own."},
		"engine_failed":               {happened, "The Turn ran, and its engine reported a failure.", on},
		"invalid_executor_result":     {happened, "The Turn ran; what its harness gave as the result cannot be used.", on},
		"cancel_outcome_unavailable":  {happened, "The Turn was stopped; what it had done by then was not told.", look},
		"function_call_invalid":       {happened, "The Turn ran; it made a function call that cannot be taken.", stop},
		"function_result_invalid":     {happened, "The Turn ran; the Runtime refused the answer to a function call.", stop},
		"interaction_not_supported":   {happened, "The Turn ran; it asked for something that this lab does not do.", stop},
		"execution_interrupted":       {notKnown, "The lab stopped while the Turn ran. What the Runtime did after that is not known.", look},
		"delivery_unknown":            {notKnown, "A message to the Runtime could not be confirmed as sent. Whether it had an effect is not known.", look},
		"event_stream_incomplete":     {notKnown, "What the Runtime told of the Turn broke off before its end. How it ended is not known.", look},
		"cancel_unconfirmed":          {notKnown, "The cancel was not confirmed. Whether the Turn has stopped is not known.", look},
		"input_outcome_unknown":       {notKnown, "Whether the Turn took a message that was sent to it is not known.", look},
		"function_result_unconfirmed": {notKnown, "Whether the Turn took the answer to its function call is not known.", look},
		"event_persistence_failed":    {notKnown, "The lab could not store what the Turn told. What it did after that is not known.", "See whether the disk has space. " + look},
		"execution_state_unavailable": {notKnown, "The lab could not read the state of the Turn. What it did after that is not known.", look},
		"execution_state_changed":     {notKnown, "The state of the Turn changed while it ran. What it did after that is not known.", look},
		"artifact_capture_failed":     {happened, "The Turn ran; a file that it made could not be kept.", on},
	}
}

// faultOf words a code; one that is not in the table proves nothing.
func faultOf(code string) turnFault {
	if fault, known := turnFaults()[code]; known {
		return fault
	}
	if refused, steering := strings.CutPrefix(code, "input_"); steering {
		return turnFault{happened, "The Turn ran; the Runtime refused a message to it (" + short(refused) + ").", "Look at what the Turn left behind, then send that message again: it begins a Turn of its own."}
	}
	return turnFault{notKnown, "The Turn failed. What it did is not known.", "Look at what the Turn left behind before you ask for it again."}
}

// word names the certainty in a badge.
func (c certainty) badge() Badge {
	switch c {
	case didNotHappen:
		return Badge{ToneNeutral, "skip", "did not happen"}
	case happened:
		return Badge{ToneNeutral, "ok", "happened"}
	}
	return Badge{ToneCaution, "unknown", "not known whether it happened"}
}
