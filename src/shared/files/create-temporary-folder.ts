import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isProcessAlive } from '../processes/is-process-alive.ts'

/** How old a folder is at least whose process is said to be dead, in milliseconds: that may live in another container. */
const LEFT_MS = 24 * 3_600_000

/**
 * Makes an empty folder that only this user can look into, and that is gone when it is disposed. Such folders that
 * processes left here which were killed go along, a day later.
 */
export async function createTemporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  // It is 0700, whatever the umask is.
  const path = await mkdtemp(join(tmpdir(), `vplane-${process.pid}-`))
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await rm(path, { recursive: true, force: true })
      await removeLeft()
    },
  }
}

/** What cannot be removed is in nobody's way, and somebody else's may not be. */
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
