import { expect, test } from 'vitest'
import type { LogLines, LogRequest } from '../../../../src/control-plane/driver/driver.ts'
import type { ComponentName } from '../../../../src/control-plane/plane/plane.ts'
import type { HostApi } from '../../../../src/drivers/kubernetes/host/host-api.ts'
import { Channel } from '../../../../src/drivers/kubernetes/logs/follow-logs.ts'
import { readLogs } from '../../../../src/drivers/kubernetes/logs/read-logs.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi, refusal } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { putObject } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const PODS = '/api/v1/namespaces/team-a/pods'
const READ = { component: 'kube-apiserver', follow: false } as const
const FOLLOW = { component: 'kube-apiserver', follow: true } as const
const { signal } = new AbortController()

test('reads the log of the only pod of a component unchanged', async () => {
  const api = new MemoryHostApi()
  putPod(api, 'a')
  putPod(api, 'other', { component: 'etcd' })
  api.texts.set(`${PODS}/a/log`, 'one\ntwo\n')

  expect(await textOf(api, READ)).toBe('one\ntwo\n')
  expect(api.requests.at(-1)).toBe(`stream ${PODS}/a/log?container=kube-apiserver`)
})

test.for([
  [{ tail: 1 }, 'tailLines=1'],
  [{ sinceMs: 300_000 }, 'sinceSeconds=300'],
  [{ sinceMs: 1001 }, 'sinceSeconds=2'],
  [{ sinceMs: -1 }, 'sinceSeconds=1'],
] as const)('requests only lines of %j, and never of 0 seconds', async ([some, query]) => {
  const api = new MemoryHostApi()
  putPod(api, 'a')

  await textOf(api, { ...READ, ...some })

  expect(api.requests.at(-1)).toBe(`stream ${PODS}/a/log?container=kube-apiserver&${query}`)
})

test('names the pod of all lines, the oldest first', async () => {
  const api = new MemoryHostApi()
  putPod(api, 'young', { creationTimestamp: '2026-06-01T12:00:00Z' })
  putPod(api, 'old', { creationTimestamp: '2026-06-01T11:00:00Z' })
  api.texts.set(`${PODS}/young/log`, 'two\n')
  api.texts.set(`${PODS}/old/log`, 'one\n')

  const lines = await Array.fromAsync(readLogs(api, { place: PLACE, request: READ }, signal))

  expect(lines).toEqual([
    { text: 'one\n', pod: 'old', isOneOfSeveral: true },
    { text: 'two\n', pod: 'young', isOneOfSeveral: true },
  ])
})

test.for([400, 404])('reads nothing of a container that has not started: %i', async (status) => {
  const api = new MemoryHostApi(refusing(status, 'not yet', /^stream /))
  putPod(api, 'a')

  expect(await textOf(api, READ)).toBe('')
})

test('fails with the message of the host when logs may not be read', async () => {
  const api = new MemoryHostApi(refusing(403, 'pods/log is forbidden', /^stream /))
  putPod(api, 'a')

  const error = await rejectionOf(textOf(api, READ))

  expect(error.message).toBe('pods/log is forbidden')
})

test('follows the logs of all pods, also later ones, until the signal fires', async () => {
  const api = new MemoryHostApi()
  const stop = new AbortController()
  putPod(api, 'a', { containerId: 'c1' })
  api.texts.set(`${PODS}/a/log`, 'one\n')
  api.texts.set(`${PODS}/b/log`, 'two\n')
  const request = { ...FOLLOW, tail: 1, sinceMs: 9000 }
  const seen: LogLines[] = []

  for await (const lines of readLogs(api, { place: PLACE, request }, stop.signal)) {
    seen.push(lines)
    if (seen.length === 1) {
      putPod(api, 'b', { containerId: 'c2' })
    } else {
      stop.abort()
    }
  }

  expect(seen).toEqual([
    { text: 'one\n', pod: 'a', isOneOfSeveral: false },
    { text: 'two\n', pod: 'b', isOneOfSeveral: true },
  ])
  expect(api.requests.filter((asked) => asked.startsWith('stream'))).toEqual([
    `stream ${PODS}/a/log?container=kube-apiserver&follow=true&tailLines=1&sinceSeconds=9`,
    `stream ${PODS}/b/log?container=kube-apiserver&follow=true&tailLines=1&sinceSeconds=9`,
  ])
})

test('follows a waiting pod once its container runs, and again after a restart', async () => {
  const api = new MemoryHostApi()
  const stop = new AbortController()
  putPod(api, 'a')
  api.texts.set(`${PODS}/a/log`, 'begun\n')
  const request = { ...FOLLOW, tail: 0 }
  const chunks: string[] = []
  const reading = (async () => {
    for await (const { text } of readLogs(api, { place: PLACE, request }, stop.signal)) {
      chunks.push(text)
      if (chunks.length === 1) {
        putPod(api, 'a', { containerId: 'c2' })
      } else {
        stop.abort()
      }
    }
  })()

  putPod(api, 'a', { containerId: 'c1' })
  await reading

  expect(chunks).toEqual(['begun\n', 'begun\n'])
  // All of what a container writes that was started meanwhile is new.
  expect(api.requests.filter((asked) => asked.startsWith('stream')).at(-1)).not.toContain('tail')
})

test('ends when the component is deleted', async () => {
  const api = new MemoryHostApi()
  putPod(api, 'a', { containerId: 'c1' })
  api.texts.set(`${PODS}/a/log`, 'one\n')
  const chunks: string[] = []

  for await (const { text } of readLogs(api, { place: PLACE, request: FOLLOW }, signal)) {
    chunks.push(text)
    api.remove(`${PODS}/a`)
  }

  expect(chunks).toEqual(['one\n'])
})

test('fails when pods may not be watched', async () => {
  const api = new MemoryHostApi(refusing(403, 'no watching'))

  const error = await rejectionOf(textOf(api, FOLLOW))

  expect(error.message).toBe('no watching')
})

test('continues an interrupted log where it broke', async () => {
  const { chunks, paths } = await followBroken((attempt) => (attempt === 1 ? 'one\n' : 'two\n'))

  expect(chunks).toEqual(['one\n', 'two\n'])
  expect(paths[1]).toMatch(/follow=true&sinceSeconds=\d+$/)
})

test('requests the same lines again when a log breaks before its first line', async () => {
  const { paths } = await followBroken((attempt) => (attempt === 1 ? '' : 'one\n'))

  expect(paths[0]).toMatch(/&tailLines=7$/)
  expect(paths[1]).toBe(paths[0])
})

/** Follows a log that breaks after each answer, until its second one. */
async function followBroken(answer: (attempt: number) => string) {
  const api = new MemoryHostApi()
  const stop = new AbortController()
  putPod(api, 'a', { containerId: 'c1' })
  const paths: string[] = []
  const broken: Pick<HostApi, 'get' | 'list' | 'stream' | 'watch'> = {
    get: (path, options) => api.get(path, options),
    list: (path, options) => api.list(path, options),
    watch: (path, options) => api.watch(path, options),
    stream: async function* (path) {
      paths.push(path)
      yield answer(paths.length)
      throw refusal(503, 'the connection broke')
    },
  }
  const request = { ...FOLLOW, tail: 7 }
  const chunks: string[] = []
  for await (const { text } of readLogs(broken, { place: PLACE, request }, stop.signal)) {
    chunks.push(text)
    if (paths.length === 2) {
      stop.abort()
    }
  }
  return { chunks, paths }
}

interface PodFields {
  component?: ComponentName
  creationTimestamp?: string
  /** Of the container that runs. @default none does */
  containerId?: string
}

function putPod(
  api: MemoryHostApi,
  name: string,
  { component = 'kube-apiserver', containerId = '', creationTimestamp }: PodFields = {},
): void {
  const state = containerId === '' ? { waiting: {} } : { running: {} }
  const containerStatuses = [{ name: component, containerID: containerId, state }]
  const labels = objectLabels('dev', component)
  putObject(api, ['Pod', { name, labels, creationTimestamp }], { status: { containerStatuses } })
}

async function textOf(api: MemoryHostApi, request: LogRequest): Promise<string> {
  const lines = readLogs(api, { place: PLACE, request }, signal)
  return (await Array.fromAsync(lines, ({ text }) => text)).join('')
}

test('passes the values of all writers in order', async () => {
  const channel = new Channel<number>()
  const read: number[] = []
  const writing = Promise.all([1, 2, 3].map((value) => channel.put(value))).then(() =>
    channel.close(),
  )

  for await (const value of channel.read()) {
    read.push(value)
  }
  await writing

  expect(read).toEqual([1, 2, 3])
})

test('lets a writer wait until its value is read', async () => {
  const channel = new Channel<number>()
  const events: string[] = []
  const writing = channel.put(1).then(() => events.push('taken'))
  events.push('written')
  const reader = channel.read()

  await reader.next()
  await writing

  expect(events).toEqual(['written', 'taken'])
})

test('releases writers when the channel is closed', async () => {
  const channel = new Channel<number>()
  const writing = channel.put(1)

  channel.close()

  await writing
  await channel.put(2)
  expect(await Array.fromAsync(channel.read())).toEqual([])
})
