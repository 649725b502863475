package grpccodec_test

import (
	"errors"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/grpccodec"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	plain "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	strict "github.com/hotpb/hotpb/go/internal/testgen/strict_p3/strict_p3hot"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// marshal encodes the message through both interfaces of grpc-go.
func marshal(t *testing.T, v any) ([]byte, error) {
	t.Helper()
	data, err := grpccodec.Codec{}.Marshal(v)
	b := data.Materialize()
	data.Free()
	v1, v1Err := grpccodec.CodecV1{}.Marshal(v)
	if string(v1) != string(b) || (err != nil) != (v1Err != nil) {
		t.Errorf("%T: %x, %v; as a V1 codec %x, %v", v, b, err, v1, v1Err)
	}
	return b, err
}

// Handlers that return a nil message and no error work with grpc-go's codec.
func TestNilMessagesAreWhatTheyAreToGrpcsOwnCodec(t *testing.T) {
	own := encoding.GetCodecV2("proto")
	for _, v := range []any{
		(*stock.WriteRequest)(nil), (*plain.Actor)(nil), (*p2.BaseEvent)(nil), // the last one has required fields
	} {
		want, wantErr := own.Marshal(v)
		b, err := marshal(t, v)
		if (err != nil) != (wantErr != nil) || string(b) != string(want.Materialize()) {
			t.Errorf("%T: %x, %v; grpc's own says %x, %v", v, b, err, want.Materialize(), wantErr)
		}
	}
	if b, err := marshal(t, (*hot.WriteRequest)(nil)); err != nil || len(b) != 0 {
		t.Errorf("a nil message of the pool: %x, %v", b, err)
	}
	for _, v := range []any{nil, (*hot.WriteRequestView)(nil), (*writer.Buffer)(nil), (*writer.HeapBuffer)(nil)} {
		if _, err := marshal(t, v); !errors.Is(err, hotpb.ErrNil) {
			t.Errorf("%T: %v", v, err)
		}
	}
}

func TestOutputsThatHoldNoWholeMessageAreRefused(t *testing.T) {
	type output interface {
		writer.Output
		Delimited() writer.Output
	}
	for name, fresh := range map[string]func() output{
		"Buffer":      func() output { return new(writer.Buffer) },
		"HeapBuffer":  func() output { return new(writer.HeapBuffer) },
		"FixedBuffer": func() output { return writer.NewFixedBuffer(make([]byte, 1000), chunk.Compact) },
	} {
		unfinished := func(t *testing.T, out output, want error) {
			t.Helper()
			if b, err := marshal(t, out); !errors.Is(err, want) || len(b) != 0 {
				t.Errorf("%x, %v instead of %v", b, err, want)
			}
		}
		t.Run(name, func(t *testing.T) {
			out := fresh()
			w := hot.NewWriteRequestWriter(out)
			unfinished(t, out, writer.ErrUnfinished)
			label := w.AddTimeseries().AddLabels()
			label.SetName("k")
			unfinished(t, out, writer.ErrUnfinished)
			label.End()
			unfinished(t, out, writer.ErrUnfinished)
			w.End()
			if b, err := marshal(t, out); err != nil || string(b) != "\n\x05\n\x03\n\x01k" {
				t.Errorf("finished: %q, %v", b, err)
			}
			hot.NewLabelWriter(out).End()
			unfinished(t, out, writer.ErrSeveral)

			out = fresh()
			w = hot.NewWriteRequestWriter(out.Delimited())
			unfinished(t, out, writer.ErrUnfinished)
			w.End()
			unfinished(t, out, writer.ErrSeveral)
			hot.NewLabelWriter(out).End() // after delimited messages, which are still in the buffer
			unfinished(t, out, writer.ErrSeveral)

			out = fresh()
			w = hot.NewWriteRequestWriter(out)
			w.End()
			w.End()
			unfinished(t, out, wire.HandleMisuse)
			if b, err := marshal(t, fresh()); err != nil || len(b) != 0 {
				t.Errorf("nothing was opened: %x, %v", b, err)
			}
		})
	}
}

// Code generated with utf8=strict checks a writer's text: then nothing is sent. By default the text is sent, and
// readers reject it.
func TestWritersSendNoTextThatTheyRefused(t *testing.T) {
	var out writer.Buffer
	w := strict.NewAllWriter(&out)
	w.SetSingleString("\xff")
	w.End()
	if b, err := marshal(t, &out); !errors.Is(err, wire.InvalidUtf8) || len(b) != 0 {
		t.Errorf("strict: %x, %v", b, err)
	}
	out.Reset()
	label := hot.NewLabelWriter(&out)
	label.SetName("\xff")
	label.End()
	b, err := marshal(t, &out)
	if err != nil || string(b) != "\n\x01\xff" {
		t.Errorf("by default: %x, %v", b, err)
	}
	data := mem.BufferSlice{mem.SliceBuffer(b)}
	for _, into := range []any{new(stock.Label), new(hot.Label)} {
		if err := (grpccodec.Codec{}).Unmarshal(data, into); !errors.Is(err, wire.InvalidUtf8) {
			t.Errorf("%T is received with %v", into, err)
		}
	}
}
