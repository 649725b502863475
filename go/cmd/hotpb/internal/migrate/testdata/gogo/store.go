// Command depot keeps what is in stock.
package main

import (
	"bytes"
	"fmt"

	"github.com/gogo/protobuf/proto"

	"example.com/depot/stock"
)

// store keeps entries encoded.
type store map[string][]byte

func (s store) put(e *stock.Entry) error {
	b, err := proto.Marshal(e)
	if err != nil {
		return fmt.Errorf("entry of %d bytes: %w", proto.Size(e), err)
	}
	s[e.ID] = b
	return nil
}

func (s store) get(id string) (e stock.Entry, err error) {
	err = proto.Unmarshal(s[id], &e)
	return e, err
}

// checksum is of any message.
func checksum(m proto.Message) (int, error) {
	b, err := proto.Marshal(m)
	return bytes.Count(b, []byte{0}), err
}

// frame is the entry after its length.
func frame(e *stock.Entry) ([]byte, error) {
	b := make([]byte, 1+e.Size())
	b[0] = byte(e.Size())
	_, err := e.MarshalTo(b[1:])
	return b, err
}

func main() {
	s := store{}
	if err := s.put(&stock.Entry{ID: "bolt"}); err != nil {
		fmt.Println(err)
	}
}
