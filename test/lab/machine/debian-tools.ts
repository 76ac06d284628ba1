import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { VplaneError } from '../../../src/shared/errors.ts'
import { acquireFileLock } from '../../../src/shared/files/file-lock.ts'
import type { LabContext } from '../lab-context.ts'
import { runCommand } from './run-command.ts'

/** What nodes need of Debian. Changing the list means new folder: see `VERSION`. */
const PACKAGES = [
  'busybox-static',
  'containerd',
  'containernetworking-plugins',
  'iproute2',
  'mount',
  'nftables',
  'runc',
  'util-linux',
]
const VERSION = 1
const LOCK_TIMEOUT_MS = 600_000

/** Programs from Debian packages, unpacked beside the machine's own. */
export interface DebianTools {
  /** The environment in which they are found and find their libraries. */
  env: Record<string, string>
  /** The folder of CNI plugins. */
  cniPlugins: string
  /** Absolute path of one of them, or of the machine's own. */
  pathOf: (program: string) => string
}

/**
 * Gets the programs that nodes run on. Packages that the machine lacks are downloaded and unpacked into the lab's
 * folder; nothing is installed, so no service is started and none is replaced.
 *
 * @throws {VplaneError} `FAILED` when they cannot be had.
 */
export async function ensureDebianTools(context: LabContext): Promise<DebianTools> {
  const { folder, signal, ui } = context
  const root = join(folder.debian, `v${VERSION}`)
  if (!existsSync(root)) {
    await using _ = await acquireFileLock(join(folder.locks, 'debian.lock'), {
      what: 'another lab that fetches Debian packages',
      timeoutMs: LOCK_TIMEOUT_MS,
      signal,
    })
    if (!existsSync(root)) {
      ui.step('fetching Debian packages')
      await mkdir(folder.debian, { recursive: true, mode: 0o700 })
      const draft = await mkdtemp(join(folder.debian, 'draft-'))
      await download(join(draft, 'archives'), context)
      await unpack(join(draft, 'archives'), join(draft, 'root'), context)
      await rename(join(draft, 'root'), root)
      await rm(draft, { recursive: true })
    }
  }
  return toolsIn(root)
}

async function download(archives: string, { signal }: LabContext): Promise<void> {
  await mkdir(join(archives, 'partial'), { recursive: true })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = [
    ...'install --yes --no-install-recommends --download-only'.split(' '),
    `--option=Dir::Cache::archives=${archives}`,
    '--option=APT::Sandbox::User=root',
    ...PACKAGES,
  ]
  try {
    await runCommand('apt-get', install, { env, signal })
  } catch (error) {
    // A fresh machine has no lists of packages, an old one has lists of packages that are gone.
    signal.throwIfAborted()
    await runCommand('apt-get', ['update'], { env, signal }).catch(() => undefined)
    await runCommand('apt-get', install, { env, signal }).catch((again: unknown) => {
      throw new VplaneError('FAILED', 'cannot download the Debian packages that nodes need', {
        hints: [`apt-get install --download-only ${PACKAGES.join(' ')}`],
        cause: new AggregateError([error, again]),
      })
    })
  }
}

async function unpack(archives: string, root: string, { signal }: LabContext): Promise<void> {
  await mkdir(root, { recursive: true })
  for (const name of (await readdir(archives)).filter((file) => file.endsWith('.deb'))) {
    await runCommand('dpkg-deb', ['--extract', join(archives, name), root], { signal })
  }
  // What a merged /usr has as links: some packages have files there still.
  for (const name of ['bin', 'sbin']) {
    if (!existsSync(join(root, name))) {
      await symlink(`usr/${name}`, join(root, name))
    }
  }
}

function toolsIn(root: string): DebianTools {
  const under = ['usr/sbin', 'usr/bin', 'sbin', 'bin']
  const folders = [root, '/'].flatMap((top) => under.map((name) => join(top, name)))
  const libraries = ['usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'usr/lib']
  return {
    env: {
      PATH: folders.join(delimiter),
      LD_LIBRARY_PATH: libraries
        .map((name) => join(root, name))
        .filter((path) => existsSync(path))
        .join(delimiter),
    },
    cniPlugins: firstOf(
      [join(root, 'usr/lib/cni'), '/usr/lib/cni', '/opt/cni/bin'],
      'the CNI plugins',
    ),
    pathOf: (program) =>
      firstOf(
        folders.map((path) => join(path, program)),
        `"${program}"`,
      ),
  }
}

function firstOf(paths: readonly string[], what: string): string {
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) {
    throw new VplaneError('NOT_FOUND', `the machine has no ${what.replaceAll('"', '')}`, {
      hints: [`apt-get install ${PACKAGES.join(' ')}`],
    })
  }
  return found
}
