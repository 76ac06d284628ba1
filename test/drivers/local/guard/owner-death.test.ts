import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Recorder, test } from './recorder.ts'

const OWNER = join(import.meta.dirname, 'owner.ts')

const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const

test.for(SIGNALS)('runs its program only after %s of its owner', async (signal, { recorder }) => {
  const owner = await startOwner('wait', recorder)
  const before = recorder.recorded()

  owner.kill(signal)
  await once(owner, 'exit')

  expect(before).toBeUndefined()
  expect(await recorder.recording()).toEqual({
    ownerProcessId: owner.pid,
    planes: [{ root: '/data', name: 'a' }],
  })
})

test('runs its program when the process group of its owner is killed', async ({ recorder }) => {
  const owner = await startOwner('wait', recorder)

  process.kill(-(owner.pid ?? 0), 'SIGKILL')

  expect(await recorder.recording()).toMatchObject({ ownerProcessId: owner.pid })
})

test('lets its owner end by itself, and then runs its program', async ({ recorder }) => {
  const owner = await startOwner('end', recorder)

  const [code] = await once(owner, 'exit')

  expect(code).toBe(0)
  expect(await recorder.recording()).toMatchObject({ planes: [{ name: 'a' }] })
})

/** Starts an owner in its own process group, and returns when its plane is protected. */
async function startOwner(mode: string, { program }: Recorder): Promise<ChildProcess> {
  const owner = spawn(process.execPath, [OWNER, mode, ...program], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(owner.stdout, 'data')
  owner.stdout.resume()
  return owner
}
