package frontend

// place is one entry of the palette that is known when the page is made. Records are asked for when it opens.
type place struct {
	Path string `json:"path"`
	Word string `json:"word"`
	Kind string `json:"kind"` // screen or sample
	Icon string `json:"icon"`
}

func placesJSON(lab Lab) string {
	var list []place
	for _, s := range screens(lab) {
		list = append(list, place{s.Path, s.Word, "screen", s.Icon})
	}
	for _, s := range Samples() {
		list = append(list, place{samplePath(s.Name), s.Title, "sample", "file"})
	}
	return compactJSON(list)
}
