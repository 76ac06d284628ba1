import { expect, test } from 'vitest'
import { hostUsage } from '../../../src/syncer/metrics/host-usage.ts'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import { httpStatusOf } from '../../../src/kube/kube-error.ts'
import { MemoryHostApi, refusal } from '../../support/memory-host-api.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const LIST = 'list /apis/metrics.k8s.io/v1beta1/namespaces/team-a/pods'

function readerOf(api: MemoryHostApi, maxAgeMs?: number) {
  const none = new ObjectCache(api, '/none')
  return hostUsage({
    host: api,
    scope: { plane: 'dev', planeId: 'p-1', host: { namespace: 'team-a' } },
    pods: { virtual: none, host: none },
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
  })
}

test('asks the host once for all who ask at about the same time', async () => {
  const api = new MemoryHostApi()
  const read = readerOf(api)

  await Promise.all([read(), read()])
  await read()

  expect(api.requests).toEqual([LIST])
})

test('asks again when the answer is old', async () => {
  const api = new MemoryHostApi()
  const read = readerOf(api, -1)

  await read()
  await read()

  expect(api.requests).toEqual([LIST, LIST])
})

test('says how the host failed, and asks it again', async () => {
  const statuses = [404, 503]
  const api = new MemoryHostApi({
    onRequest: () => {
      const status = statuses.shift()
      if (status !== undefined) {
        throw refusal(status, 'no metrics')
      }
    },
  })
  const read = readerOf(api)

  expect(httpStatusOf(await rejectionOf(read()))).toBe(404)
  expect(httpStatusOf(await rejectionOf(read()))).toBe(503)
  expect(await read()).toEqual([])
})
