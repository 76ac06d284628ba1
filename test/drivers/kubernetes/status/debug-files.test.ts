import { expect, test } from 'vitest'
import { readKeys } from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { debugFiles, shownObject } from '../../../../src/drivers/kubernetes/status/debug-files.ts'
import { FakeCluster, objectOf, putObject } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const { signal } = new AbortController()
const PLACE = { name: 'dev', namespace: 'team-a' }
const { spec: SPEC } = planeRecordOf('dev')

test('holds every object of the plane, and nothing of what Secrets hold', async () => {
  const cluster = await madePlane()
  const keys = Object.values(await readKeys(cluster.api, PLACE, signal))

  const files = await debugFiles(cluster.api, PLACE, { spec: SPEC, signal })

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

test('shows no key of a plane that kubectl has applied, which repeats every object in an annotation', async () => {
  const cluster = await madePlane()
  const keys = Object.values(await readKeys(cluster.api, PLACE, signal))
  for (const [path, stored] of cluster.api.objects) {
    const annotations = {
      ...stored.metadata.annotations,
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(stored),
    }
    cluster.api.put(path, { ...stored, metadata: { ...stored.metadata, annotations } })
  }

  const files = await debugFiles(cluster.api, PLACE, { spec: SPEC, signal })

  const text = files.map((file) => file.text).join('')
  const encoded = keys.map((key) => Buffer.from(key).toString('base64'))
  expect(encoded.filter((secret) => text.includes(secret))).toEqual([])
  expect(text).toMatch(/last-applied-configuration: "\(\d+ characters, left out\)"/)
})

test('holds the events of its objects alone', async () => {
  const cluster = await madePlane()
  for (const name of ['vplane-dev-etcd-0', 'vplane-dev-etcd-etcd-0', 'theirs']) {
    putObject(cluster.api, ['Event', { name }], { involvedObject: { kind: 'Pod', name } })
  }

  const files = await debugFiles(cluster.api, PLACE, { spec: SPEC, signal })

  const events = files.find(({ path }) => path === 'host/events.jsonl')?.text ?? ''
  expect(events).toContain('"name":"vplane-dev-etcd-0"')
  expect(events).not.toMatch(/theirs|etcd-etcd/)
})

test('leaves out values that are very long', async () => {
  const cluster = await madePlane()
  const path = '/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd'
  const data = { code: 'x'.repeat(30_000), short: 'y' }
  await cluster.api.patch(path, { data }, { type: 'merge' })

  const files = await debugFiles(cluster.api, PLACE, { spec: SPEC, signal })

  const map = files.find((file) => file.path.endsWith('configmaps/vplane-dev-etcd.yaml'))
  expect(map?.text).toContain('code: "(30000 characters, left out)"')
  expect(map?.text).toContain('short: "y"')
})

test('names what a Secret holds, and shows none of it wherever it is repeated', () => {
  const shown = shownObject({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'vplane-dev-keys',
      annotations: { 'vplane.dev/made-by': '1.0.0', 'copier.example/original': 'aGlkZGVu' },
      managedFields: [{}],
    },
    data: { 'sa.key': 'aGlkZGVu' },
    stringData: { token: 'hidden' },
  })

  expect(shown).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'vplane-dev-keys',
      annotations: {
        'vplane.dev/made-by': '1.0.0',
        'copier.example/original': '(8 characters, left out)',
      },
    },
    data: { 'sa.key': '(8 characters, left out)' },
    stringData: { token: '(6 characters, left out)' },
  })
})

test('shows no variable of a container whose name says that it is secret', () => {
  const pod = (value: string) => {
    const env = [
      { name: 'GOGC', value: '50' },
      { name: 'AWS_SECRET_ACCESS_KEY', value },
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's3', key: 'token' } } },
    ]
    const metadata = { name: 'vplane-dev-keeper-0', annotations: { note: 'mine' } }
    return { ...objectOf('Pod', metadata), spec: { containers: [{ name: 'keeper', env }] } }
  }

  expect(shownObject(pod('hidden'))).toEqual(pod('(6 characters, left out)'))
})

async function madePlane(): Promise<FakeCluster> {
  const cluster = new FakeCluster()
  await cluster.create('dev')
  return cluster
}
