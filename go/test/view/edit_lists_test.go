package view_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	raft "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	"github.com/hotpb/hotpb/go/view"
)

// VIW-15, VIW-18: whatever the order of indices and lists, the editor finds the element that is meant.
func TestElementsOfListsInTurnAreThoseThatWereMeant(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		var buf view.Buffer
		var e raft.ConfStateEdit
		e.Start(&buf)
		voters, learners := make([]uint64, 1+r.IntN(300)), make([]uint64, 1+r.IntN(300))
		e.AddVoters(voters...)
		e.AddLearners(learners...)
		for range 200 {
			switch x := uint64(r.IntN(1 << r.IntN(30))); r.IntN(8) {
			case 0, 1, 2:
				i := r.IntN(len(voters))
				e.SetVotersAt(i, x)
				voters[i] = x
			case 3, 4, 5:
				i := r.IntN(len(learners))
				e.SetLearnersAt(i, x)
				learners[i] = x
			case 6:
				i := r.IntN(len(voters))
				e.RemoveVoters(i, i+1)
				e.AddVoters(x)
				voters = append(slices.Delete(voters, i, i+1), x)
			default:
				if err := e.Decode(&buf, slices.Clone(buf.Bytes())); err != nil {
					t.Fatal(err)
				}
			}
		}
		var v raft.ConfStateView
		if err := v.Decode(buf.Bytes()); err != nil || buf.Err() != nil {
			t.Fatal(err, buf.Err())
		}
		if got := slices.Collect(v.Voters()); !slices.Equal(got, voters) {
			t.Errorf("seed %d: voters\n%v, want\n%v", seed, got, voters)
		}
		if got := slices.Collect(v.Learners()); !slices.Equal(got, learners) {
			t.Errorf("seed %d: learners\n%v, want\n%v", seed, got, learners)
		}
	}
}
