package main

import (
	"testing"

	csp "github.com/CrowdStrike/csproto"
	"google.golang.org/grpc/encoding"

	"example.com/watch/events"
)

func TestEventsComeBack(t *testing.T) {
	var s store
	if err := s.add("disk full", "twice"); err != nil {
		t.Fatal(err)
	}
	e, err := s.last()
	if err != nil || e.GetName() != "disk full" || !csp.Equal(e, csp.Clone(e).(*events.Event)) {
		t.Fatal(e, err)
	}
	if note, err := csp.GetExtension(e, events.E_Note); err != nil || note != "twice" {
		t.Fatal(note, err)
	}
	if b, err := encode(e); err != nil || string(b) != string(s[0]) {
		t.Fatal(b, err)
	}
	f, err := newFilter()
	if err != nil {
		t.Fatal(err)
	}
	if cause, err := f.cause(s[0]); err != nil || cause != "log" {
		t.Fatal(cause, err)
	}
	if encoding.GetCodecV2("proto") == nil {
		t.Fatal("no codec")
	}
}
