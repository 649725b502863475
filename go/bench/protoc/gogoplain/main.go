// Gogoplain is protoc-gen-gogofast, whose structs are gogo's own without any of its extensions, with the folder to write
// to as its parameter.
package main

import (
	"github.com/gogo/protobuf/vanity"
	"github.com/gogo/protobuf/vanity/command"
)

func main() {
	request := command.Read()
	files := request.GetProtoFile()
	vanity.ForEachFile(files, vanity.TurnOnMarshalerAll)
	vanity.ForEachFile(files, vanity.TurnOnSizerAll)
	vanity.ForEachFile(files, vanity.TurnOnUnmarshalerAll)
	for _, file := range files {
		file.Options.GoPackage = request.Parameter
	}
	request.Parameter = nil
	command.Write(command.Generate(request))
}
