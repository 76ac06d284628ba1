import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { createGuard } from '../../../../src/drivers/local/guard/create-guard.ts'
import { type Recorder, test } from './recorder.ts'

test('passes on what is still protected when it ends', async ({ recorder }) => {
  const guard = createGuard(recorder)

  await guard.protect('/data', 'a')
  await guard.protect('/data', 'b')
  await guard.protect('/other', 'a')
  await guard.release('/data', 'a')
  await guard[Symbol.asyncDispose]()

  expect(recorder.recorded()).toEqual({
    ownerProcessId: process.pid,
    planes: [
      { root: '/data', name: 'b' },
      { root: '/other', name: 'a' },
    ],
  })
})

test('runs from the first plane to the last, and passes on nothing', async ({ recorder }) => {
  await using guard = createGuard(recorder)

  await guard.release('/data', 'a')
  const before = guardsOf(recorder)
  await guard.protect('/data', 'a')
  const processes = guardsOf(recorder)
  await guard.release('/data', 'a')

  expect([before, processes]).toEqual([[], [expect.any(Number)]])
  expect(guardsOf(recorder)).toEqual([])
  expect(recorder.recorded()).toBeUndefined()
})

test('starts one process for planes that are protected at once', async ({ recorder }) => {
  await using guard = createGuard(recorder)
  const names = Array.from({ length: 20 }, (_, index) => `plane-${index}`)

  await Promise.all(names.map((name) => guard.protect('/data', name)))

  expect(guardsOf(recorder)).toHaveLength(1)
  await guard[Symbol.asyncDispose]()
  const planes = names.map((name) => ({ root: '/data', name }))
  expect(recorder.recorded()).toMatchObject({ planes })
})

test('protects again after the last plane was released', async ({ recorder }) => {
  const guard = createGuard(recorder)

  await guard.protect('/data', 'a')
  await Promise.all([guard.release('/data', 'a'), guard.protect('/data', 'b')])
  await guard[Symbol.asyncDispose]()

  expect(recorder.recorded()).toMatchObject({ planes: [{ root: '/data', name: 'b' }] })
})

test('is replaced with the next plane when someone killed it', async ({ recorder }) => {
  const guard = createGuard(recorder)
  await guard.protect('/data', 'a')
  const [killed = 0] = guardsOf(recorder)

  process.kill(killed, 'SIGKILL')
  await expect.poll(() => guardsOf(recorder)).toEqual([])
  await Promise.all([guard.protect('/data', 'b'), guard.protect('/data', 'c')])

  expect(guardsOf(recorder)).toHaveLength(1)
  await guard[Symbol.asyncDispose]()
  const planes = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  expect(recorder.recorded()).toMatchObject({ planes })
})

test.for(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)(
  'outlives a %s',
  async (signal, { recorder }) => {
    const guard = createGuard(recorder)
    await guard.protect('/data', 'a')
    const [processId = 0] = guardsOf(recorder)

    process.kill(processId, signal)
    await guard[Symbol.asyncDispose]()

    expect(recorder.recorded()).toMatchObject({ planes: [{ name: 'a' }] })
  },
)

/** Ids of the guards of this test. */
function guardsOf({ program }: Recorder): number[] {
  const file = program.at(-1) ?? ''
  return execFileSync('ps', ['-A', '-ww', '-o', 'pid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('vplane-guard') && line.includes(file))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, state = '']) => !state.startsWith('Z'))
    .map(([processId]) => Number(processId))
}
