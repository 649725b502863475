package view_test

import (
	"testing"

	raft "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	"github.com/hotpb/hotpb/go/view"
)

var data = make([]byte, 100)

func BenchmarkSetAll(b *testing.B) {
	var buf view.Buffer
	b.ReportAllocs()
	x := 0
	for b.Loop() {
		var e raft.EntryEdit
		e.Start(&buf)
		e.SetIndex(2)
		e.SetTerm(1)
		e.SetType(0)
		e.SetData(data)
		x += len(buf.Bytes())
	}
}

func BenchmarkSetRep(b *testing.B) {
	var buf view.Buffer
	b.ReportAllocs()
	x := 0
	for b.Loop() {
		var e raft.EntryEdit
		e.Start(&buf)
		for range 3 {
			e.SetIndex(2)
			e.SetTerm(1)
			e.SetType(0)
			e.SetData(data)
		}
		x += len(buf.Bytes())
	}
}

func BenchmarkEncodeComplex(b *testing.B) {
	var buf view.Buffer
	b.ReportAllocs()
	x := 0
	var m raft.MessageEdit
	var s raft.SnapshotEdit
	var sm raft.SnapshotMetadataEdit
	var e raft.EntryEdit
	for b.Loop() {
		m.Start(&buf)
		m.SetTo(1)
		m.SetFrom(2)
		m.SetTerm(3)
		m.SetLogTerm(4)
		m.SetIndex(5)
		m.SetContext(data)
		m.NewSnapshotInto(&s)
		s.NewMetadataInto(&sm)
		sm.SetIndex(5)
		sm.SetTerm(3)
		for range 3 {
			m.AddEntriesInto(&e)
			e.SetTerm(3)
			e.SetIndex(5)
			e.SetData(data)
		}
		x += len(buf.Bytes())
	}
}

var floorSink []byte

func BenchmarkFloorSetAll(b *testing.B) {
	buf := make([]byte, 0, 300)
	x := 0
	var term, index, typ uint64 = 1, 2, 0
	for b.Loop() {
		out := buf[:0]
		out = append(out, 24)
		out = appendV(out, index)
		out = append(out, 16)
		out = appendV(out, term)
		out = append(out, 8)
		out = appendV(out, typ)
		out = append(out, 34)
		out = appendV(out, uint64(len(data)))
		out = append(out, data...)
		floorSink = out
		x += len(out)
	}
}

func appendV(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
