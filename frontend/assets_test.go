package frontend_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/frontend"
)

// Assets are found under their hashed names with their types, may be kept for ever, and nothing else is found.
func TestAssets(t *testing.T) {
	t.Parallel()
	assets := frontend.Assets()
	get := func(path string) *http.Response {
		w := httptest.NewRecorder()
		assets.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Result()
	}
	for name, kind := range map[string]string{
		"parley.css": "text/css; charset=utf-8", "runner.js": "text/javascript; charset=utf-8", "page.js": "text/javascript; charset=utf-8",
		"theme.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml", "licences.txt": "text/plain; charset=utf-8",
	} {
		r := get(frontend.AssetURL(name))
		if r.StatusCode != 200 || r.Header.Get("Content-Type") != kind || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: got %d %q %q, want 200, %q and an immutable answer", name, r.StatusCode, r.Header.Get("Content-Type"), r.Header.Get("Cache-Control"), kind)
		}
	}
	for _, path := range []string{"/static/", "/static/parley.css", "/static/parley.0000000000.css", "/static/../frontend.go", frontend.AssetURL("nothing.js")} {
		if r := get(path); r.StatusCode != 404 || r.Header.Get("Cache-Control") != "" {
			t.Errorf("%s: got %d, cache %q, want 404 that is not kept", path, r.StatusCode, r.Header.Get("Cache-Control"))
		}
	}
}
