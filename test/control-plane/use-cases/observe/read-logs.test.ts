import { expect, test } from 'vitest'
import type { LogRequest } from '../../../../src/control-plane/driver/driver.ts'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import {
  type ComponentLines,
  labelled,
  readLogs,
  type ReadLogsOptions,
} from '../../../../src/control-plane/use-cases/observe/read-logs.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const ALL = { name: 'dev', follow: false, signal: NEVER }

/** A plane whose components wrote nothing but what a test has them write. */
async function silentPlane() {
  const { inside, world } = await worldWithPlane()
  for (const component of COMPONENT_NAMES) {
    inside.logs[component].length = 0
  }
  return { world, inside }
}

async function* linesOf(
  world: FakeComposition,
  options: ReadLogsOptions,
): AsyncGenerator<ComponentLines> {
  yield* (await readLogs(world, options)).lines
}

async function textOf(logs: AsyncIterable<ComponentLines>): Promise<string> {
  return (await Array.fromAsync(logs, ({ text }) => text)).join('')
}

test('reads the log of one component as it is', async () => {
  const { inside, world } = await silentPlane()
  inside.logs.etcd.push('one\ntwo\n', '\nthree\n')

  const text = await textOf(linesOf(world, { ...ALL, component: 'etcd' }))

  expect(text).toBe('one\ntwo\n\nthree\n')
})

test('reads several one after the other', async () => {
  const { inside, world } = await silentPlane()
  inside.logs['kube-apiserver'].push('a\nb\n')
  inside.logs.etcd.push('c\n', 'd\n', 'e\n')

  const chunks = await Array.fromAsync(linesOf(world, ALL))

  expect(chunks).toEqual([
    { component: 'etcd', text: 'c\n' },
    { component: 'etcd', text: 'd\n' },
    { component: 'etcd', text: 'e\n' },
    { component: 'kube-apiserver', text: 'a\nb\n' },
  ])
})

test('reads only the end with a tail', async () => {
  const { inside, world } = await silentPlane()
  inside.logs.etcd.push('a\n', 'b\n', 'c\n')

  expect(await textOf(linesOf(world, { ...ALL, component: 'etcd', tail: 2 }))).toBe('b\nc\n')
  expect(await textOf(linesOf(world, { ...ALL, component: 'etcd', tail: 0 }))).toBe('')
})

test('follows several logs at once, in the order of writing, until it is aborted', async () => {
  const { inside, world } = await silentPlane()
  const stop = new AbortController()
  inside.logs.etcd.push('there before\n')
  const next: Array<() => void> = [
    () => inside.log('kube-apiserver', 'first\n'),
    () => inside.log('etcd', 'second\n'),
    () => inside.log('kube-controller-manager', 'third\n'),
    () => stop.abort(),
  ]
  const seen: string[] = []

  for await (const lines of linesOf(world, { ...ALL, follow: true, signal: stop.signal })) {
    seen.push(labelled(lines, lines.component))
    next.shift()?.()
  }

  expect(seen).toEqual([
    'etcd: there before\n',
    'kube-apiserver: first\n',
    'etcd: second\n',
    'kube-controller-manager: third\n',
  ])
})

test('closes all logs when the reader stops', async () => {
  const { inside, world } = await silentPlane()
  const signals: AbortSignal[] = []
  const logs = world.driver.logs.bind(world.driver)
  world.driver.logs = (plane, request, signal) => {
    signals.push(signal)
    return logs(plane, request, signal)
  }
  inside.logs.etcd.push('one\n')

  for await (const { text } of linesOf(world, { ...ALL, follow: true })) {
    expect(text).toBe('one\n')
    break
  }

  expect(signals).toHaveLength(3)
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

test('fails with a log that fails, and lets go of the others', async () => {
  const { inside, world } = await silentPlane()
  inside.nextLog = () => Promise.reject(new Error('the disk is gone'))

  await expect(textOf(linesOf(world, { ...ALL, follow: true }))).rejects.toThrow('the disk is gone')
})

test.for([
  [{}, ['etcd', 'kube-apiserver', 'kube-controller-manager']],
  [{ sync: {} }, ['etcd', 'kube-apiserver', 'kube-controller-manager', 'syncer']],
] as const)('reads of a plane of %j what it has', async ([userSpec, components]) => {
  const { world } = await worldWithPlane({ ...HOSTED, spec: userSpec })

  expect((await readLogs(world, ALL)).components).toEqual(components)
})

test('refuses a component that the plane does not have', async () => {
  const { world } = await silentPlane()

  expect(await rejectionOf(readLogs(world, { ...ALL, component: 'syncer' }))).toMatchObject({
    code: 'USAGE',
    message: '"dev" has no syncer',
  })
})

test('refuses a plane that does not exist', async () => {
  const error = await rejectionOf(textOf(linesOf(new FakeComposition(), ALL)))

  expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
})

test.for([
  [{ text: 'one\n\n' }, undefined, 'one\n\n'],
  [{ text: 'one\ntwo\n' }, 'etcd', 'etcd: one\netcd: two\n'],
  [{ text: 'one\n', pod: 'etcd-0' }, 'etcd', 'etcd: one\n'],
  [{ text: 'one\n', pod: 'etcd-0', isOneOfSeveral: true }, undefined, 'etcd-0: one\n'],
  [{ text: 'one\n', pod: 'etcd-0', isOneOfSeveral: true }, 'etcd', 'etcd: etcd-0: one\n'],
] as const)('labels the lines %j of %s', ([lines, component, text]) => {
  expect(labelled(lines, component)).toBe(text)
})

test('passes tail and time to the driver', async () => {
  const { world } = await silentPlane()
  const requests: LogRequest[] = []
  const logs = world.driver.logs.bind(world.driver)
  world.driver.logs = (plane, request, signal) => {
    requests.push(request)
    return logs(plane, request, signal)
  }

  await textOf(linesOf(world, { ...ALL, component: 'etcd', sinceMs: 300_000, tail: 3 }))

  expect(requests).toEqual([{ component: 'etcd', follow: false, sinceMs: 300_000, tail: 3 }])
})
