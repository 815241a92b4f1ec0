package proto_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"parley/daemon/proto"
)

// samples are the frames that travel most: text, and a full chunk.
func samples(b *testing.B) map[string][]byte {
	b.Helper()
	chunk := proto.New("7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e4f", &proto.WorkspaceWrite{
		Step: proto.StepChunk, Offset: proto.MaxChunk, Data: bytes.Repeat([]byte("parley! "), proto.MaxChunk/8),
	})
	encoded, err := proto.Encode(chunk)
	if err != nil {
		b.Fatal(err)
	}
	return map[string][]byte{
		"delta": []byte(`{"type":"delta","id":"run-41","payload":{"item_id":"m1","delta":"A grey ","sequence":1}}`),
		"chunk": encoded,
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, data := range samples(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := proto.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecodeStandard is the baseline: the standard library, envelope first.
func BenchmarkDecodeStandard(b *testing.B) {
	for name, data := range samples(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var envelope struct {
					Type    string
					ID      string
					Payload json.RawMessage
				}
				if err := json.Unmarshal(data, &envelope); err != nil {
					b.Fatal(err)
				}
				kind, _ := proto.KindOf(proto.Type(envelope.Type))
				if err := json.Unmarshal(envelope.Payload, kind.New()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for name, data := range samples(b) {
		frame := decode(b, string(data))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := proto.Encode(frame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	for name, data := range samples(b) {
		frame := decode(b, string(data))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := frame.Validate(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
