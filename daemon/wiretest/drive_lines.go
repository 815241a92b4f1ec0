package wiretest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/daemon/proto"
)

// driveRequest is one line to a driver: an Act, {"do":"connected","device":…} or {"do":"observe","of":…,"id":…,"wait_ms":…}.
type driveRequest struct {
	Act
	Of     string `json:"of,omitempty"`
	WaitMS int64  `json:"wait_ms,omitempty"`
}

// driveReply is one line back: {} when it was done, an observation, or an error. Device is the one that was meant by a
// request that named none.
type driveReply struct {
	Device      string       `json:"device,omitempty"`
	Error       string       `json:"error,omitempty"`
	Observation *Observation `json:"observation,omitempty"`
}

// maxLine bounds one line in bytes: a frame, its body in base64 and some words.
const maxLine = 3 * proto.MaxFrame

// DriveLoop serves a driver over lines of JSON: one request a line, one reply a line, in order. It ends without an
// error when the requests end.
func DriveLoop(ctx context.Context, in io.Reader, out io.Writer, driver CoreDriver) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	replies := json.NewEncoder(out)
	for lines.Scan() {
		if err := replies.Encode(drive(ctx, lines.Bytes(), driver)); err != nil {
			return fmt.Errorf("write reply of the driver: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read request to the driver: %w", err)
	}
	return nil
}

func drive(ctx context.Context, line []byte, driver CoreDriver) driveReply {
	var request driveRequest
	if err := json.Unmarshal(line, &request); err != nil {
		return driveReply{Error: fmt.Sprintf("read request: %v", err)}
	}
	if request.Do == "observe" {
		return observed(driver.Observe(ctx, Watch{request.Of, request.ID}, time.Duration(request.WaitMS)*time.Millisecond))
	}
	var reply driveReply
	err := reply.choose(&request, driver)
	switch {
	case err != nil:
	case request.Do == "connected":
		err = driver.Connected(ctx, request.Device)
	default:
		err = driver.Do(ctx, request.Act)
	}
	if err != nil {
		return driveReply{Error: err.Error()}
	}
	return reply
}

// choose names the device of a request that names none, if the driver knows one.
func (r *driveReply) choose(request *driveRequest, driver CoreDriver) error {
	chooser, chooses := driver.(Chooser)
	if request.Device != "" || !chooses {
		return nil
	}
	device, err := chooser.Own()
	r.Device, request.Device = device, device
	return err
}

func observed(seen Observation, err error) driveReply {
	if err != nil {
		return driveReply{Error: err.Error()}
	}
	return driveReply{Observation: &seen}
}

// linesDriver is the other end of DriveLoop.
type linesDriver struct {
	out   *json.Encoder
	lines *bufio.Scanner
}

// DriveOver gives the driver that a process serves on its standard input and output. The caller ends the process, which
// ends a call that waits for it.
func DriveOver(toProcess io.Writer, fromProcess io.Reader) CoreDriver {
	lines := bufio.NewScanner(fromProcess)
	lines.Buffer(nil, maxLine)
	return &linesDriver{out: json.NewEncoder(toProcess), lines: lines}
}

func (d *linesDriver) call(request driveRequest) (driveReply, error) {
	if err := d.out.Encode(request); err != nil {
		return driveReply{}, fmt.Errorf("%w: ask it: %w", ErrDriverEnded, err)
	}
	if !d.lines.Scan() {
		return driveReply{}, fmt.Errorf("%w: %w", ErrDriverEnded, cmp.Or(d.lines.Err(), io.ErrUnexpectedEOF))
	}
	var reply driveReply
	if err := json.Unmarshal(d.lines.Bytes(), &reply); err != nil {
		return driveReply{}, fmt.Errorf("read the driver's reply: expected one JSON object a line: %w", err)
	}
	if reply.Error != "" {
		return driveReply{}, fmt.Errorf("driver: %s", reply.Error)
	}
	return reply, nil
}

// Connected asks the process.
func (d *linesDriver) Connected(_ context.Context, device string) error {
	_, err := d.call(driveRequest{Act: Act{Do: "connected", Device: device}})
	return err
}

// Do asks the process.
func (d *linesDriver) Do(_ context.Context, act Act) error {
	_, err := d.call(driveRequest{Act: act})
	return err
}

// Observe asks the process.
func (d *linesDriver) Observe(_ context.Context, of Watch, wait time.Duration) (Observation, error) {
	reply, err := d.call(driveRequest{Act: Act{Do: "observe", ID: of.ID}, Of: of.Of, WaitMS: wait.Milliseconds()})
	if err == nil && reply.Observation == nil {
		err = errors.New("driver: expected an observation in the reply, found none")
	}
	if err != nil {
		return Observation{}, err
	}
	return *reply.Observation, nil
}
