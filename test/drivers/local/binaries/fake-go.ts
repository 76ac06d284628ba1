import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, writeExecutable } from './context.ts'

/** What a fake Go does at each of its commands, as shell. */
export interface FakeGoScript {
  /** `go mod download -json` */
  download?: string
  /** `go list -deps` */
  list?: string
  /** `go list -m -versions` */
  versions?: string
  /** `go build`; `$out` is its output folder, with a slash at the end. */
  build?: string
}

/**
 * Puts a Go of a few lines of shell on the PATH of a context. Without a script it builds binaries of their names.
 * `goRuns` returns the arguments and variables of its commands.
 */
export async function installFakeGo(context: TestContext, script: FakeGoScript = {}) {
  const folder = context.environment['PATH'] ?? ''
  const goMod = join(folder, 'published.mod')
  const download = script.download ?? `echo '{"GoMod": "${goMod}"}'`
  const list = script.list ?? 'echo example.com/a; echo example.com/b'
  const versions = script.versions ?? 'echo k8s.io/kubernetes v1.36.1 v1.36.3'
  const build =
    script.build ??
    `
    for package; do :; done
    echo example.com/a >&2
    echo example.com/b >&2
    for package in "$@"; do
      case "$package" in
        */server/v3) name=server ;; */etcdutl/v3) name=etcdutl ;;
        k8s.io/*/cmd/*) name=\${package##*/} ;; *) continue ;;
      esac
      echo "built $name" > "$out$name"
    done`
  await writeExecutable(goMod, 'module k8s.io/kubernetes\n')
  await writeExecutable(
    join(folder, 'go'),
    `#!/bin/sh
PATH="$PATH:/usr/bin:/bin"
{ printf '%s ' "$@"; echo; env; echo ----; } >> "${join(folder, 'runs')}"
[ -e go.mod ] && cp go.mod "${join(folder, 'used.mod')}"
previous=
for word; do [ "$previous" = -o ] && out=$word; previous=$word; done
case "$1 $2" in
  'mod download') ${download} ;;
  'list -m') ${versions} ;;
  list*) ${list} ;;
  build*) ${build} ;;
  *) echo "unexpected $*" >&2; exit 1 ;;
esac
`,
  )
}

/** A run of the fake Go: its arguments and variables. */
export interface GoRun {
  args: string
  environment: Map<string, string>
}

export async function goRuns(context: TestContext): Promise<GoRun[]> {
  const text = await readFile(join(context.environment['PATH'] ?? '', 'runs'), 'utf8')
  const runs = text.split('----\n').slice(0, -1)
  return runs.map((run) => {
    const [args = '', ...variables] = run.trim().split('\n')
    const entries = variables.map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)] as const
    })
    return { args: args.trim(), environment: new Map(entries) }
  })
}

/** The go.mod of the last command. */
export function usedGoMod(context: TestContext): Promise<string> {
  return readFile(join(context.environment['PATH'] ?? '', 'used.mod'), 'utf8')
}
