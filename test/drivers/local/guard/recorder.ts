import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from 'vitest'
import { waitFor } from '../../../../src/shared/wait.ts'

/** A program for a guard that writes its input to a file. */
export interface Recorder {
  program: string[]
  /** The input of the program; undefined before it has run. */
  recorded(): unknown
  /** Waits until the program has run. */
  recording(): Promise<unknown>
}

/** Tests with a recorder of their own. */
export const test = base.extend('recorder', ({ onTestFinished }): Recorder => {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-guard-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
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
  }
})
