package ops

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hotpb/hotpb/flows/internal/count"
)

// problems lists what is wrong now.
func (s *Server) problems() (all []string) {
	if s.Health != nil {
		all = s.Health()
	}
	if stuck := s.history.stuck(); s.Stuck > 0 && stuck >= s.Stuck {
		all = append(all, fmt.Sprintf("flows wait or are lost: the output has acknowledged none for %v", stuck.Round(time.Second)))
	}
	if s.LossRatio > 0 {
		all = append(all, s.history.losses(s.LossRatio)...)
	}
	return all
}

// losses lists what was lost in the last minute, if it is more than a share of what came.
func (h *history) losses(ratio float64) (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.points) < 2 {
		return nil
	}
	first, last := &h.points[0], &h.points[len(h.points)-1]
	var lost [count.Reasons]uint64
	for r := range lost {
		lost[r] = last.dropped[r] - first.dropped[r]
	}
	datagrams := float64(last.datagrams - first.datagrams + lost[count.Socket])
	for r, n := range lost {
		reason, of := count.Reason(r), datagrams
		switch reason.Unit() {
		case "flows":
			of = float64(last.flows - first.flows)
		case "datagrams", "parts", "sets": // of which a datagram has one or more
		default:
			continue
		}
		if float64(n) > ratio*of {
			all = append(all, fmt.Sprintf("%d %s were lost in the last minute: %s", n, lostUnits[reason.Unit()], strings.ReplaceAll(reason.String(), "_", " ")))
		}
	}
	return all
}

// lostUnits are the units of losses in a sentence.
var lostUnits = map[string]string{
	"flows": "flows", "datagrams": "datagrams", "parts": "datagrams or parts of them", "sets": "data sets",
}

// health answers 200, or 503 and a line for each problem.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	problems := s.problems()
	if len(problems) == 0 {
		fmt.Fprintln(w, "ok")
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	for _, p := range problems {
		fmt.Fprintln(w, p)
	}
}
