package bench

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// peers measures a folder of schemas and data with the repository's bench/peers.
func (c *Command) peers(std *console.Streams) error {
	switch {
	case std.JSON:
		return fault.Usage("bench of a folder prints no JSON", "bench/peers of the repository has --record=FILE for it")
	case len(c.Schema) > 0:
		return fault.Usage("bench takes the schemas of a folder from the folder", "leave --schema out, or name files of messages")
	case !found("python3"):
		return fault.Usage("bench of a folder needs python3, and there is none on the PATH", "install Python 3.11 or newer")
	}
	root, err := checkout(c.Hotpb)
	if err != nil {
		return err
	}
	arguments := []string{filepath.Join(root, "bench", "peers"), c.Files[0]}
	for _, language := range c.Lang {
		arguments = append(arguments, "--language", language)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	command := exec.CommandContext(ctx, "python3", arguments...)
	command.Stdout, command.Stderr = std.Out, std.Err
	var exit *exec.ExitError
	if err := command.Run(); errors.As(err, &exit) {
		return fault.In(c.Files[0], "bench/peers failed", "its output says why")
	} else if err != nil {
		return fault.In("python3", err.Error(), "")
	}
	return nil
}
