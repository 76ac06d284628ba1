import { X509Certificate, createPrivateKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { renewDueLeaves } from '../../../../src/drivers/kubernetes/certificates/renew-plane-leaves.ts'
import { certificateFields } from '../../../../src/drivers/kubernetes/objects/stored-keys.ts'
import {
  filesOf,
  makeKeys,
  type PlaneFiles,
} from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { tryLease } from '../../../../src/drivers/kubernetes/record/plane-lease.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { isRecord } from '../../../../src/shared/json-fields.ts'
import { objectPathOf } from '../../../../src/manifests/manifest.ts'
import { planeManifests } from '../../../../src/manifests/render/plane-manifests.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const DAY_MS = 24 * 3_600_000
const CHANGE = { operation: 'change', step: 'replacing etcd', at: '', holder: 'me' } as const

test('renews the certificates in their last 90 days in every Secret that has them', async () => {
  const { before, ends, keep, secrets } = await agedPlane()

  const issued = await keep()

  expect(issued).toContain('etcd/healthcheck-client')
  expect(issued).toContain('apiserver')
  expect(ends().every((end) => end.getTime() > before.getTime() + 300 * DAY_MS)).toBe(true)
  for (const files of secrets().values()) {
    expect(unpaired(files)).toEqual([])
  }
  expect(await keep()).toEqual([])
})

test('records when they expire now, and replaces only Secrets', async () => {
  const { cluster, keep, stored } = await agedPlane()
  const before = cluster.api.writes.length
  const former = stored.record.certificatesExpireAt

  await keep()

  const writes = cluster.api.writes.slice(before)
  expect(writes.filter((write) => !/\/(secrets|leases)(\/|$)/.test(write))).toEqual([])
  expect(cluster.recordOf('dev')).toMatchObject({
    certificatesExpireAt: expect.not.stringContaining(former ?? 'never'),
  })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
  expect(cluster.remains().filter((path) => path.startsWith('leases/'))).toEqual([])
})

test.for<UserSpec>([{ renew: true }, { renew: true, sync: { nodes: true, scheduler: 'virtual' } }])(
  'needs no right that the Role of the keeper does not grant: %j',
  async (spec) => {
    const { cluster, keep } = await agedPlane(spec)
    const before = cluster.api.requests.length

    await keep()

    const asked = cluster.api.requests.slice(before)
    expect(asked.filter((request) => !isGranted(request, rulesOf(cluster)))).toEqual([])
  },
)

test.for([1, 2, 3, 4, 5, 6, 7, 8])('continues after an interruption at write %i', async (write) => {
  const { cluster, cut, ends, keep, secrets } = await agedPlane()
  cut.in(write)
  await rejectionOf(keep())
  cut.in(Infinity)
  // The Lease that it left has expired by then.
  cluster.time = new Date(cluster.time.getTime() + 660_000)

  await keep()

  const first = Math.min(...ends().map((end) => end.getTime()))
  expect(first).toBeGreaterThan(Date.now() + 300 * DAY_MS)
  for (const files of secrets().values()) {
    expect(unpaired(files)).toEqual([])
  }
})

test('replaces the Secret of the keeper last, in which the keeper reads what is due', async () => {
  const { cluster, keep } = await agedPlane()
  const before = cluster.api.writes.length

  await keep()

  const applied = cluster.api.writes.slice(before).filter((write) => write.startsWith('apply'))
  expect(applied.length).toBeGreaterThan(3)
  expect(applied.at(-1)).toMatch(/\/vplane-dev-keeper$/)
})

test('does nothing while another vplane holds the plane', async () => {
  const { cluster, keep, secrets } = await agedPlane()
  const before = JSON.stringify([...secrets()])
  const { signal } = cluster.operation()
  await using _lease = await tryLease(cluster.api, { ...PLACE, now: () => cluster.time, signal })

  expect(await keep()).toBeUndefined()
  expect(JSON.stringify([...secrets()])).toBe(before)
})

test.for<Partial<PlaneRecord>>([
  { isComplete: false },
  { journal: CHANGE },
  { journal: { ...CHANGE, operation: 'remove' } },
  { restoring: { former: 'before' } },
])('changes no plane with an unfinished operation: %j', async (half) => {
  const { cluster, keep, secrets } = await agedPlane()
  const before = JSON.stringify([...secrets()])
  await cluster.changeRecord('dev', half)

  expect(await keep()).toBeUndefined()
  expect(JSON.stringify([...secrets()])).toBe(before)
})

test('renews those of a paused plane, which remains paused', async () => {
  const { cluster, ends, keep, stored } = await agedPlane({ renew: true, idle: '30m' })
  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  await keep()

  expect(cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
  expect(Math.min(...ends().map(Number))).toBeGreaterThan(Date.now() + 300 * DAY_MS)
})

/** A plane that was made 300 days ago, and what its keeper does now; the host may break. */
async function agedPlane(userSpec: UserSpec = { renew: true }) {
  let writesLeft = Infinity
  const cluster = new FakeCluster({
    onRequest: ({ verb }) => {
      const isWrite = !['get', 'list', 'watch', 'stream'].includes(verb)
      writesLeft -= isWrite ? 1 : 0
      if (writesLeft <= 0) {
        throw new VplaneError('UNREACHABLE', 'the host is gone')
      }
    },
  })
  const before = new Date()
  const spec = resolveSpec(userSpec, 'kubernetes')
  const files = await makeKeys(PLACE, {
    spec,
    now: new Date(before.getTime() - 300 * DAY_MS),
    addresses: ['127.0.0.1'],
    serviceAccountKeys: Promise.resolve({ 'sa.key': 'a key', 'sa.pub': 'its half' }),
  })
  for (const object of planeManifests(manifestInputOf(userSpec, { files }))) {
    cluster.api.put(objectPathOf(object), object)
  }
  const stored = await cluster.store('dev', { userSpec, ...certificateFields(files) })
  cluster.time = before
  const { signal } = cluster.operation()
  const options = { id: stored.record.id, place: PLACE, now: () => cluster.time }
  const secrets = () =>
    new Map(
      [...cluster.api.objects]
        .filter(([path]) => /\/secrets\/vplane-dev-(?!record)/.test(path))
        .map(([path, { data }]) => [path, filesOf(data)] as const),
    )
  return {
    before,
    cluster,
    secrets,
    stored,
    cut: { in: (writes: number) => (writesLeft = writes) },
    keep: () => renewDueLeaves(cluster.api, options, signal),
    /** When leaves end, wherever one is. */
    ends: () =>
      [...secrets().values()].flatMap((files) =>
        certificatesIn(files).flatMap(({ ca, validToDate }) => (ca ? [] : [validToDate])),
      ),
  }
}

function certificatesIn(files: PlaneFiles): X509Certificate[] {
  return Object.entries(files).flatMap(([name, text]) =>
    name.endsWith('.crt') ? [new X509Certificate(text)] : [],
  )
}

/** The certificates that are not for the key beside them. */
function unpaired(files: PlaneFiles): string[] {
  return Object.keys(files).filter((name) => {
    const key = name.endsWith('.crt') ? files[name.replace(/\.crt$/, '.key')] : undefined
    return (
      key !== undefined &&
      !new X509Certificate(files[name] ?? '').checkPrivateKey(createPrivateKey(key))
    )
  })
}

interface Rule {
  resources: string[]
  resourceNames?: string[]
  verbs: string[]
}

/** What the keeper may do for the sake of renewal. */
function rulesOf(cluster: FakeCluster): Rule[] {
  const role = cluster.api.objects.get(
    '/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/roles/vplane-dev-keeper-renew',
  )
  return Array.isArray(role?.['rules']) ? role['rules'].filter(isRule) : []
}

function isRule(value: unknown): value is Rule {
  return isRecord(value) && Array.isArray(value['verbs'])
}

const VERBS: Record<string, string> = { apply: 'patch', replace: 'update' }

function isGranted(request: string, rules: readonly Rule[]): boolean {
  const [verb = '', path = ''] = request.split(' ')
  const [, resource = '', name] = /\/namespaces\/team-a\/(\w+)(?:\/([^/?]+))?/.exec(path) ?? []
  return rules.some(
    ({ resourceNames, resources, verbs }) =>
      verbs.includes(VERBS[verb] ?? verb) &&
      resources.includes(resource) &&
      (resourceNames === undefined || resourceNames.includes(name ?? '')),
  )
}
