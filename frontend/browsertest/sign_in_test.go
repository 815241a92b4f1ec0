package browsertest_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostile-inputs 2: a browser without a credential is told how to open the lab, and gets nothing else.
func TestSignInPage(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	ctx, cancel := context.WithTimeout(browser(t), patience)
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, lab: l}
	p.do(chromedp.EmulateViewport(1280, 900), still(), chromedp.Navigate(l.url+"/runner"))
	p.waitText("main", "This browser has not opened the lab yet")
	for _, theme := range []string{"light", "dark"} {
		p.theme(theme)
		p.picture("sign-in-1280-" + theme)
		p.accessible()
	}
	p.do(chromedp.EmulateViewport(360, 900))
	p.fits(360)
	p.picture("sign-in-360-dark")
}
