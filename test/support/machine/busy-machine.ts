import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { acquireFileLock } from '../../../src/shared/files/file-lock.ts'

const TURN_MS = 30 * 60_000

/**
 * A turn of a test that keeps the whole machine busy, or needs one that is not, until it is disposed. Tests of other files may run beside it, but
 * no other one of its kind, in whichever run.
 */
export function busyMachine(): Promise<AsyncDisposable> {
  return acquireFileLock(join(tmpdir(), 'vplane-busy-machine.lock'), {
    what: 'another test that keeps the machine busy',
    timeoutMs: TURN_MS,
    intervalMs: 500,
  })
}

/** Gives all tests of a file a turn like that. */
export function takeBusyMachine(): void {
  let turn: AsyncDisposable
  beforeAll(async () => {
    turn = await busyMachine()
  })
  afterAll(() => turn[Symbol.asyncDispose]())
}
