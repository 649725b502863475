package bench

import (
	"context"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

func runRust(context.Context, *job) ([]Row, string, error) {
	return nil, "", fault.In("rust", "not yet", "")
}
