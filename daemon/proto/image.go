package proto

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
)

// wholePixels is the largest image that is decoded whole, in pixels. A picture of a few hundred bytes may say that it
// has billions of them, so a larger one is judged by its header.
const wholePixels = 4 << 20

// CheckInlineImage holds an image URL to the public profile (wire 3.5.3): a data URL of PNG or JPEG in canonical
// base64 that decodes as what it says. The error is nil or a Fault, whose text never repeats the picture.
func CheckInlineImage(url string) error {
	fault := Fault{Rule: "wire 3.5.3", Path: "image_url"}
	read, text, ok := inlineFormat(url)
	if !ok {
		fault.Expected = "data:image/png;base64, or data:image/jpeg;base64, at the beginning"
		fault.Found = show(url[:min(len(url), 40)])
		return fault
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		fault.Expected, fault.Found = "canonical base64 without line breaks", "other text"
		return fault
	}
	if err := read.check(data); err != nil {
		fault.Expected, fault.Found = "an image of the format that the URL names", brief(err.Error())
		return fault
	}
	return nil
}

// imageFormat reads one format: its header, and the whole.
type imageFormat struct {
	header func(io.Reader) (image.Config, error)
	whole  func(io.Reader) (image.Image, error)
}

// inlineFormat tells the format that a URL names, and its text after the comma.
func inlineFormat(url string) (format imageFormat, text string, ok bool) {
	if text, ok = strings.CutPrefix(url, "data:image/png;base64,"); ok {
		return imageFormat{png.DecodeConfig, png.Decode}, text, true
	}
	text, ok = strings.CutPrefix(url, "data:image/jpeg;base64,")
	return imageFormat{jpeg.DecodeConfig, jpeg.Decode}, text, ok
}

func (f imageFormat) check(data []byte) error {
	config, err := f.header(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("read header: %w", err)
	}
	if int64(config.Width)*int64(config.Height) > wholePixels {
		return nil
	}
	if _, err := f.whole(bytes.NewReader(data)); err != nil {
		return fmt.Errorf("decode picture: %w", err)
	}
	return nil
}
