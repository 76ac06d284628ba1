import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { endProcesses, leftProcesses } from '../scripts/test/leftovers.ts'
import { resolveSpec } from '../src/control-plane/spec/resolve-spec.ts'
import { COMPONENT_NAMES } from '../src/control-plane/plane/plane.ts'
import { KINE_VERSION } from '../src/control-plane/store/kine-version.ts'
import { type BinaryName, projectOf } from '../src/drivers/local/binaries/cache/binary.ts'
import { binaryPath } from '../src/drivers/local/binaries/cache/cache-layout.ts'
import { ensureBinaries } from '../src/drivers/local/binaries/ensure-binaries.ts'
import { platformOf } from '../src/drivers/local/binaries/cache/platform.ts'
import type { Environment } from '../src/shared/environment.ts'
import { pathsOf } from '../src/shared/paths.ts'
import { silentUi } from '../src/shared/ui.ts'
import { type CommandRun, runCommand } from './run-command.ts'

/** All that `create` wants, so that it gets nothing. */
const BINARIES = [...COMPONENT_NAMES, 'etcdutl', 'kubectl'] as const
type Binary = (typeof BINARIES)[number]

/** A vplane of its own in a temporary folder, with nothing of the user's in it. */
export interface Workspace extends AsyncDisposable {
  folder: string
  /** Where the planes lie. */
  planes: string
  kubeconfig: string
  components: readonly Binary[]
  binaries: Record<Binary, string>
  environment: Record<string, string>
  signal: AbortSignal
  /** Runs any command in it. */
  run(command: readonly string[], environment?: Record<string, string>): Promise<CommandRun>
  /** Runs the built vplane as an installed one is run. */
  vplane(...args: string[]): Promise<CommandRun>
  /** Gets what planes with another store than etcd need. */
  addKine(): Promise<void>
}

/**
 * Makes the workspace. The binaries are got when they are not in the user's cache, and copied from there: pages of a
 * file that other planes of this machine run would count as less than they are.
 */
export async function createWorkspace(
  root: string,
  { environment, signal }: { environment: Environment; signal: AbortSignal },
): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-bench-'))
  const home = join(folder, 'home')
  const bin = join(folder, 'bin')
  for (const path of [home, bin, join(folder, 'tmp')]) {
    mkdirSync(path, { mode: 0o700 })
  }
  const own = {
    PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    TMPDIR: join(folder, 'tmp'),
    VPLANE_HOME: join(folder, 'vplane'),
    KUBECONFIG: join(folder, 'kubeconfig'),
  }
  const paths = pathsOf(own)
  const cache = { cache: paths.cache, signal }
  const binaries = await cachedBinaries(environment, BINARIES, cache)
  symlinkSync(binaries.kubectl, join(bin, 'kubectl'))
  symlinkSync(join(root, 'bin', 'vplane.js'), join(bin, 'vplane'))
  const run = (command: readonly string[], more: Record<string, string> = {}) =>
    runCommand(command, { environment: { ...own, ...more }, folder, signal })
  return {
    folder,
    planes: join(paths.data, 'planes'),
    kubeconfig: own.KUBECONFIG,
    components: COMPONENT_NAMES,
    binaries,
    environment: own,
    signal,
    run,
    vplane: (...args) => run(['vplane', ...args]),
    addKine: async () => void (await cachedBinaries(environment, ['kine'], cache)),
    [Symbol.asyncDispose]: () => clear(folder),
  }
}

/** Fills the cache of the workspace from the user's. */
async function cachedBinaries<Name extends BinaryName>(
  environment: Environment,
  names: readonly Name[],
  { cache, signal }: { cache: string; signal: AbortSignal },
): Promise<Record<Name, string>> {
  const { etcdVersion, version: kubernetesVersion } = resolveSpec({})
  const say = (text: string) => console.error(text)
  const ui = { ...silentUi, step: say, warn: say }
  const found = await ensureBinaries(
    { kubernetesVersion, etcdVersion, names },
    { paths: pathsOf(environment), environment, ui, signal },
  )
  const copies = { ...found }
  const versions = { etcd: etcdVersion, kine: KINE_VERSION, kubernetes: kubernetesVersion }
  for (const name of names) {
    const project = projectOf(name)
    const version = versions[project]
    copies[name] = binaryPath(cache, { project, version, platform: platformOf() }, name)
    mkdirSync(dirname(copies[name]), { recursive: true, mode: 0o700 })
    copyFileSync(found[name], copies[name], constants.COPYFILE_FICLONE)
  }
  return copies
}

/** Stops all processes that run in the folder, by id, and removes the folder. */
async function clear(folder: string): Promise<void> {
  const traces = { marker: basename(folder), root: folder, before: new Set([process.pid]) }
  const left = await leftProcesses(traces, 0)
  endProcesses(left)
  await leftProcesses(traces, 5000)
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
