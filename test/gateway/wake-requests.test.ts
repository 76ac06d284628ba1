import { expect, onTestFinished, test } from 'vitest'
import { WakeRequests } from '../../src/gateway/wake-requests.ts'
import { type WaitingClient, wakeRequestsOf } from '../../src/manifests/gateway-records.ts'
import { MemoryHostApi, refusal } from '../support/api/memory-host-api.ts'

const PATH = '/api/v1/namespaces/team-a/configmaps/vplane-gateway-wakes'
const MEBIBYTE = 1024 * 1024
const CLIENT = { address: '10.0.0.1' }

test('are sent together for all planes', async () => {
  const { patches, waitFor } = world()

  for (let plane = 0; plane < 200; plane += 1) {
    waitFor(`plane-${plane}`, [CLIENT])
  }
  await expect.poll(() => patches.length).toBeGreaterThan(5)

  // The first one is sent at once, and no other plane waits for a whole interval.
  expect(patches.slice(0, 6).map(({ size }) => size)).toEqual([1, 199, 200, 200, 200, 200])
  const marks = patches.flatMap((requests) => [...requests.values()].map(({ mark }) => mark))
  expect(new Set(marks).size).toBe(marks.length)
})

test('are removed when nobody waits for a plane any more', async () => {
  const { leave, names, waitFor } = world()
  waitFor('one', [CLIENT])
  waitFor('two', [CLIENT])
  await expect.poll(names).toEqual(['one', 'two'])

  leave('one')
  await expect.poll(names).toEqual(['two'])
  leave('two')
  await expect.poll(names).toEqual([])
  waitFor('one', [CLIENT])

  await expect.poll(names).toEqual(['one'])
})

test('have room for all planes, whatever servers their clients name', async () => {
  const { names, size, waitFor } = world()
  const serverName = 'a'.repeat(253)
  const clients = Array.from({ length: 10 }, (_, id) => ({ address: `10.0.0.${id}`, serverName }))

  for (let plane = 0; plane < 1000; plane += 1) {
    waitFor(`plane-${plane}`, clients)
  }

  await expect.poll(() => names().length).toBe(1000)
  expect(size()).toBeLessThan(MEBIBYTE / 2)
})

test('replace those that killed gateways have left when there is no room', async () => {
  const former = Array.from({ length: 400 }, (_, id) => [`old-${id}`, 'x'.repeat(2600)] as const)
  const { lines, names, waitFor } = world(Object.fromEntries(former))

  waitFor('dev', [CLIENT])

  await expect.poll(names).toEqual(['dev'])
  expect(lines).toEqual([])
})

test('name each address once, and all of them in turn', async () => {
  const { patches, waitFor } = world()
  const clients = Array.from({ length: 25 }, (_, id) => ({ address: `10.0.0.${id}` }))
  const again = { address: '10.0.0.24', serverName: 'again' }

  waitFor('dev', [...clients, again])
  await expect.poll(() => patches.length).toBeGreaterThan(2)

  const [first = [], ...others] = patches.slice(0, 3).map((one) => one.get('dev')?.clients ?? [])
  expect(first).toEqual([again, ...clients.slice(15, 24).toReversed()])
  const addresses = [first, ...others].flat().map(({ address }) => address)
  expect(new Set(addresses)).toEqual(new Set(clients.map(({ address }) => address)))
})

/** The requests of a gateway whose host stores at most 1 MiB of them, as a real one does. */
function world(data: Record<string, string> = {}) {
  const host = new MemoryHostApi()
  const metadata = { name: 'vplane-gateway-wakes', namespace: 'team-a' }
  let stored = host.put(PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
  const sizeOf = (object: unknown) => JSON.stringify(object).length
  const patches: Array<ReturnType<typeof wakeRequestsOf>> = []
  const lines: string[] = []
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const clients = new Map<string, WaitingClient[]>()
  const requests = new WakeRequests({
    host: {
      patch: async (path, body, options) => {
        const patched = await host.patch(path, body, options)
        if (sizeOf(patched) > MEBIBYTE) {
          host.put(PATH, stored)
          throw refusal(422, 'Too long: may not be more than 1048576 bytes')
        }
        patches.push(wakeRequestsOf({ ...patched, ...Object(body) }))
        stored = patched
        return patched
      },
    },
    gateway: { name: 'vplane-gateway', namespace: 'team-a' },
    intervalMs: 50,
    log: (line) => lines.push(line),
    signal: stop.signal,
  })
  return {
    lines,
    patches,
    names: () => [...wakeRequestsOf(stored).keys()],
    size: () => sizeOf(stored),
    leave: (name: string) => clients.delete(name),
    waitFor: (name: string, waiting: WaitingClient[]) => {
      clients.set(name, waiting)
      requests.ask({ name, id: `id-of-${name}` }, () => clients.get(name) ?? [])
    },
  }
}
