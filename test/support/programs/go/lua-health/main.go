// Runs a health check as Argo CD does: the Lua script of the first argument, on each object of a JSON list on stdin,
// with the libraries that Argo CD gives it, except dates. Prints the results as a JSON list.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	lua "github.com/yuin/gopher-lua"
)

type health struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	var objects []any
	results := []health{}
	err := json.NewDecoder(os.Stdin).Decode(&objects)
	for _, object := range objects {
		var result health
		if err == nil {
			result, err = check(os.Args[1], object)
		}
		results = append(results, result)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(results)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// See RunLua and ExecuteHealthLua in util/lua/lua.go of argo-cd v3.3.0.
func check(script string, object any) (health, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage,
		lua.BaseLibName: lua.OpenBase,
		lua.TabLibName:  lua.OpenTable,
	} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", toLua(state, object))
	if err := state.DoString(script); err != nil {
		return health{}, err
	}
	result, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return health{}, fmt.Errorf("the script returns no table")
	}
	message := ""
	if text, ok := result.RawGetString("message").(lua.LString); ok {
		message = string(text)
	}
	return health{Status: result.RawGetString("status").String(), Message: message}, nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case float64:
		return lua.LNumber(value)
	case string:
		return lua.LString(value)
	case []any:
		table := state.NewTable()
		for _, item := range value {
			table.Append(toLua(state, item))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for name, field := range value {
			table.RawSetString(name, toLua(state, field))
		}
		return table
	}
	return lua.LNil
}
