//go:build !race

package cmd

import (
	"os"
	"testing"

	"contend/golden"

	"github.com/chromedp/chromedp"
)

// The picture of the README shows today's page: what the page says, but for numbers, is golden,
// and under -update the picture is taken anew with that.
func TestThePictureShowsTodaysPage(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	r.do(chromedp.EmulateViewport(1400, 1010))
	eval[any](
		r.tab,
		`(w => { for (let n; (n = w.nextNode()); ) n.data = n.data.replace("../", ""); })(document.createTreeWalker(document.querySelector("header.top"), NodeFilter.SHOW_TEXT))`,
	)
	golden.Check(t, "page.txt", eval[string](r.tab, `document.body.innerText.replace(/\d[\d.,]*/g, "0")`))
	if golden.Update() {
		shot, err := chromedp.Run(r.step(), chromedp.CaptureScreenshot())
		golden.OK(t, err)
		golden.OK(t, os.WriteFile("../report/page/picture.png", shot, 0o644))
	}
}
