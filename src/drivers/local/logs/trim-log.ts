import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { COMPONENT_NAMES } from '../../../control-plane/plane/plane.ts'
import { hasErrorCode } from '../../../shared/errors.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** A log that has grown beyond this is cut. */
const MAX_BYTES = 8 * 1024 * 1024

/** What is left of it then. */
const KEPT_BYTES = 1024 * 1024

/** Cuts the logs of a plane where they have grown too large. Whoever touches a plane does this, as nobody else would. */
export async function trimLogs(folder: PlaneFolder): Promise<void> {
  const trims = COMPONENT_NAMES.map((name) => trimLog(folder.logOf(name)))
  // A log that cannot be cut, on a disk that is full or read-only, must not be in the way of anything.
  await Promise.allSettled(trims)
}

/**
 * Cuts a log to its tail when it has grown too large, in place: the process that writes it has it open for appending
 * and goes on at the new end. Lines written in the moment of cutting may be lost.
 */
export async function trimLog(
  path: string,
  { maxBytes = MAX_BYTES, keptBytes = KEPT_BYTES }: { maxBytes?: number; keptBytes?: number } = {},
): Promise<void> {
  // Nearly always it is short, and every list asks for every log: so it is not even opened.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) {
    return
  }
  try {
    await using reader = await open(path, 'r')
    const { size } = await reader.stat()
    if (size <= maxBytes) {
      return
    }
    const { buffer } = await reader.read(Buffer.alloc(keptBytes), 0, keptBytes, size - keptBytes)
    await using writer = await open(path, 'a')
    await writer.truncate(0)
    await writer.write(buffer.subarray(buffer.indexOf(10) + 1))
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) {
      throw error
    }
  }
}
