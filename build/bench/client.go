package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// client writes raw requests on one keep-alive connection, so that its own cost is small and the same for both sides.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func newClient(conn net.Conn) *client { return &client{conn: conn, in: bufio.NewReader(conn)} }

// asks gives the work of one request and its whole answer.
func (c *client) asks(path, body string) func() error {
	request := []byte("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	return func() error {
		if _, err := c.conn.Write(request); err != nil {
			return err
		}
		return c.skipAnswer(path)
	}
}

func (c *client) skipAnswer(path string) error {
	length := 0
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		text := strings.TrimSpace(string(line))
		if first && !strings.HasPrefix(text, "HTTP/1.1 200") {
			return fmt.Errorf("answer of %s: got %q, want 200", path, text)
		}
		if text == "" {
			break
		}
		if value, ok := strings.CutPrefix(text, "Content-Length: "); ok {
			if length, err = strconv.Atoi(value); err != nil {
				return err
			}
		}
	}
	_, err := io.CopyN(io.Discard, c.in, int64(length))
	return err
}
