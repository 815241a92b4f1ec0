package proto_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"parley/daemon/proto"
)

const (
	pngURL  = "data:image/png;base64,"
	jpegURL = "data:image/jpeg;base64,"
)

// wire 3.5.3
func TestCheckInlineImage(t *testing.T) {
	t.Parallel()
	picture := image.NewGray(image.Rect(0, 0, 3, 2))
	var asPNG, asJPEG bytes.Buffer
	if err := errors.Join(png.Encode(&asPNG, picture), jpeg.Encode(&asJPEG, picture, nil)); err != nil {
		t.Fatal(err)
	}
	pngText := base64.StdEncoding.EncodeToString(asPNG.Bytes())
	jpegText := base64.StdEncoding.EncodeToString(asJPEG.Bytes())
	huge := base64.StdEncoding.EncodeToString(hugePNG())
	tests := map[string]struct {
		url string
		ok  bool
	}{
		"PNG":                      {pngURL + pngText, true},
		"JPEG":                     {jpegURL + jpegText, true},
		"header of a huge picture": {pngURL + huge, true},
		"PNG said to be JPEG":      {jpegURL + pngText, false},
		"JPEG said to be PNG":      {pngURL + jpegText, false},
		"another address":          {"https://example.net/a.png", false},
		"scheme in capitals":       {"DATA:image/png;base64," + pngText, false},
		"media type in capitals":   {"data:image/PNG;base64," + pngText, false},
		"parameter of the type":    {"data:image/png;charset=utf-8;base64," + pngText, false},
		"another format":           {"data:image/gif;base64," + pngText, false},
		"space before":             {" " + pngURL + pngText, false},
		"nothing":                  {"", false},
		"nothing after the comma":  {pngURL, false},
		"line break":               {pngURL + pngText[:8] + "\n" + pngText[8:], false},
		"line break at the end":    {pngURL + pngText + "\r\n", false},
		"alphabet of URLs":         {pngURL + strings.NewReplacer("+", "-", "/", "_").Replace(pngText) + "-_-_", false},
		"no padding":               {pngURL + "iVBORw0KGg", false},
		"unused bits that are set": {pngURL + unusedBits(asPNG.Bytes()), false},
		"no picture":               {pngURL + base64.StdEncoding.EncodeToString([]byte("not a picture")), false},
		"picture that is cut":      {pngURL + base64.StdEncoding.EncodeToString(asPNG.Bytes()[:asPNG.Len()-14]), false},
		"JPEG that is cut":         {jpegURL + base64.StdEncoding.EncodeToString(asJPEG.Bytes()[:asJPEG.Len()/2]), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := proto.CheckInlineImage(test.url)
			if (err == nil) != test.ok {
				t.Fatalf("got %v, want accepted %v", err, test.ok)
			}
			if _, isFault := errors.AsType[proto.Fault](err); err != nil && !isFault {
				t.Errorf("got %T, want a Fault", err)
			}
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("got an error of %d bytes, want a short one", len(err.Error()))
			}
		})
	}
}

// unusedBits encodes so that bits beyond the last byte are not zero.
func unusedBits(data []byte) string {
	for len(data)%3 != 1 {
		data = append(data, 0)
	}
	text := base64.StdEncoding.EncodeToString(data)
	last := len(text) - 3 // the two bits of value in it are followed by four unused ones
	return text[:last] + string(text[last]+1) + text[last+1:]
}

// hugePNG says that it has 2^31-1 by 65535 pixels, and has none.
func hugePNG() []byte {
	header := []byte("IHDR\x7f\xff\xff\xff\x00\x00\xff\xff\x01\x00\x00\x00\x00")
	sum := crc32.ChecksumIEEE(header)
	return append(append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"), header...), byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

// wire 3.5.3: the picture of the example follows the profile.
func TestExamplePicture(t *testing.T) {
	t.Parallel()
	start := validFrame(t, "V23").Payload.(*proto.ExecutionStart)
	if err := proto.CheckInlineImage(*start.Input[0].Content[1].ImageURL); err != nil {
		t.Errorf("got %v, want no fault", err)
	}
}
