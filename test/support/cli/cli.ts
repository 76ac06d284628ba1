import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { BINARY_NAMES, type BinaryName } from '../../../src/drivers/local/binaries/cache/binary.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import { planeFolder, type PlaneFolder } from '../../../src/drivers/local/store/plane-folder.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { silentUi } from '../../../src/shared/ui.ts'
import { waitFor } from '../../../src/shared/wait.ts'

/** The one that users have: what is fast is a bundle of its own, which leaves out what is not. */
const VPLANE = join(packageRoot(), 'bin/vplane.js')

/** What tests need without a plane that has another store: in a host there is none. */
type UsualBinary = Exclude<BinaryName, 'kine'>
const USUAL = BINARY_NAMES.filter((name) => name !== 'kine')

export interface CommandResult {
  /** The exit code, or 128 + the number of the signal as a name: `SIGKILL`. */
  code: number | string
  stdout: string
  stderr: string
  durationMs: number
}

export interface CommandOptions {
  /** @default nothing */
  input?: string
  /** Variables besides those of the machine; undefined takes one away. */
  env?: Record<string, string | undefined>
  cwd?: string
  /** @default false */
  detached?: boolean
}

/** A command that runs. */
export interface RunningCommand {
  child: ChildProcess
  ended: Promise<CommandResult>
  /** Waits until stdout holds a text, for a minute unless told otherwise, and returns what it holds then. */
  says(text: string, timeoutMs?: number): Promise<string>
  /** Ends it as a crash would. */
  kill(): Promise<CommandResult>
}

export interface PlaneProcess {
  id: number
  /** `etcd` */
  name: string
  args: string[]
}

/**
 * vplane as a user has it, in a home of its own with a kubeconfig of its own. Binaries come from the cache of this
 * machine. What it left behind is gone when it is disposed, processes included.
 */
export interface Cli extends AsyncDisposable {
  /** Everything is below this. */
  root: string
  kubeconfig: string
  /** The variables that vplane and kubectl get. */
  environment: Record<string, string | undefined>
  binaries: Record<UsualBinary, string>
  /** Runs vplane to its end. */
  run(args: readonly string[], options?: CommandOptions): Promise<CommandResult>
  /** Runs vplane to its end, which must be a good one, and returns stdout. */
  ok(args: readonly string[], options?: CommandOptions): Promise<string>
  /** The same, of JSON. */
  json(args: readonly string[], options?: CommandOptions): Promise<ReturnType<JSON['parse']>>
  /** Runs kubectl on the kubeconfig to its end. */
  kubectl(args: readonly string[], options?: CommandOptions): Promise<CommandResult>
  /** Runs kubectl on the kubeconfig to its end, which must be a good one, and returns stdout. */
  kubectlOk(args: readonly string[], options?: CommandOptions): Promise<string>
  /** Starts vplane, or another program with its variables. */
  start(args: readonly string[], options?: CommandOptions & { program?: string }): RunningCommand
  plane(name: string): PlaneFolder
  /** The processes of all planes of this home that live. */
  processes(): PlaneProcess[]
  /** Their ids by name. */
  ids(): Record<string, number>
  /** The arguments of the first of a name. @default [] */
  argsOf(name: string): string[]
  /** Files of planes that are there, with paths below the data folder. */
  files(): string[]
}

/** @param options `root`: where it lives, by default in a folder of its own below the temporary one */
export async function createCli({
  root = mkdtempSync(join(tmpdir(), 'vplane-home-')),
} = {}): Promise<Cli> {
  const binaries = await cachedBinaries()
  const kubeconfig = join(root, 'kubeconfig')
  const inherited = processEnvironment()
  const environment = {
    ...Object.fromEntries(
      Object.entries(inherited).filter(([name]) => !/^(VPLANE_|XDG_|KUBECONFIG)/.test(name)),
    ),
    PATH: [dirname(binaries.kubectl), inherited['PATH'] ?? ''].join(delimiter),
    HOME: root,
    TMPDIR: join(root, 'tmp'),
    XDG_CACHE_HOME: dirname(pathsOf(inherited).cache),
    XDG_DATA_HOME: join(root, 'data'),
    XDG_CONFIG_HOME: join(root, 'config'),
    KUBECONFIG: kubeconfig,
    NO_COLOR: '1',
  }
  const { data } = pathsOf(environment)
  mkdirSync(environment.TMPDIR, { recursive: true })
  const start: Cli['start'] = (args, { program, ...options } = {}) =>
    startCommand(program ?? process.execPath, program === undefined ? [VPLANE, ...args] : args, {
      ...options,
      env: { ...environment, ...options.env },
    })
  const run: Cli['run'] = (args, options) => start(args, options).ended
  const ok: Cli['ok'] = (args, options) => stdoutOf(`vplane ${args.join(' ')}`, run(args, options))
  const kubectl: Cli['kubectl'] = (args, options) =>
    start(args, { program: binaries.kubectl, ...options }).ended
  return {
    root,
    kubeconfig,
    environment,
    binaries,
    start,
    run,
    ok,
    json: async (args, options) => JSON.parse(await ok(args, options)),
    kubectl,
    kubectlOk: (args, options) => stdoutOf(`kubectl ${args.join(' ')}`, kubectl(args, options)),
    plane: (name) => planeFolder(join(data, 'planes', name)),
    processes: () => processesBelow(data),
    ids: () => Object.fromEntries(processesBelow(data).map(({ id, name }) => [name, id])),
    argsOf: (component) => processesBelow(data).find(({ name }) => name === component)?.args ?? [],
    files: () => filesBelow(data),
    [Symbol.asyncDispose]: () => {
      for (const { id } of processesBelow(root)) {
        killIfAlive(id)
      }
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
      return Promise.resolve()
    },
  }
}

/** Starts a program and collects what it writes. */
export function startCommand(
  program: string,
  args: readonly string[],
  { detached = false, input, ...options }: CommandOptions & Pick<SpawnOptions, 'env'>,
): RunningCommand {
  const startedAt = performance.now()
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const
  const child = spawn(program, [...args], { ...options, detached, stdio: [...stdio] })
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const said = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (said.stdout += chunk))
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said.stderr += chunk))
  let isClosed = false
  child.once('close', () => (isClosed = true))
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: signal ?? code,
    ...said,
    durationMs: performance.now() - startedAt,
  }))
  return {
    child,
    ended,
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
    says: async (text, timeoutMs = 60_000) => {
      const look = () => {
        if (said.stdout.includes(text)) {
          return Promise.resolve(said.stdout)
        }
        if (isClosed) {
          throw new Error(`${program} ended before "${text}": ${said.stderr}`)
        }
        return Promise.resolve(false as const)
      }
      const what = `"${text}" of ${program}`
      return waitFor(look, { what, timeoutMs, intervalMs: 10 })
    },
  }
}

/** @throws {Error} when the command does not end well. */
async function stdoutOf(command: string, ended: Promise<CommandResult>): Promise<string> {
  const { code, stderr, stdout } = await ended
  if (code !== 0) {
    throw new Error(`${command} ended with ${code}:\n${stderr}`)
  }
  return stdout
}

/** The processes that were told of a folder. */
function processesBelow(folder: string): PlaneProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const args = readProc(`/proc/${name}/cmdline`).split('\0')
      const isOurs = args.some((one) => one === folder || one.includes(`${folder}/`))
      const binary = args[0] ?? ''
      return isOurs
        ? [{ id: Number(name), name: binary.slice(binary.lastIndexOf('/') + 1), args }]
        : []
    })
}

let binaries: Promise<Record<UsualBinary, string>> | undefined

/** The binaries of the default version, which the set-up of the tests has put into the cache. */
function cachedBinaries(): Promise<Record<UsualBinary, string>> {
  const environment = processEnvironment()
  binaries ??= ensureBinaries(
    {
      kubernetesVersion: DEFAULT_KUBERNETES_VERSION,
      etcdVersion: etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)),
      names: USUAL,
    },
    {
      paths: pathsOf(environment),
      environment,
      ui: silentUi,
      signal: new AbortController().signal,
    },
  )
  return binaries
}

function filesBelow(data: string): string[] {
  const folders = ['planes', 'locks']
  return folders.flatMap((folder) => {
    try {
      return readdirSync(join(data, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path),
      )
    } catch {
      // Nothing made it yet.
      return []
    }
  })
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

function killIfAlive(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
