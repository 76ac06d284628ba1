import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isProcessAlive } from '../processes/send-signal.ts'

/** Younger folders stay, in milliseconds: their process may run in another container, where it is not visible. */
const LEFT_MS = 24 * 3_600_000

/** An empty folder for this user alone, until it is disposed of; old ones of killed processes are removed too. */
export async function createTemporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  // mkdtemp creates it with 0700, whatever the umask is.
  const path = await mkdtemp(join(tmpdir(), `vplane-${process.pid}-`))
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await rm(path, { recursive: true, force: true })
      await removeLeft()
    },
  }
}

/** Removes old folders of killed processes, except those that cannot be removed or belong to other users. */
async function removeLeft(): Promise<void> {
  const folder = tmpdir()
  const names = await readdir(folder).catch(() => [])
  const left = names.filter((name) => isLeft(name)).map((name) => join(folder, name))
  await Promise.allSettled(left.map(removeOld))
}

async function removeOld(path: string): Promise<void> {
  const { mtimeMs, uid } = await lstat(path)
  if (uid === process.getuid?.() && mtimeMs < Date.now() - LEFT_MS) {
    await rm(path, { recursive: true, force: true })
  }
}

function isLeft(name: string): boolean {
  const [, processId] = /^vplane-(\d+)-\w{6}$/.exec(name) ?? []
  return processId !== undefined && !isProcessAlive(Number(processId))
}
