// Command watch keeps events, and filters them by their causes.
package main

import (
	"fmt"

	"github.com/CrowdStrike/csproto"

	"example.com/watch/events"
)

// store keeps events encoded.
type store [][]byte

func (s *store) add(name, note string) error {
	e := &events.Event{Name: csproto.String(name), Offset: csproto.PointerTo(int64(-3)), Cause: &events.Event{Name: csproto.String("log")}}
	if err := csproto.SetExtension(e, events.E_Note, note); err != nil {
		return err
	}
	b, err := csproto.Marshal(e)
	if err != nil {
		return fmt.Errorf("event of %d bytes: %w", csproto.Size(e), err)
	}
	*s = append(*s, b)
	return nil
}

func (s *store) last() (*events.Event, error) {
	e := new(events.Event)
	return e, csproto.Unmarshal((*s)[len(*s)-1], e)
}

// encode is for messages of all runtimes.
func encode(message any) ([]byte, error) { return csproto.Marshal(message) }

// short is an event of one field, written by hand.
func short(name string) []byte {
	b := make([]byte, csproto.SizeOfTagKey(1)+csproto.SizeOfVarint(uint64(len(name)))+len(name))
	enc := csproto.NewEncoder(b)
	enc.EncodeString(1, name)
	return b
}

func main() {
	var s store
	if err := s.add("disk full", "twice"); err != nil {
		fmt.Println(err)
	}
}
