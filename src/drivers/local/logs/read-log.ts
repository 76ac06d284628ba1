import { open, type FileHandle } from 'node:fs/promises'
import type { LogLines } from '../../../control-plane/driver/driver.ts'
import { unlessErrorCode } from '../../../shared/errors.ts'
import { wholeLines } from '../../../shared/text/whole-lines.ts'
import { withoutTraces } from '../../../shared/text/without-traces.ts'
import { RecentLines } from './recent-lines.ts'
import { watchChanges } from './watch-changes.ts'

const CHUNK_BYTES = 64 * 1024

/** A panic of a component prints a few dozen lines of trace. */
const TRACE_LINES = 200

export interface ReadLogOptions {
  /** Lines from the end. @default all of them */
  tail?: number | undefined
  /** Only lines of the last milliseconds, among those of `tail`. @default all of them */
  sinceMs?: number | undefined
  /** Follow the log until the signal fires. */
  follow: boolean
}

/** Reads the text of a log file in chunks. Yields nothing when the file does not exist. */
export async function* readLog(
  path: string,
  { follow, sinceMs, tail }: ReadLogOptions,
  signal: AbortSignal,
): AsyncIterable<string> {
  await using file = await unlessErrorCode(['ENOENT'], open(path, 'r'))
  if (file === undefined) {
    return
  }
  const { size: sizeAtStart } = await file.stat()
  // Lines that are written meanwhile would be more than those of `tail`.
  const end = follow ? Infinity : sizeAtStart
  let position = tail === undefined ? 0 : await tailStart(file, sizeAtStart, tail)
  using changes = follow ? watchChanges(path, signal) : undefined
  const decoder = new TextDecoder()
  const recent = sinceMs === undefined ? undefined : new RecentLines(Date.now() - sinceMs)
  for (;;) {
    const { nlink, size } = await file.stat()
    // `trimLogs` has shortened the log: the rest is read again.
    position = size < position ? 0 : position
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(0, end - position)))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
    if (bytesRead > 0) {
      position += bytesRead
      const text = decoder.decode(chunk.subarray(0, bytesRead), { stream: true })
      yield recent?.take(text) ?? text
      continue
    }
    if (recent !== undefined) {
      yield recent.takeRest()
    }
    const isDeleted = nlink === 0
    if (isDeleted || changes === undefined || !(await changes.next())) {
      return
    }
  }
}

/** Reads a log file as `readLog` does, in whole lines. */
export async function* readLines(
  path: string,
  options: ReadLogOptions,
  signal: AbortSignal,
): AsyncIterable<LogLines> {
  for await (const text of wholeLines(readLog(path, options, signal))) {
    yield { text }
  }
}

/** The last lines of a component's log without traces. */
export async function lastWords(path: string, count: number): Promise<string[]> {
  return withoutTraces(await lastLines(path, TRACE_LINES)).slice(-count)
}

/** The last lines of a log file; empty when it does not exist. */
export async function lastLines(path: string, count: number): Promise<string[]> {
  const log = readLog(path, { tail: count, follow: false }, AbortSignal.abort())
  const text = (await Array.fromAsync(log)).join('')
  return text.split('\n').filter((line) => line !== '')
}

async function tailStart(file: FileHandle, size: number, lines: number): Promise<number> {
  if (lines === 0) {
    return size
  }
  let missing = lines + 1
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    for (let index = buffer.length - 1; index >= 0; index -= 1) {
      // The newline at the end of the file starts no line.
      if (buffer[index] === 10 && start + index !== size - 1 && (missing -= 1) === 1) {
        return start + index + 1
      }
    }
    end = start
  }
  return 0
}
