import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { SERVING_NAMES } from '../../../control-plane/plane/plane.ts'
import { hasErrorCode } from '../../../shared/errors.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

const MAX_BYTES = 8 * 1024 * 1024
const TAIL_BYTES = 1024 * 1024

interface Limits {
  maxBytes?: number
  tailBytes?: number
}

/** Of a plane that is paused: each log is as short as after a trim. */
export const PAUSED_LIMITS: Limits = { maxBytes: TAIL_BYTES }

/** Trims the logs of a plane that have grown too large. Every command for a plane does, as no process is resident. */
export async function trimLogs(folder: PlaneFolder, limits: Limits = {}): Promise<void> {
  const trims = SERVING_NAMES.map((name) => trimLog(folder.logOf(name), limits))
  // A log on a full or read-only disk must not make the command fail.
  await Promise.allSettled(trims)
}

/**
 * Trims a log to its tail when it has grown too large, in place: the component has it open for appending and continues
 * at the new end. Lines written at the same moment may be lost.
 */
export async function trimLog(
  path: string,
  { maxBytes = MAX_BYTES, tailBytes = TAIL_BYTES }: Limits = {},
): Promise<void> {
  // Almost every log is short, and `list` checks all logs: so a short one is not opened.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) {
    return
  }
  try {
    await using reader = await open(path, 'r')
    const { size } = await reader.stat()
    if (size <= maxBytes) {
      return
    }
    const { buffer } = await reader.read(Buffer.alloc(tailBytes), 0, tailBytes, size - tailBytes)
    await using writer = await open(path, 'a')
    await writer.truncate(0)
    await writer.write(buffer.subarray(buffer.indexOf(10) + 1))
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) {
      throw error
    }
  }
}
