import { createPrivateKey, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  ROTATED_KEYS,
  type RotatedKeys,
  type RotationStage,
} from '../../../../src/control-plane/rotation/rotation.ts'
import { hostCertificates } from '../../../../src/drivers/kubernetes/driver-parts.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { filesOf, readKeys } from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { toPlane } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { PENDING_FILE } from '../../../../src/pki/rotation/pending-rotation.ts'
import { createServiceAccountKeys } from '../../../../src/pki/plane/service-account-keys.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, requestFor } from '../fake-cluster.ts'

const KEYS = 'service-account-key'
const WAITS = 'Waiting for another vplane that works on "dev"'
// Made once: it takes a while.
const FIRST_KEYS = createServiceAccountKeys()
const STAGES = ['prepare', 'switch', 'complete'] as const

test.for([
  ['prepare', ['kube-apiserver']],
  ['switch', ['kube-apiserver', 'kube-controller-manager']],
  ['complete', ['kube-apiserver']],
] as const)('replaces in %s the pods that read other keys', async ([stage, components]) => {
  const { cluster, rotate } = await madePlane()
  for (const earlier of STAGES.slice(0, STAGES.indexOf(stage))) {
    await rotate(earlier)
  }
  const before = pods(cluster)

  await rotate(stage)

  const after = pods(cluster)
  const changed = Object.keys(before).filter((name) => before[name] !== after[name])
  expect(changed.toSorted()).toEqual(components.map((name) => `vplane-dev-${name}-0`))
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
  expect(secret(cluster, 'ca')).not.toHaveProperty([PENDING_FILE])
})

test('gives the next key to all pods before it signs', async () => {
  const { cluster, rotate } = await madePlane()

  await rotate('prepare')
  const next = secret(cluster, 'ca')['next/sa.key']
  const prepared = secret(cluster, 'kube-apiserver')
  await rotate('switch')

  expect(Object.values(prepared)).not.toContain(next)
  expect(secret(cluster, 'kube-apiserver')['sa.key']).toBe(next)
  expect(secret(cluster, 'kube-controller-manager')['sa.key']).toBe(next)
  expect(secret(cluster, 'ca')).not.toHaveProperty(['next/sa.key'])
})

test('keeps the data of an ephemeral plane: the pod of its etcd is not replaced', async () => {
  const { cluster, rotate } = await madePlane({ ephemeral: true })
  const before = pods(cluster)

  const error = await rejectionOf(rotate('prepare', 'ca'))

  expect(error.message).toContain('is ephemeral')
  expect(pods(cluster)).toEqual(before)
})

test.for([1, 2, 3, 5, 6, 8, 9])('continues a stage interrupted at write %i', async (write) => {
  const { cluster, cut, progress, rotate } = await madePlane()
  await rotate('prepare')
  cut.in(write)
  const failure = await rejectionOf(rotate('switch'))
  cut.in(Infinity)

  await rotate('switch')

  expect(failure.message).toContain('the host is gone')
  expect(await progress()).toEqual({ taken: 'switch' })
  const [signing, taking] = ['kube-controller-manager', 'kube-apiserver'] as const
  expect(secret(cluster, signing)['sa.key']).toBe(secret(cluster, taking)['sa.key'])
})

test.for(ROTATED_KEYS)('takes only the next stage of %s', async (keys) => {
  const userSpec = { encryption: { secrets: true } }
  const { certificates, cluster, plane, rotate } = await madePlane(userSpec)
  const place = { name: 'dev', namespace: String(plane.namespace) }
  const files = () => readKeys(cluster.api, place, new AbortController().signal)

  for (const next of STAGES) {
    const before = await files()
    for (const stage of STAGES.filter((one) => one !== next)) {
      const { code, message } = await rejectionOf(rotate(stage, keys))
      expect([code, message]).toEqual(['FAILED', expect.stringContaining('has continued')])
    }
    expect(await files()).toEqual(before)
    expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
    await rotate(next, keys)
  }
  expect(await certificates.rotation(plane, keys)).toEqual({})
})

test('holds the plane from the check of what needs the old key to the end', async () => {
  const { certificates, cluster, plane, progress, rotate } = await madePlane()
  await rotate('prepare')
  await rotate('switch')
  const operation = cluster.operation()
  const waits = new RecordingUi()
  let later: Promise<unknown> | undefined
  const step = { keys: KEYS, stage: 'complete' } as const
  const untilSafe = async () => {
    later = rejectionOf(certificates.rotate(plane, step, { ...operation, ui: waits }))
    await expect.poll(() => waits.steps).toContain(WAITS)
  }

  await certificates.rotate(plane, { ...step, untilSafe }, operation)

  expect(await later).toMatchObject({ code: 'FAILED' })
  expect(await progress()).toEqual({})
})

test('issues no certificates during a rotation', async () => {
  const { certificates, cluster, cut, plane, rotate } = await madePlane()
  await rotate('prepare', 'ca')
  await rotate('switch', 'ca')
  cut.in(2)
  await rejectionOf(rotate('complete', 'ca'))
  cut.in(Infinity)
  const before = secret(cluster, 'kube-apiserver')

  const error = await rejectionOf(certificates.renewLeaves(plane, cluster.operation()))
  const after = secret(cluster, 'kube-apiserver')
  await rotate('complete', 'ca')

  expect(error.message).toBe('the rotation of the CAs of "dev" was interrupted')
  expect(after).toEqual(before)
  const { 'apiserver.crt': certificate = '', 'apiserver.key': key = '' } = secret(
    cluster,
    'kube-apiserver',
  )
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true)
})

/** A plane that was made, on a host whose connection may break. */
async function madePlane(userSpec: UserSpec = {}) {
  let left = Infinity
  const cluster = new FakeCluster({
    onRequest: ({ path, verb }) => {
      const isRead = ['get', 'list', 'watch', 'stream'].includes(verb)
      // An interrupted command releases its Lease, or the Lease expires.
      const isMeant = !isRead && !path.includes('/leases')
      left -= isMeant ? 1 : 0
      if (isMeant && left < 0) {
        throw new VplaneError('UNREACHABLE', 'the host is gone')
      }
    },
  })
  const context = cluster.driverContext({ makeServiceAccountKeys: () => FIRST_KEYS })
  const { namespace, record } = await createPlane(
    context,
    requestFor('dev', { userSpec }),
    cluster.operation(),
  )
  const plane = toPlane(record, { namespace, hostContext: 'work' })
  const certificates = hostCertificates(context, () => {})
  return {
    certificates,
    cluster,
    plane,
    cut: { in: (writes: number) => (left = writes) },
    progress: () => certificates.rotation(plane, KEYS),
    rotate: (stage: RotationStage, keys: RotatedKeys = KEYS) =>
      certificates.rotate(plane, { keys, stage }, cluster.operation()),
  }
}

/** The files in one of the plane's Secrets. */
function secret(cluster: FakeCluster, name: string): Record<string, string> {
  const [found] = [...cluster.api.objects].filter(([path]) =>
    path.endsWith(`/secrets/vplane-dev-${name}`),
  )
  return filesOf(found?.[1]['data'])
}

/** The pods that there are, and which ones they are. */
function pods(cluster: FakeCluster): Record<string, string | undefined> {
  const found = [...cluster.api.objects].filter(([path]) => path.includes('/pods/'))
  return Object.fromEntries(found.map(([, { metadata }]) => [metadata.name ?? '', metadata.uid]))
}
