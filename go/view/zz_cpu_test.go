package view_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"

	raft "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	"github.com/hotpb/hotpb/go/view"
)

func cpu() int64 {
	var u syscall.Rusage
	syscall.Getrusage(1, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func TestZZ(t *testing.T) {
	runtime.LockOSThread()
	var buf view.Buffer
	var m raft.MessageEdit
	var s raft.SnapshotEdit
	var sm raft.SnapshotMetadataEdit
	var ce raft.EntryEdit
	flo := make([]byte, 0, 300)
	x := 0
	var term, index, typ uint64 = 1, 2, 0
	ops := []struct {
		name string
		f    func()
	}{
		{"floor", func() {
			out := flo[:0]
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
		}},
		{"setall", func() {
			var e raft.EntryEdit
			e.Start(&buf)
			e.SetIndex(2)
			e.SetTerm(1)
			e.SetType(0)
			e.SetData(data)
			x += len(buf.Bytes())
		}},
		{"setrep", func() {
			var e raft.EntryEdit
			e.Start(&buf)
			for range 3 {
				e.SetIndex(2)
				e.SetTerm(1)
				e.SetType(0)
				e.SetData(data)
			}
			x += len(buf.Bytes())
		}},
		{"complex", func() {
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
				m.AddEntriesInto(&ce)
				ce.SetTerm(3)
				ce.SetIndex(5)
				ce.SetData(data)
			}
			x += len(buf.Bytes())
		}},
		{"scalars6", func() {
			m.Start(&buf)
			m.SetTo(1)
			m.SetFrom(2)
			m.SetTerm(3)
			m.SetLogTerm(4)
			m.SetIndex(5)
			m.SetContext(data)
			x += len(buf.Bytes())
		}},
	}
	best := map[string]float64{}
	for range 15 {
		for _, o := range ops {
			const n = 200000
			c := cpu()
			for range n {
				o.f()
			}
			d := float64(cpu()-c) / n
			if best[o.name] == 0 || d < best[o.name] {
				best[o.name] = d
			}
		}
	}
	for _, o := range ops {
		fmt.Printf("%-10s %6.1f  %.2fx\n", o.name, best[o.name], best[o.name]/best["floor"])
	}
}
