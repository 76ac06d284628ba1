import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecorder, type Recorder } from './recorder.ts'

const OWNER = join(import.meta.dirname, 'owner.ts')

test.for(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'runs its program when its owner dies of %s',
  async (signal) => {
    using recorder = createRecorder()
    const owner = await startOwner('wait', recorder)

    owner.kill(signal)
    await once(owner, 'exit')

    expect(await recorder.recording()).toEqual({
      ownerProcessId: owner.pid,
      planes: [{ root: '/data', name: 'a' }],
    })
  },
)

test('runs its program when the process group of its owner is killed', async () => {
  using recorder = createRecorder()
  const owner = await startOwner('wait', recorder)

  process.kill(-(owner.pid ?? 0), 'SIGKILL')

  expect(await recorder.recording()).toMatchObject({ ownerProcessId: owner.pid })
})

test('lets its owner end by itself, and then runs its program', async () => {
  using recorder = createRecorder()
  const owner = await startOwner('end', recorder)

  const [code] = await once(owner, 'exit')

  expect(code).toBe(0)
  expect(await recorder.recording()).toMatchObject({ planes: [{ name: 'a' }] })
})

test('does nothing while its owner lives', async () => {
  using recorder = createRecorder()
  const owner = await startOwner('wait', recorder)

  expect(recorder.recorded()).toBeUndefined()
  owner.kill('SIGKILL')
  await recorder.recording()
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
