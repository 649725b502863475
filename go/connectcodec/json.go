package connectcodec

import (
	"bytes"
	"encoding/json"
	"reflect"

	"connectrpc.com/connect"
	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/internal/rpc"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/writer"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// JSON is a connect.Codec for protobuf's JSON, as the runtime of each message writes it. As with connect's own codec, fields
// that the message does not have are skipped.
type JSON struct {
	// Stock returns an empty message of Google's runtime for a view, a message of the pool or a writer's output, which have no
	// JSON of their own, or nil. The codec moves the bytes between the two. If Stock is nil, these are errors.
	Stock func(v any) proto.Message
}

var _ connect.Codec = JSON{}

// Name returns "json".
func (JSON) Name() string { return "json" }

// Marshal returns v in JSON.
func (c JSON) Marshal(v any) ([]byte, error) {
	m, is := v.(proto.Message)
	if is && rpc.IsNil(v) {
		return protojson.Marshal(m)
	}
	stock, err := c.stockOf(v)
	switch {
	case err != nil:
		return nil, err
	case stock == nil:
		return hotpb.MarshalJSON(v)
	}
	b, err := Proto{}.Marshal(v)
	if err != nil {
		return nil, err
	}
	if err := proto.Unmarshal(b, stock); err != nil {
		return nil, err
	}
	return protojson.Marshal(stock)
}

// MarshalAppend appends the JSON of v to b.
func (c JSON) MarshalAppend(b []byte, v any) ([]byte, error) {
	text, err := c.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(b, text...), nil
}

// MarshalStable returns v in JSON without spaces, which protojson varies on purpose.
func (c JSON) MarshalStable(v any) ([]byte, error) {
	text, err := c.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Compact(&out, text)
	return out.Bytes(), err
}

// IsBinary returns false.
func (JSON) IsBinary() bool { return false }

// Unmarshal resets v and reads JSON into it.
func (c JSON) Unmarshal(b []byte, v any) error {
	stock, err := c.stockOf(v)
	if err != nil {
		return err
	}
	if stock == nil {
		return hotpb.UnmarshalJSON(b, v, hotpb.JSONAllowUnknownFields(true))
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(b, stock); err != nil {
		return err
	}
	encoded, err := proto.Marshal(stock)
	if err != nil {
		return err
	}
	return Proto{}.Unmarshal(encoded, v)
}

// stockOf returns the message that stands for v, or nil if v is none of hotpb's own types.
func (c JSON) stockOf(v any) (proto.Message, error) {
	_, view := rpc.AsView(v)
	_, output := v.(writer.Output)
	_, pooled := v.(pool.Encodable)
	if rpc.IsMessage(v) || !view && !output && !pooled {
		return nil, nil
	}
	if c.Stock != nil {
		if stock := c.Stock(v); stock != nil {
			return stock, nil
		}
	}
	return nil, &hotpb.Error{Type: reflect.TypeOf(v), Err: hotpb.ErrNoRuntime, Detail: "the field Stock of connectcodec.JSON names no message for its JSON"}
}

// jsonWithCharset is JSON under the name that some clients use.
type jsonWithCharset struct{ JSON }

func (jsonWithCharset) Name() string { return "json; charset=utf-8" }
