import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { processTableOf } from '../../src/shared/processes/process-table-of.ts'
import { startControlPlane } from '../../src/library/index.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { guardOf, type OwnerPlace, ownerPlace } from './owners.ts'

/** How long it may take until nothing is left of planes whose owner was killed. */
const WITHIN_MS = 60_000

test('starts three at once in one process, which share nothing', async () => {
  const start = () => startControlPlane({ timeoutMs: 300_000 })
  const planes = await Promise.all([start(), start(), start()])
  await using stack = new AsyncDisposableStack()
  planes.forEach((plane) => stack.use(plane))
  const [first, ...others] = planes

  await first.api.create('/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'only-here' },
  })

  const path = '/api/v1/namespaces/default/configmaps/only-here'
  expect(new Set(planes.map(({ server }) => server)).size).toBe(3)
  expect(await first.api.get(path)).toBeDefined()
  expect(await Promise.all(others.map(({ api }) => api.get(path)))).toEqual([undefined, undefined])
  await stack.disposeAsync()
  await expect(first.api.get(path)).rejects.toThrow()
})

test('is gone when its owner is killed, and the guard too', async () => {
  await using place = ownerPlace()
  const { owner, readiness } = await place.start(2)
  const names = await readiness
  const guard = guardOf(owner)

  expect(place.planes().toSorted()).toEqual(names.toSorted())
  expect(place.processes().size).toBe(6)
  owner.kill('SIGKILL')

  await untilNothingIsLeft(place)
  await untilGone(guard)
  // Neither a kubeconfig nor planes nor a configuration.
  expect(existsSync(place.home)).toBe(false)
})

test('is gone when its owner is killed in the middle of starting it', async () => {
  await using place = ownerPlace()
  const { owner } = await place.start(1)

  expect(place.processes().size).toBeGreaterThan(0)
  owner.kill('SIGKILL')

  await untilNothingIsLeft(place)
})

test('is removed by the next start when owner and guard were killed', async () => {
  await using place = ownerPlace()
  const first = await place.start(1)
  const [orphan = ''] = await first.readiness
  process.kill(guardOf(first.owner), 'SIGKILL')
  first.owner.kill('SIGKILL')
  await once(first.owner, 'exit')
  expect(place.planes()).toEqual([orphan])

  const second = await place.start(1)
  const names = await second.readiness

  expect(place.planes()).toEqual(names)
  expect([...place.processes().values()].filter((args) => args.includes(orphan))).toEqual([])
  second.owner.kill('SIGTERM')
  await untilNothingIsLeft(place)
})

test('leaves nothing when its start is aborted', async () => {
  await using place = ownerPlace()
  vi.stubEnv('TMPDIR', place.folder)
  const abort = new AbortController()
  const starting = startControlPlane({ signal: abort.signal }).catch((error: unknown) => error)

  // In the middle of it: some processes run, others do not yet.
  await waitFor(() => Promise.resolve(place.processes().size > 1), {
    what: 'the first processes',
    timeoutMs: 60_000,
    intervalMs: 5,
  })
  abort.abort()

  expect(await starting).toMatchObject({ code: 'ABORTED' })
  expectNothingIn(place)
})

test('starts nothing when it is aborted before', async () => {
  await using place = ownerPlace()
  vi.stubEnv('TMPDIR', place.folder)

  const starting = startControlPlane({ signal: AbortSignal.abort() })

  await expect(starting).rejects.toMatchObject({ code: 'ABORTED' })
  expectNothingIn(place)
})

test('leaves nothing when a component cannot start, and says why', async () => {
  await using place = ownerPlace()
  vi.stubEnv('TMPDIR', place.folder)
  const spec = { apiServer: { extraArgs: { 'no-such-flag': 'x' } } }

  const error: unknown = await startControlPlane({ spec }).catch((error: unknown) => error)

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: expect.stringContaining('no-such-flag'),
  })
  expectNothingIn(place)
})

test('leaves nothing when it is not ready in time, and says so', async () => {
  await using place = ownerPlace()
  vi.stubEnv('TMPDIR', place.folder)

  const starting = startControlPlane({ timeoutMs: 1 })

  await expect(starting).rejects.toMatchObject({ code: 'TIMED_OUT' })
  expectNothingIn(place)
})

function expectNothingIn(place: OwnerPlace): void {
  expect({ planes: place.planes(), processes: [...place.processes()] }).toEqual({
    planes: [],
    processes: [],
  })
}

async function untilNothingIsLeft(place: OwnerPlace): Promise<void> {
  await waitFor(
    () => Promise.resolve(place.planes().length === 0 && place.processes().size === 0),
    { what: 'the end of all that the owner started', timeoutMs: WITHIN_MS, intervalMs: 20 },
  )
}

async function untilGone(processId: number): Promise<void> {
  const table = processTableOf(process.platform)
  await waitFor(() => Promise.resolve(table.startTimeOf(processId) === undefined), {
    what: 'the end of the guard',
    timeoutMs: WITHIN_MS,
    intervalMs: 20,
  })
}
