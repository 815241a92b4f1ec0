package frontend

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// The license files of what the bundles contain are served beside them.
//
//go:embed static
var static embed.FS

// assetPrefix is where Assets is mounted.
const assetPrefix = "/static/"

type asset struct {
	url  string
	kind string
	data []byte
}

// assetTable reads the embedded files once; it never changes after that.
var assetTable = sync.OnceValue(readAssets)

func readAssets() map[string]asset {
	table := map[string]asset{}
	entries, err := fs.ReadDir(static, "static")
	if err != nil {
		return table // the folder is part of the program
	}
	for _, e := range entries {
		data, err := static.ReadFile("static/" + e.Name())
		if err != nil {
			continue
		}
		table[e.Name()] = asset{url: assetPrefix + hashed(e.Name(), data), kind: mediaType(e.Name()), data: data}
	}
	return table
}

// hashed puts the beginning of the content's digest into a name: lab.js becomes lab.3f9c0d2a1b.js. An embedded file has
// no modification time, so the name is what tells a browser that it changed.
func hashed(name string, data []byte) string {
	sum := sha256.Sum256(data)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:5]) + ext
}

func mediaType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// AssetURL is the address of an embedded file by its plain name, "parley.css". An unknown name gives an address that
// answers 404, so that a missing file is seen.
func AssetURL(name string) string {
	if a, ok := assetTable()[name]; ok {
		return a.url
	}
	return assetPrefix + "missing/" + name
}

// Assets serves the embedded files under their hashed names and nothing else: no listing, 404 for an old name. Mount it
// at /static/ without stripping the prefix.
func Assets() http.Handler {
	byURL := map[string]asset{}
	for _, a := range assetTable() {
		byURL[a.url] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := byURL[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.data))
	})
}
