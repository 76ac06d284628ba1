import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VplaneError } from '../../../src/shared/errors.ts'
import { acquireFileLock } from '../../../src/shared/files/file-lock.ts'
import type { LabContext } from '../lab-context.ts'
import { runCommand } from './run-command.ts'

const LOCK_TIMEOUT_MS = 600_000

/** Debian packages in a folder. */
export interface DebianFolder {
  /** The folder's name. Other packages need another one. */
  name: string
  packages: readonly string[]
  /** Whether it has all that the packages need, also what this machine has: it is a file system then. @default false */
  isComplete?: boolean
}

/**
 * The folder in which Debian packages are unpacked. Nothing is installed on this machine.
 *
 * @throws {VplaneError} `FAILED` when they cannot be downloaded.
 */
export async function ensureDebianFolder(
  wanted: DebianFolder,
  context: LabContext,
): Promise<string> {
  const { folder, signal, ui } = context
  const root = join(folder.debian, wanted.name)
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
      await download(wanted, draft, context)
      await unpack(join(draft, 'archives'), join(draft, 'root'), context)
      await rename(join(draft, 'root'), root)
      await rm(draft, { recursive: true })
    }
  }
  return root
}

async function download(
  { isComplete = false, packages }: DebianFolder,
  draft: string,
  { signal }: LabContext,
): Promise<void> {
  const archives = join(draft, 'archives')
  await mkdir(join(archives, 'partial'), { recursive: true })
  // As if nothing were installed.
  const status = join(draft, 'status')
  await writeFile(status, '')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = [
    ...'install --yes --no-install-recommends --download-only'.split(' '),
    `--option=Dir::Cache::archives=${archives}`,
    '--option=APT::Sandbox::User=root',
    ...(isComplete ? [`--option=Dir::State::status=${status}`] : []),
    ...packages,
  ]
  try {
    await runCommand('apt-get', install, { env, signal })
  } catch (error) {
    // A fresh machine has no lists of packages, an old one has lists of packages that are gone.
    signal.throwIfAborted()
    await runCommand('apt-get', ['update'], { env, signal }).catch(() => undefined)
    await runCommand('apt-get', install, { env, signal }).catch((again: unknown) => {
      throw new VplaneError('FAILED', 'cannot download the Debian packages that the lab needs', {
        hints: [`apt-get install --download-only ${packages.join(' ')}`],
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
