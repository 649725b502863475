package ops

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
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
		reason, total := count.Reason(r), datagrams
		switch reason.Unit() {
		case "flows":
			total = float64(last.flows - first.flows)
		case "datagrams", "parts", "sets": // of which a datagram has one or more
		default:
			continue
		}
		if float64(n) > ratio*total {
			all = append(all, fmt.Sprintf("%d %s were lost in the last minute: %s", n, lostUnits[reason.Unit()], strings.ReplaceAll(reason.String(), "_", " ")))
		}
	}
	return all
}

// lostUnits are the units of losses in a sentence.
var lostUnits = map[string]string{
	"flows": "flows", "datagrams": "datagrams", "parts": "datagrams or parts of them", "sets": "data sets",
}

// evictions lists what an operator may want to know before flows are lost: exporters with flows that gave way in the last minute.
func (h *history) evictions() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.points) < 2 {
		return nil
	}
	first, last := &h.points[0], &h.points[len(h.points)-1]
	for short := range last.evicted {
		if n := last.evicted[short] - first.evicted[short]; n > 0 {
			all = append(all, fmt.Sprintf("warning: %d exporters with flows gave way to others in the last minute, because there was not enough room: %s", n, count.Resource(short)))
		}
	}
	return all
}

// health answers 200, or 503 and a line for each problem. Warnings are in both answers, and do not change the status.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	lines := s.problems()
	if len(lines) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	} else {
		lines = []string{"ok"}
	}
	for _, line := range append(lines, s.history.evictions()...) {
		fmt.Fprintln(w, line)
	}
}
