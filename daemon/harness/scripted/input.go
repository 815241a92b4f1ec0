package scripted

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // a format that input may have (wire 3.5.3)
	_ "image/png"  // the other one
	"strings"

	"parley/daemon/proto"
)

// read makes one text of input: parts joined as they are, messages by an empty line (wire 3.5.2).
func read(input proto.MessageInput) (string, error) {
	if len(input) == 0 {
		return "", errors.New("read input: expected at least one message")
	}
	messages := make([]string, 0, len(input))
	for i, message := range input {
		text, err := readParts(message.Content)
		if err != nil {
			return "", fmt.Errorf("read message %d: %w", i, err)
		}
		messages = append(messages, text)
	}
	return strings.Join(messages, "\n\n"), nil
}

// readParts joins the texts of one message; an image becomes its description.
func readParts(parts []proto.InputContent) (string, error) {
	var all strings.Builder
	for i, part := range parts {
		switch {
		case part.Type == proto.InputText && part.Text != nil:
			all.WriteString(*part.Text)
		case part.Type == proto.InputImage && part.ImageURL != nil:
			seen, err := describe(*part.ImageURL)
			if err != nil {
				return "", fmt.Errorf("read part %d: %w", i, err)
			}
			all.WriteString(seen)
		default:
			return "", fmt.Errorf("read part %d: expected input_text with text or input_image with image_url, found %q", i, part.Type)
		}
	}
	return all.String(), nil
}

// describe looks at an inline image (wire 3.5.3): format, size in pixels, length. It reads the header alone, so that a
// small file that claims to be huge costs nothing.
func describe(url string) (string, error) {
	const schema, encoding = "data:image/", ";base64,"
	format, body, found := strings.Cut(strings.TrimPrefix(url, schema), encoding)
	if !strings.HasPrefix(url, schema) || !found || format != "png" && format != "jpeg" {
		return "", errors.New("look at image: expected a data URL of image/png or image/jpeg in base64")
	}
	data, err := base64.StdEncoding.Strict().DecodeString(body)
	if err != nil || strings.ContainsAny(body, "\r\n") {
		return "", errors.New("look at image: its base64 is not canonical")
	}
	header, decoded, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("look at image: %w", err)
	}
	if decoded != format {
		return "", fmt.Errorf("look at image: declared as %s, found %s", format, decoded)
	}
	return fmt.Sprintf("[image/%s, %d×%d pixels, %d bytes]", format, header.Width, header.Height, len(data)), nil
}
