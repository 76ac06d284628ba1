import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { serveNodes } from '../../../src/syncer/kubelet/serve-nodes.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { soon } from '../../support/soon.ts'
import { follow } from '../engine/some-caches.ts'
import { nodeAt } from '../nodes/some-nodes.ts'

const FIRST = 10_300

/** A plane with these nodes, and what is served for them. */
function servedNodes(ports: Record<string, number>, { failures = 0 } = {}) {
  const api = new MemoryHostApi()
  const put = (name: string, port: number) => api.put(`/api/v1/nodes/${name}`, nodeAt(name, port))
  Object.entries(ports).forEach(([name, port]) => put(name, port))
  const nodes = new ObjectCache(api, '/api/v1/nodes')
  follow(nodes)
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
      soon(wanted.join(), () => [...open].toSorted().join() === wanted.toSorted().join()),
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}

test('serves each node where it says, as long as it is there', async () => {
  const given = servedNodes({ a: FIRST, b: FIRST + 1 })
  await given.serves(`a:${FIRST}`, `b:${FIRST + 1}`)

  given.put('a', FIRST + 5)
  given.api.remove('/api/v1/nodes/b')
  given.put('c', FIRST)
  await given.serves(`a:${FIRST + 5}`, `c:${FIRST}`)
  await given[Symbol.asyncDispose]()

  expect([...given.open]).toEqual([])
})

test('serves nothing on a port that no syncer gives', async () => {
  await using given = servedNodes({ a: 10_251, b: FIRST })

  await given.serves(`b:${FIRST}`)
  given.put('b', 22)

  await given.serves()
})

test('tries again when it cannot serve', async () => {
  await using given = servedNodes({ a: FIRST }, { failures: 2 })

  await given.serves(`a:${FIRST}`)

  expect(given.errors).toHaveLength(2)
})
