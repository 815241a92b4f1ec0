//go:build desktop

package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// Size of the window in pixels: wide enough for work area and detail side by side, and no smaller than the narrowest
// layout.
const (
	width, height       = 1280, 800
	minWidth, minHeight = 360, 480
)

// show opens the window on its first page and returns when it is closed, by a person or by SIGINT or SIGTERM, which the
// toolkit turns into a close. If ended closes first, the window says so and closes.
func show(first http.Handler, ended <-chan struct{}) (err error) {
	// The toolkit panics where it reaches no screen; the lab must end in order all the same.
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("open the window: %v; see that DISPLAY names a screen, or use `parley serve` and a browser", fault)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	keepGoSignals(ctx)
	err = wails.Run(&options.App{
		Title: "Parley", Width: width, Height: height, MinWidth: minWidth, MinHeight: minHeight,
		AssetServer: &assetserver.Options{Handler: first},
		OnStartup: func(window context.Context) {
			go closeWhenEnded(ctx, window, ended)
		},
		OnShutdown: func(context.Context) { cancel() },
		Linux:      &linux.Options{ProgramName: "parley", WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	})
	if err != nil {
		return fmt.Errorf("open the window: %w", err)
	}
	return nil
}

// closeWhenEnded tells the person that the lab is gone. It ends with the window.
func closeWhenEnded(ctx, window context.Context, ended <-chan struct{}) {
	select {
	case <-ctx.Done():
		return
	case <-ended:
	}
	_, _ = runtime.MessageDialog(window, runtime.MessageDialogOptions{ // closed either way
		Type: runtime.ErrorDialog, Title: "The lab has ended",
		Message: "The lab's process ended by itself. What was stored is kept; start Parley again to go on.",
	})
	runtime.Quit(window)
}
