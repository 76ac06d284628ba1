import { expect, test } from 'vitest'
import { createPlane } from '../../../../src/drivers/kubernetes/create/create-plane.ts'
import { readKeys } from '../../../../src/drivers/kubernetes/create/plane-keys.ts'
import { debugFiles } from '../../../../src/drivers/kubernetes/status/debug-files.ts'
import { FakeCluster, requestFor } from '../fake-cluster.ts'

const { signal } = new AbortController()
const PLACE = { name: 'dev', namespace: 'team-a' }

test('holds every object of the plane, and nothing of what Secrets hold', async () => {
  const cluster = new FakeCluster()
  await createPlane(cluster.driverContext(), requestFor('dev'), cluster.operation())
  const keys = Object.values(await readKeys(cluster.api, PLACE, signal))

  const files = await debugFiles(cluster.api, PLACE, { signal })

  const text = files.map((file) => file.text).join('')
  const encoded = keys.map((key) => Buffer.from(key).toString('base64'))
  expect(keys.length).toBeGreaterThan(10)
  expect([...keys, ...encoded].filter((secret) => text.includes(secret))).toEqual([])
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'host/statefulsets/vplane-dev-etcd.yaml',
      'host/secrets/vplane-dev-ca.yaml',
      'host/pods/vplane-dev-etcd-0.yaml',
      'host/events.jsonl',
    ]),
  )
})

test('leaves out values that are very long', async () => {
  const cluster = new FakeCluster()
  await createPlane(cluster.driverContext(), requestFor('dev'), cluster.operation())
  const path = '/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd'
  const stored = cluster.api.objects.get(path)
  expect(stored).toBeDefined()
  cluster.api.put(path, { ...Object(stored), data: { code: 'x'.repeat(30_000), short: 'y' } })

  const files = await debugFiles(cluster.api, PLACE, { signal })

  const map = files.find((file) => file.path.endsWith('configmaps/vplane-dev-etcd.yaml'))
  expect(map?.text).toContain('code: "(30000 characters, left out)"')
  expect(map?.text).toContain('short: "y"')
})
