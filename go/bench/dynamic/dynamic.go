// Package dynamic holds the task dynamic-decode: messages whose type is known at run time only are decoded, and
// every value is read into a sum. Each contender is a decoder and a walk over its result, made from the
// descriptor beforehand.
package dynamic

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/flow"
	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// A rival decodes a message and sums over its values; stock is the last decoded message, as the stock runtime's bytes.
type rival struct {
	decode func(b []byte) (sum uint64, err error)
	stock  func() ([]byte, error)
	note   string
}

// A workload is a message type and messages that are decoded in turn.
type workload struct {
	messages []proto.Message
	inputs   [][]byte
	generate func(m proto.Message) uint64 // sums over a generated message
}

func newWorkload(messages []proto.Message, generated func(m proto.Message) uint64) (*workload, error) {
	w := &workload{messages: messages, generate: generated}
	for _, m := range messages {
		b, err := proto.Marshal(m)
		if err != nil {
			return nil, err
		}
		w.inputs = append(w.inputs, b)
	}
	return w, nil
}

var workloads = map[string]func() (*workload, error){
	"flow":         func() (*workload, error) { return newWorkload(flow.Messages(), sumFlow) },
	"remote-write": func() (*workload, error) { return newWorkload([]proto.Message{request()}, sumRequest) },
	"raft":         func() (*workload, error) { return newWorkload([]proto.Message{raftMessage()}, sumRaft) },
}

var rivals = map[string]func(w *workload) (rival, error){
	"hotpb-schema":       func(w *workload) (rival, error) { return newHotpb(w, false) },
	"hotpb-schema:alias": func(w *workload) (rival, error) { return newHotpb(w, true) },
	"dynamicpb":          newDynamicpb,
	"hyperpb":            func(w *workload) (rival, error) { return newHyperpb(w, false) },
	"hyperpb:pgo":        func(w *workload) (rival, error) { return newHyperpb(w, true) },
	"protobuf-go":        newGenerated,
}

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{}
	for name, load := range workloads {
		contenders := map[string]harness.Factory{}
		for name, make := range rivals {
			contenders[name] = func([]byte) (harness.Contender, error) {
				w, err := load()
				if err != nil {
					return harness.Contender{}, err
				}
				r, err := make(w)
				if err != nil {
					return harness.Contender{}, err
				}
				return w.contender(r), nil
			}
		}
		tasks["dynamic-decode/"+name] = contenders
	}
	return tasks
}

func (w *workload) contender(r rival) harness.Contender {
	next, size := 0, 0
	for _, b := range w.inputs {
		size += len(b)
	}
	return harness.Contender{
		Op: func() (uint64, error) {
			sum, err := r.decode(w.inputs[next])
			if next++; next == len(w.inputs) {
				next = 0
			}
			return sum, err
		},
		Verify: func() error {
			for i, input := range w.inputs {
				sum, err := r.decode(input)
				if err != nil {
					return err
				}
				if want := w.generate(w.messages[i]); sum != want {
					return fmt.Errorf("message %d: the sum is %d instead of %d", i, sum, want)
				}
				b, err := r.stock()
				if err != nil {
					return err
				}
				got := w.messages[i].ProtoReflect().New().Interface()
				if err := proto.Unmarshal(b, got); err != nil {
					return err
				}
				if !proto.Equal(got, w.messages[i]) {
					return fmt.Errorf("message %d is %v", i, got)
				}
			}
			return nil
		},
		Note: r.note, Size: size / len(w.inputs),
	}
}

// textSum is the count of a string or of bytes.
func textSum[T string | []byte](s T) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s)) + uint64(s[0])<<8 + uint64(s[len(s)-1])<<16
}

// request is a remote-write request of 2,000 series.
func request() *prompb.WriteRequest {
	m := &prompb.WriteRequest{}
	for i := range 2000 {
		s := &prompb.TimeSeries{Samples: []*prompb.Sample{{Value: float64(i) * 1.5, Timestamp: 1700000000000 + int64(i)}}}
		for _, name := range []string{"__name__", "instance", "job", "method", "path", "status"} {
			s.Labels = append(s.Labels, &prompb.Label{Name: name, Value: fmt.Sprintf("%s-of-%d", name, i%(5+len(name)*7))})
		}
		m.Timeseries = append(m.Timeseries, s)
	}
	return m
}

// raftMessage is an append of five entries, with a snapshot.
func raftMessage() *raftpb.Message {
	m := &raftpb.Message{
		Type: raftpb.MessageType_MESSAGE_APPEND.Enum(), To: proto.Uint64(2), From: proto.Uint64(1), Term: proto.Uint64(7),
		LogTerm: proto.Uint64(6), Index: proto.Uint64(123456), Commit: proto.Uint64(123450),
		Snapshot: &raftpb.Snapshot{Data: make([]byte, 300), Metadata: &raftpb.SnapshotMetadata{
			Index: proto.Uint64(123000), Term: proto.Uint64(6), ConfState: &raftpb.ConfState{Voters: []uint64{1, 2, 3}, Learners: []uint64{4}},
		}},
	}
	for i := range 5 {
		m.Entries = append(m.Entries, &raftpb.Entry{
			Term: proto.Uint64(7), Index: proto.Uint64(123456 + uint64(i)), Type: raftpb.EntryType_ENTRY_CONF_CHANGE.Enum(), Data: make([]byte, 100+i),
		})
	}
	return m
}
