package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// completionCommand writes the lines that a shell evaluates. The shell then calls hotpb with COMP_LINE to ask for words.
type completionCommand struct {
	Shell string `arg:"" help:"The shell: ${enum}." enum:"bash,zsh,fish"`
}

// Help says where the text goes.
func (*completionCommand) Help() string {
	return `bash: echo 'source <(hotpb completion bash)' >> ~/.bashrc; zsh: echo 'source <(hotpb completion zsh)' >> ~/.zshrc, ` +
		`after compinit; fish: hotpb completion fish > ~/.config/fish/completions/hotpb.fish`
}

var completions = map[string]string{
	"bash": "complete -o default -C %s hotpb\n",
	"zsh":  "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -C %s hotpb\n",
	"fish": `function __complete_hotpb
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    %s
end
complete -c hotpb -a "(__complete_hotpb)"
`,
}

// Run writes the text.
func (c *completionCommand) Run(std *console.Streams) error {
	program, err := os.Executable()
	if err != nil {
		return fault.In("hotpb", err.Error(), "put it on the PATH")
	}
	// The words of bash's -C are words of a command line, too.
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	if c.Shell != "fish" && strings.ContainsAny(program, " '\"\\$`") {
		quoted = "'" + strings.ReplaceAll(quoted, "'", `'\''`) + "'"
	}
	if std.JSON {
		return std.WriteJSON(map[string]string{"shell": c.Shell, "text": fmt.Sprintf(completions[c.Shell], quoted)})
	}
	_, err = fmt.Fprintf(std.Out, completions[c.Shell], quoted)
	return err
}
