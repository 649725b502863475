package hotpb_test

import (
	"errors"
	"fmt"

	hotpb "github.com/hotpb/hotpb/go"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	"google.golang.org/protobuf/proto"
)

// Encode and decode without saying which runtime the message belongs to.
func Example() {
	var msg any = &p3.Actor{Id: 7, User: "root"} // or a message of gogo, or of the v1 API

	b, err := hotpb.Marshal(msg)
	if err != nil {
		fmt.Println(err)
		return
	}
	var decoded p3.Actor
	if err := hotpb.Unmarshal(b, &decoded); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hotpb.Size(msg), len(b), decoded.User, hotpb.Equal(msg, &decoded))
	// Output: 8 8 root true
}

// Encode messages into one buffer that is used again.
func ExampleMarshalAppend() {
	buffer := make([]byte, 0, 1024)
	for _, user := range []string{"a", "bb"} {
		b, err := hotpb.MarshalAppend(buffer[:0], &p3.Actor{User: user})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%x\n", b)
		buffer = b
	}
	// Output:
	// 120161
	// 12026262
}

// Encode into memory that someone else owns, for instance a transport.
func ExampleMarshalTo() {
	frame := make([]byte, 16)
	n, err := hotpb.MarshalTo(frame, &p3.Actor{Id: 1})
	fmt.Printf("%x %v\n", frame[:n], err)

	_, err = hotpb.MarshalTo(frame[:1], &p3.Actor{Id: 1})
	fmt.Println(err)
	// Output:
	// 0801 <nil>
	// hotpb: BufferExhausted at byte 1
}

// Copy a message and change the copy; the original stays as it is.
func ExampleClone() {
	original := &p3.Actor{Id: 1, Groups: []int32{4}}
	changed := hotpb.Clone(original).(*p3.Actor)
	changed.Groups[0] = 5
	fmt.Println(original.Groups, changed.Groups, hotpb.Equal(original, changed))

	if err := hotpb.Reset(changed); err != nil {
		fmt.Println(err)
	}
	fmt.Println(hotpb.Size(changed))
	// Output:
	// [4] [5] false
	// 0
}

// Extensions are named E_Name in the generated code of the message's own runtime.
func ExampleGetExtension() {
	event := &p2.BaseEvent{EventId: proto.String("1")}

	_, err := hotpb.GetExtension(event, p2.E_Note)
	fmt.Println(errors.Is(err, hotpb.ErrMissingExtension))

	if err := hotpb.SetExtension(event, p2.E_Note, "by hand"); err != nil {
		fmt.Println(err)
	}
	note, err := hotpb.GetExtension(event, p2.E_Note)
	fmt.Println(note, err, hotpb.HasExtension(event, p2.E_Note))
	// Output:
	// true
	// by hand <nil> true
}

// Visit the extensions that are set, by ascending number.
func ExampleRangeExtensions() {
	event := new(p2.BaseEvent)
	for extension, value := range map[any]any{p2.E_Scores: []int32{1, 2}, p2.E_Note: "x"} {
		if err := hotpb.SetExtension(event, extension, value); err != nil {
			fmt.Println(err)
		}
	}
	err := hotpb.RangeExtensions(event, func(value any, name string, number int32) error {
		fmt.Println(number, name, value)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 101 hotpb.codec.p2.note x
	// 102 hotpb.codec.p2.scores [1 2]
	// <nil>
}

// The options are those that the JSON encoders of all runtimes have.
func ExampleUnmarshalJSON() {
	var actor p3.Actor
	err := hotpb.UnmarshalJSON([]byte(`{"id": 3, "shoe": 46}`), &actor, hotpb.JSONAllowUnknownFields(true))
	fmt.Println(actor.Id, err)
	// Output: 3 <nil>
}

// Use the text format for logs and files that people write.
func ExampleUnmarshalText() {
	var actor p3.Actor
	err := hotpb.UnmarshalText([]byte(`id: 3 groups: [1, 2]`), &actor)
	fmt.Println(actor.Id, actor.Groups, err)
	// Output: 3 [1 2] <nil>
}

// Every error of the package itself names the type of the argument.
func ExampleError() {
	_, err := hotpb.Marshal(p3.Actor{Id: 1})
	fmt.Println(err)

	err = hotpb.Unmarshal(nil, (*p3.Actor)(nil))
	var e *hotpb.Error
	fmt.Println(errors.As(err, &e), e.Type, errors.Is(err, hotpb.ErrNil))
	// Output:
	// hotpb: codec_proto3.Actor: not a protobuf message: pass a pointer to it
	// true *codec_proto3.Actor true
}
