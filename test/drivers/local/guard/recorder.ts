import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '../../../../src/shared/wait.ts'

/** A program for a guard that writes its input to a file. */
export interface Recorder extends Disposable {
  program: string[]
  /** The input of the program; undefined before it has run. */
  recorded(): unknown
  /** Waits until the program has run. */
  recording(): Promise<unknown>
}

export function createRecorder(): Recorder {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-guard-'))
  const file = join(folder, 'message')
  const recorded = () => {
    try {
      return JSON.parse(readFileSync(file, 'utf8'))
    } catch {
      // It does not exist yet.
      return undefined
    }
  }
  return {
    program: ['/bin/sh', '-c', 'cat > "$0.part" && mv "$0.part" "$0"', file],
    recorded,
    recording: () =>
      waitFor(() => Promise.resolve(recorded()), { what: 'the guard', timeoutMs: 9000 }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
