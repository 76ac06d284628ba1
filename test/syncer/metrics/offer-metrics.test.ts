import { expect, test } from 'vitest'
import { offerMetrics } from '../../../src/syncer/metrics/offer-metrics.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { inBackground } from '../../support/in-background.ts'
import { soon } from '../../support/soon.ts'

const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io'
const SERVICE = '/api/v1/namespaces/kube-system/services/vplane-metrics'

/** A plane to which metrics are offered; `status` is the host's refusal, none at first. */
function offered() {
  const plane = new MemoryHostApi()
  const host: { status?: number } = {}
  const errors: unknown[] = []
  let looks = 0
  const options: Parameters<typeof offerMetrics>[0] = {
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
  }
  inBackground((signal) => offerMetrics(options, signal))
  return {
    plane,
    host,
    errors,
    /** Waits until it was looked several times again. */
    later: () => {
      const from = looks
      return soon('looks', () => looks > from + 2)
    },
  }
}

test("leads the plane's API server to the syncers", async () => {
  const given = offered()
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
  const given = offered()
  await given.later()

  given.host.status = status
  await given.later()
  expect([...given.plane.objects.keys()]).toEqual([])
  delete given.host.status
  await given.later()

  expect(given.plane.objects.has(API_SERVICE)).toBe(true)
})

test('leaves it as it is while the host does not say', async () => {
  const given = offered()
  await given.later()

  given.host.status = 503
  await given.later()

  expect(given.plane.objects.has(API_SERVICE)).toBe(true)
  expect(given.errors).not.toEqual([])
})

test("leaves someone's own metrics alone, also where they have taken it over", async () => {
  const given = offered()
  await given.later()
  const metadata = { ...given.plane.objects.get(API_SERVICE)?.metadata }
  const spec = { service: { name: 'metrics-server', namespace: 'kube-system', port: 443 } }
  given.plane.put(API_SERVICE, { apiVersion: '', kind: 'APIService', metadata, spec })
  await given.later()
  given.host.status = 404
  await given.later()

  expect(given.plane.objects.get(API_SERVICE)).toMatchObject({ spec })
  expect(given.plane.objects.has(SERVICE)).toBe(false)
})

test("touches no Service of someone else's, and says so", async () => {
  const given = offered()
  const theirs = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'vplane-metrics' } }
  given.plane.put(SERVICE, theirs)
  await given.later()

  expect(given.plane.objects.get(SERVICE)?.['spec']).toBeUndefined()
  expect(given.errors).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('does not belong to the syncer') }),
  )
})
