package frontend

// Tone is the meaning of a verdict, shown by a word, an icon and a colour together, never by colour alone. Problem is
// for failures only: cancelled, unknown and not checked are neutral.
type Tone string

// The five tones. Each is the name of a style class.
const (
	ToneOK      Tone = "ok"
	ToneProblem Tone = "problem"
	ToneCaution Tone = "caution"
	ToneNeutral Tone = "neutral"
	TonePaid    Tone = "paid"
)

// Badge is an icon and a word.
type Badge struct {
	Tone Tone
	Icon string // name of a symbol of the sprite
	Word string
}

// Verdict is the sentence that heads every result.
type Verdict struct {
	Badge
	Line string // one sentence: how it ended
	More string // what that covers and what it cost
}
