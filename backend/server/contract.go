package server

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"parley/runner"
)

// contract serves the four routes of the runner contract (runner 7). They store nothing.
type contract struct{ runner Runner }

func (h *contract) capabilities(c echo.Context) error {
	return writeDocument(c, http.StatusOK, runner.Encode(runner.Advertise()))
}

func (h *contract) negotiate(c echo.Context) error {
	data, err := takeRequest(c)
	if err != nil {
		return refuseOffline(c, err, runner.Encode(runner.RejectUnread(faultCode(err), faultText(err))))
	}
	return writeDocument(c, http.StatusOK, runner.Encode(h.runner.Negotiate(c.Request().Context(), data)))
}

func (h *contract) validate(c echo.Context) error {
	data, err := takeRequest(c)
	if err != nil {
		return refuseOffline(c, err, runner.Encode(runner.RejectUnit(runner.RejectUnread(faultCode(err), faultText(err)))))
	}
	return writeDocument(c, http.StatusOK, runner.Encode(h.runner.Validate(c.Request().Context(), data)))
}

// run gives the request's context to the attempt: a client that goes away and a server that stops cancel it.
func (h *contract) run(c echo.Context) error {
	data, err := takeRequest(c)
	if err != nil {
		return refuseRun(c, err)
	}
	r := c.Request()
	ended := h.runner.Run(r.Context(), data, paidPolicy(CallerOf(r)))
	status := http.StatusOK
	if ended.Denied {
		status = http.StatusForbidden
	}
	return writeDocument(c, status, runner.EncodeTerminal(ended.Terminal))
}

func takeRequest(c echo.Context) ([]byte, error) {
	return take(c.Response().Writer, c.Request(), jsonType, runner.MaxDocumentBytes)
}

// bodyFault is one row of runner 7.1: how a body that did not arrive is answered.
type bodyFault struct {
	err     error
	code    runner.Code
	text    string
	offline int // status of negotiate and validate
	run     int // status of run
	outcome runner.Outcome
}

func bodyFaults() []bodyFault {
	return []bodyFault{
		{errNoDeadline, runner.CodeDeadlineUnavailable, "", 500, 500, runner.InfrastructureFailure},
		{errMediaType, runner.CodeInvalidMediaType, "Content-Type: expected application/json; send the header once", 415, 415, runner.InvalidInput},
		{errTooLarge, runner.CodeRequestTooLarge, "body: expected at most " + strconv.Itoa(runner.MaxDocumentBytes) +
			" bytes, found more", 400, 413, runner.InvalidInput},
		{errTimeout, runner.CodeBodyTimeout, "body: expected all of it within " + runner.BodyDeadline.String() +
			", found it incomplete; send it again", 400, 408, runner.Timeout},
		{errInterrupted, runner.CodeInputCancelled, "body: expected all of it, found its end before that; send it again",
			400, 408, runner.Cancelled},
		{errUnreadable, runner.CodeBodyReadFailed, "body: expected readable bytes, found a broken transfer; send it again",
			400, 400, runner.InvalidInput},
	}
}

func faultRow(err error) bodyFault {
	rows := bodyFaults()
	for _, row := range rows {
		if errors.Is(err, row.err) {
			return row
		}
	}
	return rows[len(rows)-1]
}

func faultCode(err error) runner.Code { return faultRow(err).code }

func faultText(err error) string {
	var media *mediaError
	if errors.As(err, &media) {
		return "Content-Type: " + media.Error() + "; send the header once"
	}
	return faultRow(err).text
}

// refuseOffline answers negotiate or validate. Unread bytes are drained first, within the deadline, as a sender that is
// cut off may never see the answer; what was not complete in time is closed (runner 7.2).
func refuseOffline(c echo.Context, err error, document []byte) error {
	switch {
	case errors.Is(err, errMediaType): // net/http drains
	case errors.Is(err, errTooLarge):
		_, _ = io.CopyN(io.Discard, c.Request().Body, runner.MaxDocumentBytes) // the answer is the same
	default:
		hangUp(c.Response().Writer)
	}
	return writeDocument(c, faultRow(err).offline, document)
}

// refuseRun answers a run that was rejected before its body was complete: not drained, and the connection ends, even if
// the client has already sent it all (runner 7.2).
func refuseRun(c echo.Context, err error) error {
	row := faultRow(err)
	hangUp(c.Response().Writer)
	terminal := runner.Refuse(row.outcome, runner.BoundaryInput, runner.NotChecked, runner.Diagnose(row.code, faultText(err)))
	return writeDocument(c, row.run, runner.EncodeTerminal(terminal))
}

// writeDocument writes the same bytes that the command line prints.
func writeDocument(c echo.Context, status int, document []byte) error {
	w := c.Response()
	header := w.Header()
	header["Content-Type"] = []string{jsonType}
	header["Content-Length"] = []string{strconv.Itoa(len(document))}
	w.WriteHeader(status)
	_, _ = w.Write(document) // a client that went away cannot be told
	return nil
}
