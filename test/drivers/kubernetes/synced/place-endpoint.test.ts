import { expect, test } from 'vitest'
import { placeEndpoint } from '../../../../src/drivers/kubernetes/synced/place-endpoint.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { isRecord } from '../../../../src/shared/json-fields.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'

const PATH = '/api/v1/namespaces/team-a/services/vplane-dev-api'

const endpoint = (clusterIP?: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'vplane-dev-api', namespace: 'team-a', labels: objectLabels('dev') },
  spec: { ports: [{ port: 443 }], ...(clusterIP === undefined ? {} : { clusterIP }) },
})

function addressIn(api: MemoryHostApi): string {
  const spec = api.objects.get(PATH)?.['spec']
  return isRecord(spec) ? String(spec['clusterIP']) : ''
}

const place = (api: MemoryHostApi, range: string, former?: string) =>
  placeEndpoint(api, { endpoint: endpoint(), range, former }, AbortSignal.timeout(5000))

/** A host where others have the addresses that are asked for first. */
const hostWithTaken = (count: number) => {
  let left = count
  const isTaken = (request: string) => request.startsWith('apply ') && left-- > 0
  return new MemoryHostApi(refusing(422, 'provided IP is already allocated', isTaken))
}

test('takes the first address of a block of eight, which is the range of the plane', async () => {
  const api = new MemoryHostApi()

  const range = await place(api, '10.96.0.0/16')

  const [, third, fourth] = /^10\.96\.(\d+)\.(\d+)$/.exec(addressIn(api)) ?? []
  expect(Number(fourth) % 8).toBe(1)
  expect(range).toBe(`10.96.${third}.${Number(fourth) - 1}/29`)
})

test('leaves the first two blocks of the host alone', async () => {
  for (let run = 0; run < 50; run += 1) {
    const api = new MemoryHostApi()
    await place(api, '10.0.0.0/25')

    expect(Number(addressIn(api).split('.')[3])).toBeGreaterThan(16)
  }
})

test('takes the address again that a plane had elsewhere, where it is free', async () => {
  const free = await place(new MemoryHostApi(), '10.96.0.0/16', '10.96.7.8/29')
  const other = await place(hostWithTaken(1), '10.96.0.0/16', '10.96.7.8/29')

  expect(free).toBe('10.96.7.8/29')
  expect(other).not.toBe('10.96.7.8/29')
  expect(other).toMatch(/^10\.96\..*\/29$/)
})

test('tries another address when one is taken', async () => {
  const api = hostWithTaken(3)

  await place(api, '10.96.0.0/12')

  expect(api.requests.filter((request) => request.startsWith('apply'))).toHaveLength(4)
})

test('gives up when no address can be had', async () => {
  await expect(place(hostWithTaken(Infinity), '10.96.0.0/16')).rejects.toMatchObject({
    code: 'FAILED',
    message: 'the host gave the endpoint no address of 10.96.0.0/16',
  })
})

test('keeps the address of an endpoint that is there', async () => {
  const api = new MemoryHostApi()
  api.put(PATH, endpoint('10.96.7.9'))

  expect(await place(api, '10.96.0.0/16')).toBe('10.96.7.8/29')
  expect(api.writes).toEqual([])
})

test('replaces an endpoint whose address begins no block, with its node ports', async () => {
  const api = new MemoryHostApi()
  const exposed = {
    ...endpoint('10.96.7.12'),
    spec: { clusterIP: '10.96.7.12', ports: [{ port: 443, nodePort: 30_443 }] },
  }
  const { uid } = api.put(PATH, exposed).metadata

  const range = await place(api, '10.96.0.0/16')

  const replaced = api.objects.get(PATH)
  expect(replaced?.metadata.uid).not.toBe(uid)
  expect(Number(addressIn(api).split('.')[3]) % 8).toBe(1)
  expect(replaced?.['spec']).toMatchObject({ ports: [{ port: 443, nodePort: 30_443 }] })
  expect(await place(api, '10.96.0.0/16')).toBe(range)
})

test('leaves a Service of someone else alone', async () => {
  const api = hostWithTaken(Infinity)
  api.put(PATH, {
    ...endpoint('10.96.7.12'),
    metadata: { name: 'vplane-dev-api', namespace: 'team-a' },
  })

  await expect(place(api, '10.96.0.0/16')).rejects.toMatchObject({ code: 'FAILED' })
  expect(api.writes.filter((request) => request.startsWith('delete'))).toEqual([])
})

test('passes on what else the host says', async () => {
  const api = new MemoryHostApi(refusing(403, 'services is forbidden', /^apply /))

  await expect(place(api, '10.96.0.0/16')).rejects.toThrow('services is forbidden')
})
