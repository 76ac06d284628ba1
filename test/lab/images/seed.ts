import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  copyFile,
  mkdir,
  mkdtempDisposable,
  readdir,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { acquireFileLock } from '../../../src/shared/files/file-lock.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { LabContext } from '../lab-context.ts'
import type { DebianTools } from '../machine/debian-tools.ts'
import { runCommand } from '../machine/run-command.ts'
import { imageOf } from './ensure-image.ts'

const LOCK_TIMEOUT_MS = 600_000
const START_TIMEOUT_MS = 30_000

/** A folder of containerd's with images in it, unpacked. */
export interface ImageSeed {
  folder: string
  /** Names of the archives that were imported. */
  archives: string[]
}

/**
 * A folder of containerd's with these images, made once: to import them takes many seconds of a node, to link what was
 * imported none.
 */
export async function ensureSeed(
  archives: readonly string[],
  context: LabContext,
  tools: DebianTools,
): Promise<ImageSeed> {
  const { folder, signal, ui } = context
  const names = [...new Set(archives.map((path) => basename(path)))]
  const images = names.map((name) => imageOf(name))
  const set = hashOf(images)
  const seed = { folder: join(folder.seeds, `${set}-${hashOf(names)}`), archives: names }
  if (!existsSync(seed.folder)) {
    await using _ = await acquireFileLock(join(folder.locks, 'seeds.lock'), {
      what: 'another lab that prepares images',
      timeoutMs: LOCK_TIMEOUT_MS,
      signal,
    })
    if (!existsSync(seed.folder)) {
      ui.step('preparing images')
      const draft = join(folder.seeds, 'draft')
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft, { recursive: true, mode: 0o700 })
      await importAll(archives, draft, { context, tools })
      await removeSeeds(folder.seeds, set)
      await rename(draft, seed.folder)
    }
  }
  return seed
}

/**
 * Gives a node whose containerd has never run the images of a seed. Images are linked, which containerd does not mind: it
 * never writes to what it has unpacked. Its databases are copied.
 */
export async function plantSeed(seed: ImageSeed, folder: string): Promise<void> {
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  await runCommand('cp', ['--archive', '--link', `${seed.folder}/.`, draft])
  for (const plugin of await readdir(draft)) {
    const files = await readdir(join(draft, plugin))
    for (const database of files.filter((name) => name.endsWith('.db'))) {
      const path = join(plugin, database)
      await rm(join(draft, path))
      await copyFile(join(seed.folder, path), join(draft, path))
    }
  }
  await rename(draft, folder)
}

/** Has a containerd of its own import archives into `root`. */
async function importAll(
  archives: readonly string[],
  root: string,
  { context, tools }: { context: LabContext; tools: DebianTools },
): Promise<void> {
  const { signal } = context
  // Paths of sockets may have a hundred characters at most, which a cache folder may have already.
  await using state = await mkdtempDisposable(join(tmpdir(), 'vplane-lab-'))
  const socket = join(state.path, 'containerd.sock')
  const configuration = join(state.path, 'containerd.toml')
  await writeFile(configuration, importerConfig({ root, state: state.path, socket }))
  await using _ = startImporter(configuration, tools)
  const ctr = (...args: string[]) =>
    runCommand(tools.pathOf('ctr'), ['--address', socket, '--namespace', 'k8s.io', ...args], {
      env: tools.env,
      signal,
    })
  await waitFor(
    () =>
      ctr('images', 'ls', '-q').then(
        () => true,
        () => false,
      ),
    { what: 'containerd', timeoutMs: START_TIMEOUT_MS, signal },
  )
  for (const archive of new Set(archives)) {
    await ctr('images', 'import', archive)
  }
}

/** A containerd with mounts of its own that ends with this process, whatever happens. */
function startImporter(configuration: string, tools: DebianTools): AsyncDisposable {
  const command = [tools.pathOf('containerd'), '--config', configuration]
  const running = execa(
    tools.pathOf('unshare'),
    [
      ...'--mount --propagation private --'.split(' '),
      tools.pathOf('setpriv'),
      ...'--pdeathsig KILL --'.split(' '),
      ...command,
    ],
    { env: tools.env, extendEnv: false, reject: false, stdio: 'ignore' },
  )
  return {
    [Symbol.asyncDispose]: async () => {
      running.kill('SIGTERM')
      await running
    },
  }
}

function importerConfig(paths: { root: string; state: string; socket: string }): string {
  return `version = 2
root = ${JSON.stringify(paths.root)}
state = ${JSON.stringify(paths.state)}
disabled_plugins = ["io.containerd.grpc.v1.cri"]

[grpc]
  address = ${JSON.stringify(paths.socket)}
`
}

/** Seeds of the same images in older states: who was planted from them has links of its own. */
async function removeSeeds(seeds: string, set: string): Promise<void> {
  for (const name of await readdir(seeds)) {
    if (name.startsWith(`${set}-`)) {
      await rm(join(seeds, name), { recursive: true, force: true })
    }
  }
}

function hashOf(names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 12)
}
