import { join } from 'node:path'
import { tryFileLock } from '../../shared/files/file-lock.ts'

/** Returns the lock that the keeper of a user's local planes holds, that of the one that waits for its end, and its log. */
export function keeperPlace(root: string): { lock: string; next: string; log: string } {
  const locks = join(root, 'locks')
  return {
    lock: join(locks, '.keeper'),
    next: join(locks, '.next-keeper'),
    log: join(root, 'keeper.log'),
  }
}

/** Whether a keeper of the local planes in `root` runs. @throws {VplaneError} `FAILED` when its lock cannot be checked. */
export async function isKeeping(root: string): Promise<boolean> {
  await using held = tryFileLock(keeperPlace(root).lock)
  return held === undefined
}
