package server_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/server"
)

// tokenOf mints a token as another process of the owner would.
func tokenOf(t *testing.T, h *house) string {
	t.Helper()
	_, token, ok := strings.Cut(server.OpenLink(h.url, []byte(sessionKey), startID, time.Now()), "/open?token=")
	if !ok {
		t.Fatal("the link has no token")
	}
	return token
}

func cookieOf(t *testing.T, h *house) string {
	t.Helper()
	got := h.call("GET", "/open?token="+tokenOf(t, h), "", "Authorization", "")
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/runner" {
		t.Fatalf("open: got %d to %q, want 303 to /runner", got.status, got.header.Get("Location"))
	}
	return got.header.Get("Set-Cookie")
}

func TestOpenTokenBecomesACookieThatOpensPages(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	set := cookieOf(t, h)
	_, port, _ := strings.Cut(h.addr, ":")
	for _, part := range []string{"parley-" + port + "=", "Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=2592000"} {
		if !strings.Contains(set, part) {
			t.Errorf("cookie %q lacks %q", set, part)
		}
	}
	value, _, _ := strings.Cut(set, ";")
	if got := h.call("GET", "/runner", "", "Authorization", "", "Cookie", value); got.status != http.StatusOK {
		t.Errorf("page with the cookie: got %d, want 200", got.status)
	}
	if got := h.call("GET", "/runner", "", "Cookie", value, "Authorization", "Bearer wrong"); got.status != http.StatusUnauthorized {
		t.Errorf("right cookie and wrong bearer: got %d, want 401", got.status)
	}
}

// Browsers send the cookies of all ports of a host: what another program set must not lock a browser out.
func TestAnyGoodCookieOfTheNameOpensPages(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	good, _, _ := strings.Cut(cookieOf(t, h), ";")
	name, _, _ := strings.Cut(good, "=")
	for cookies, want := range map[string]int{
		name + "=x; " + good:               http.StatusOK,
		good + "; " + name + "=x":          http.StatusOK,
		name + "=; a=b; " + good + "; c=d": http.StatusOK,
		name + "=x; " + name + "=y":        http.StatusUnauthorized,
		"other-" + good:                    http.StatusUnauthorized,
	} {
		if got := h.call("GET", "/runner", "", "Authorization", "", "Cookie", cookies); got.status != want {
			t.Errorf("%q: got %d, want %d", cookies, got.status, want)
		}
	}
}

func TestOpenTokenIsForOnce(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	token := tokenOf(t, h)
	for i, want := range []int{http.StatusSeeOther, http.StatusUnauthorized} {
		got := h.call("GET", "/open?token="+token, "", "Authorization", "")
		if got.status != want {
			t.Errorf("use %d: got %d, want %d", i+1, got.status, want)
		}
	}
	if strings.Contains(h.log.String(), token) {
		t.Error("the token is in the log")
	}
}

func TestOpenRefusesWhatIsNoToken(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	good := tokenOf(t, h)
	other := server.OpenLink("", []byte(strings.Repeat("k", 32)), startID, time.Now())
	late := server.OpenLink("", []byte(sessionKey), startID, time.Now().Add(-3*time.Minute))
	earlier := server.OpenLink("", []byte(sessionKey), "another start", time.Now())
	cookie, _, _ := strings.Cut(strings.SplitN(cookieOf(t, h), "=", 2)[1], ";")
	for name, token := range map[string]string{
		"none": "", "text": "hello", "cut": good[:len(good)-1], "longer": good + "A", "changed": "A" + good[1:],
		"another lab's": strings.TrimPrefix(other, "/open?token="), "an earlier start's": strings.TrimPrefix(earlier, "/open?token="), "too old": strings.TrimPrefix(late, "/open?token="),
		"a cookie's value": cookie,
	} {
		if name == "changed" && good[0] == 'A' {
			token = "B" + good[1:]
		}
		got := h.call("GET", "/open?token="+token, "", "Authorization", "")
		if got.status != http.StatusUnauthorized || got.header.Get("Set-Cookie") != "" || !strings.Contains(got.body, "link_spent") {
			t.Errorf("%s: got %d, cookie %q, want 401 link_spent and none", name, got.status, got.header.Get("Set-Cookie"))
		}
	}
}

// The window starts from a page of its own scheme: browsers call its first navigation cross-site.
func TestOpenTakesANavigationFromAnotherProgram(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	navigation := []string{"Authorization", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	got := h.call("GET", "/open?token="+tokenOf(t, h), "", navigation...)
	if got.status != http.StatusOK || got.header.Get("Set-Cookie") == "" || !strings.Contains(got.body, `content="0; url=/runner"`) {
		t.Errorf("got %d %q, want 200 with a cookie and a page that goes on", got.status, got.body)
	}
	framed := append(navigation[:len(navigation)-1:len(navigation)-1], "iframe")
	if got := h.call("GET", "/open?token="+tokenOf(t, h), "", framed...); got.status != http.StatusForbidden {
		t.Errorf("in a frame: got %d, want 403", got.status)
	}
	if got := h.call("GET", "/runner", "", navigation...); got.status != http.StatusForbidden {
		t.Errorf("another page by a link on another site: got %d, want 403", got.status)
	}
}

// A browser in which the lab is open may use an old link again.
func TestOpenAgainInTheSameBrowser(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	h.client.Jar = jar
	token := tokenOf(t, h)
	for i := range 2 {
		if got := h.call("GET", "/open?token="+token, "", "Authorization", ""); got.status != http.StatusSeeOther {
			t.Errorf("use %d: got %d, want 303", i+1, got.status)
		}
	}
}

// Sealed values end by the clock: tokens after two minutes, cookies after thirty days.
func TestSealedValuesExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t)
		link := server.OpenLink("http://localhost", []byte(sessionKey), startID, time.Now())
		time.Sleep(2*time.Minute - time.Second)
		opened := h.get(link, "")
		if opened.Code != http.StatusSeeOther {
			t.Fatalf("just before two minutes: got %d, want 303", opened.Code)
		}
		cookie, _, _ := strings.Cut(opened.Header().Get("Set-Cookie"), ";")
		late := server.OpenLink("http://localhost", []byte(sessionKey), startID, time.Now())
		time.Sleep(2 * time.Minute)
		if got := h.get(late, ""); got.Code != http.StatusUnauthorized {
			t.Errorf("after two minutes: got %d, want 401", got.Code)
		}
		for _, tt := range []struct {
			wait time.Duration
			want int
		}{{29 * 24 * time.Hour, http.StatusOK}, {24 * time.Hour, http.StatusUnauthorized}} {
			time.Sleep(tt.wait)
			if got := h.get("http://localhost/api/v1/lab/state", cookie); got.Code != tt.want {
				t.Errorf("cookie after %s more: got %d, want %d", tt.wait, got.Code, tt.want)
			}
		}
	})
}

// The memory of used tokens is bounded; what does not fit is refused, never accepted twice.
func TestUsedTokensAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t)
		counts := map[int]int{}
		for range 1100 {
			counts[h.get(server.OpenLink("http://localhost", []byte(sessionKey), startID, time.Now()), "").Code]++
		}
		if got, want := fmt.Sprint(counts), "map[303:1024 401:76]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		time.Sleep(3 * time.Minute)
		if got := h.get(server.OpenLink("http://localhost", []byte(sessionKey), startID, time.Now()), "").Code; got != http.StatusSeeOther {
			t.Errorf("after they expired: got %d, want 303", got)
		}
	})
}
