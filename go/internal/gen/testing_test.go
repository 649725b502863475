package gen

func init() { RegisterTestFaces() }
