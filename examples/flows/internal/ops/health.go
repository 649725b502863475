package ops

import (
	"fmt"
	"net/http"
	"time"
)

// problems lists what is wrong now.
func (s *Server) problems() (all []string) {
	if s.Health != nil {
		all = s.Health()
	}
	if stuck := s.history.stuck(); s.Stuck > 0 && stuck >= s.Stuck {
		all = append(all, fmt.Sprintf("flows wait or are lost: the output has acknowledged none for %v", stuck.Round(time.Second)))
	}
	return all
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
