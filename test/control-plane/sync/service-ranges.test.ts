import { expect, test } from 'vitest'
import { ensureServiceRanges } from '../../../src/control-plane/sync/service-ranges.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { MemoryApi } from '../../support/api/memory-api.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'

const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs'
const SERVICE = '/api/v1/namespaces/default/services/kubernetes'
const HERE = { host: '10.96.0.0/16', own: '10.96.7.8/29' }
const THERE = { host: '10.112.0.0/20', own: '10.112.3.16/29' }

test('lets Services have all addresses of the host, and touches nothing that is as it is to be', async () => {
  const api = planeOf(HERE)

  await keep(api, HERE)

  expect(api.objects.get(`${CIDRS}/vplane-host`)).toMatchObject({ spec: { cidrs: [HERE.host] } })
  expect(changes(api)).toEqual([`apply ${CIDRS}/vplane-host`])
})

test('gives a plane of another host the ranges of this one, and its API the address that it has here', async () => {
  const api = planeOf(HERE)

  await keep(api, THERE)

  const name = 'vplane-host-10.112.0.0-20'
  expect(api.objects.get(`${CIDRS}/${name}`)).toMatchObject({ spec: { cidrs: [THERE.host] } })
  expect(api.objects.get(SERVICE)).toMatchObject({
    spec: { type: 'ClusterIP', clusterIP: '10.112.3.17', clusterIPs: ['10.112.3.17'] },
  })
  expect(changes(api)).toEqual([
    `apply ${CIDRS}/${name}`,
    `patch ${SERVICE}`,
    `patch ${SERVICE}`,
    `delete ${CIDRS}/kubernetes`,
    `delete ${CIDRS}/vplane-host`,
  ])
})

test('continues where it was interrupted, and waits until the new range is used', async () => {
  const api = planeOf(HERE)
  const patch = api.patch.bind(api)
  let refusals = 2
  api.patch = (path, body) => {
    if (fieldAt(body, 'spec', 'clusterIP') !== null && (refusals -= 1) >= 0) {
      const why = 'the provided network does not match the current range'
      return Promise.reject(new VplaneError('FAILED', why))
    }
    return patch(path, body)
  }
  const dying = AbortSignal.timeout(50)
  refusals = Infinity
  await expect(ensureServiceRanges(api, THERE, dying)).rejects.toThrow('interrupted')
  refusals = 2

  await keep(api, THERE)

  expect(api.objects.get(SERVICE)).toMatchObject({ spec: { clusterIP: '10.112.3.17' } })
})

test('passes over a range that is about to go, though it is the one', async () => {
  const api = planeOf(HERE)
  const leaving = { name: 'vplane-host', deletionTimestamp: '2026-01-01T00:00:00Z' }
  putRanges(api, [
    [{ name: 'kubernetes' }, HERE.own],
    [leaving, HERE.host],
  ])

  await keep(api, HERE)

  expect(changes(api)).toEqual([`apply ${CIDRS}/vplane-host-10.96.0.0-16`])
})

function keep(api: MemoryApi, ranges: typeof HERE): Promise<void> {
  return ensureServiceRanges(api, ranges, AbortSignal.timeout(5000))
}

/** A plane that has run somewhere. */
function planeOf({ host, own }: typeof HERE): MemoryApi {
  const api = new MemoryApi()
  putRanges(api, [
    [{ name: 'kubernetes' }, own],
    [{ name: 'vplane-host' }, host],
  ])
  const spec = { type: 'ClusterIP', clusterIP: own.replace('8/29', '9') }
  api.put(SERVICE, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'kubernetes' }, spec })
  return api
}

function putRanges(api: MemoryApi, ranges: ReadonlyArray<[object, string]>): void {
  const items = ranges.map(([metadata, range]) => ({ metadata, spec: { cidrs: [range] } }))
  api.put(CIDRS, { apiVersion: 'v1', kind: 'ServiceCIDRList', metadata: {}, items })
}

function changes(api: MemoryApi): string[] {
  return api.calls.filter((call) => !call.startsWith('get'))
}
