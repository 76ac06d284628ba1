import { expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { offerMetrics } from '../../../src/syncer/metrics/offer-metrics.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'

const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io'
const SERVICE = '/api/v1/namespaces/kube-system/services/vplane-metrics'

/** A plane to which metrics are offered; `status` is the host's refusal, none at first. */
function offered() {
  const plane = new MemoryHostApi()
  const stop = new AbortController()
  const host: { status?: number } = {}
  const errors: unknown[] = []
  let looks = 0
  const ended = offerMetrics(
    {
      plane,
      readUsage: async () => {
        looks += 1
        if (host.status !== undefined) {
          throw refusal(host.status, 'no metrics')
        }
        return []
      },
      endpoint: { host: 'vplane-dev-syncer.team-a.svc', port: 10_252 },
      authority: 'the CA',
      onError: (_, error) => errors.push(error),
      everyMs: 2,
    },
    stop.signal,
  )
  return {
    plane,
    host,
    errors,
    /** Waits until it was looked several times again. */
    later: () => {
      const from = looks
      return waitFor(async () => looks > from + 2, {
        what: 'looks',
        timeoutMs: 5000,
        intervalMs: 1,
      })
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await ended
    },
  }
}

test("leads the plane's API server to the syncers", async () => {
  await using given = offered()
  await given.later()

  expect(given.plane.objects.get(SERVICE)).toMatchObject({
    spec: { type: 'ExternalName', externalName: 'vplane-dev-syncer.team-a.svc' },
  })
  expect(given.plane.objects.get(API_SERVICE)).toMatchObject({
    spec: {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      caBundle: 'dGhlIENB',
      service: { name: 'vplane-metrics', namespace: 'kube-system', port: 10_252 },
    },
  })
})

test.for([404, 403])('has the API go with that of the host, and come again: %d', async (status) => {
  await using given = offered()
  await given.later()

  given.host.status = status
  await given.later()
  expect([...given.plane.objects.keys()]).toEqual([])
  delete given.host.status
  await given.later()

  expect(given.plane.objects.has(API_SERVICE)).toBe(true)
})

test('leaves it as it is while the host does not say', async () => {
  await using given = offered()
  await given.later()

  given.host.status = 503
  await given.later()

  expect(given.plane.objects.has(API_SERVICE)).toBe(true)
  expect(given.errors).not.toEqual([])
})

test("leaves somebody's own metrics alone, also where they have taken it over", async () => {
  await using given = offered()
  await given.later()
  const known = given.plane.objects.get(API_SERVICE)
  const theirs = {
    apiVersion: '',
    kind: '',
    metadata: {},
    ...known,
    spec: { service: { name: 'metrics-server', namespace: 'kube-system', port: 443 } },
  }
  given.plane.put(API_SERVICE, theirs)
  await given.later()
  given.host.status = 404
  await given.later()

  expect(given.plane.objects.get(API_SERVICE)).toMatchObject({ spec: theirs.spec })
  expect(given.plane.objects.has(SERVICE)).toBe(false)
})

test("touches no Service of somebody else's, and says so", async () => {
  await using given = offered()
  const theirs = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'vplane-metrics' } }
  given.plane.put(SERVICE, theirs)
  await given.later()

  expect(given.plane.objects.get(SERVICE)?.['spec']).toBeUndefined()
  expect(given.errors).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('does not belong to the syncer') }),
  )
})
