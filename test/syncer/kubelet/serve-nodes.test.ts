import { expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import { serveNodes } from '../../../src/syncer/kubelet/serve-nodes.ts'
import { virtualNode } from '../../../src/syncer/nodes/virtual-node.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'

const FIRST = 10_300

/** A plane with these nodes, and what is served for them. */
async function servedNodes(ports: Record<string, number>, { failures = 0 } = {}) {
  const api = new MemoryHostApi()
  const stop = new AbortController()
  const put = (name: string, port: number) => {
    const settings = { endpoint: 'syncer', portOf: () => port, kubernetesVersion: '1.36.3' }
    api.put(`/api/v1/nodes/${name}`, virtualNode(name, settings, { now: new Date(0) }))
  }
  for (const [name, port] of Object.entries(ports)) {
    put(name, port)
  }
  const nodes = new ObjectCache(api, '/api/v1/nodes')
  const running = nodes.run(stop.signal).catch(() => {})
  const open = new Set<string>()
  const errors: unknown[] = []
  let left = failures
  const servers = serveNodes({
    nodes,
    firstPort: FIRST,
    serve: async (node, port) => {
      if (left > 0) {
        left -= 1
        throw new Error('the port is taken')
      }
      const served = `${node}:${port}`
      open.add(served)
      return { [Symbol.asyncDispose]: async () => void open.delete(served) }
    },
    onError: (_, error) => errors.push(error),
  })
  return {
    api,
    errors,
    open,
    put,
    /** Waits until this is served and nothing else. */
    serves: (...wanted: string[]) =>
      waitFor(async () => [...open].toSorted().join() === wanted.toSorted().join(), {
        what: `${wanted.join()} (${[...open].join()})`,
        timeoutMs: 5000,
        intervalMs: 2,
      }),
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test has ended'))
      await servers[Symbol.asyncDispose]()
      await running
    },
  }
}

test('serves each node where it says, as long as it is there', async () => {
  const given = await servedNodes({ a: FIRST, b: FIRST + 1 })
  await given.serves(`a:${FIRST}`, `b:${FIRST + 1}`)

  given.put('a', FIRST + 5)
  given.api.remove('/api/v1/nodes/b')
  given.put('c', FIRST)
  await given.serves(`a:${FIRST + 5}`, `c:${FIRST}`)
  await given[Symbol.asyncDispose]()

  expect([...given.open]).toEqual([])
})

test('serves nothing on a port that no syncer gives', async () => {
  await using given = await servedNodes({ a: 10_251, b: FIRST })

  await given.serves(`b:${FIRST}`)
  given.put('b', 22)

  await given.serves()
})

test('tries again when it cannot serve', async () => {
  await using given = await servedNodes({ a: FIRST }, { failures: 2 })

  await given.serves(`a:${FIRST}`)

  expect(given.errors).toHaveLength(2)
})
