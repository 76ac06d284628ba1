import { expect, test } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import type { ReadableRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { removePlane } from '../../../../src/drivers/kubernetes/remove/remove-plane.ts'
import { toRefusal } from '../../../../src/kube/kube-error.ts'
import { credentialSecret } from '../../../../src/manifests/credentials/credential-secret.ts'
import type { MemoryRequest } from '../../../support/api/memory-host-api.ts'
import { FakeCluster } from '../fake-cluster.ts'

const SPEC: UserSpec = {
  credentials: { flux: { user: 'flux' }, argo: { user: 'argo', namespace: 'argocd' } },
}
const FLUX = '/api/v1/namespaces/team-a/secrets/flux'
const ARGO = '/api/v1/namespaces/argocd/secrets/argo'

test('go when their entries leave the spec', async () => {
  const { change, cluster } = await madePlane()

  await change({ credentials: { flux: { user: 'flux' } } })
  expect(credentialsIn(cluster)).toEqual([FLUX])

  await change({})
  expect(credentialsIn(cluster)).toEqual([])
})

test('go with their plane, in other namespaces too', async () => {
  const { cluster, remove } = await madePlane()

  expect(await remove()).toEqual([])
  expect(cluster.remains()).toEqual([])
  expect(credentialsIn(cluster)).toEqual([])
})

test('go with a plane whose data is kept', async () => {
  const { cluster, remove } = await madePlane()

  await remove(true)

  expect(credentialsIn(cluster)).toEqual([])
})

test('stay when they have the credential of another plane', async () => {
  const { change, cluster } = await madePlane({ planeId: 'another' })

  await change({})

  expect(credentialsIn(cluster)).toEqual([FLUX, ARGO].toSorted())
})

test('are named when another namespace refuses their deletion', async () => {
  const refusal = { what: 'Secret "argo" in namespace "argocd"', why: 'not there' }
  const { change, cluster, remove } = await madePlane({ isRefused: true })

  await change({ credentials: { flux: { user: 'flux' } } })
  expect(cluster.ui.warnings).toEqual([`${refusal.what} was not deleted: ${refusal.why}`])

  await change(SPEC)
  expect(await remove()).toEqual([refusal])
})

async function madePlane({
  planeId,
  isRefused = false,
}: { planeId?: string; isRefused?: boolean } = {}) {
  const onRequest = ({ path, verb }: MemoryRequest) => {
    if (isRefused && verb === 'delete' && path === ARGO) {
      const body = JSON.stringify({ message: 'not there' })
      throw toRefusal({ status: 403, body, request: verb })
    }
  }
  const cluster = new FakeCluster({ onRequest })
  let stored: ReadableRecord = await cluster.create('dev', {
    userSpec: SPEC,
    declaredBy: 'a ControlPlane',
  })
  const { id, spec } = stored.record
  for (const [entry, one] of Object.entries(spec.credentials ?? {})) {
    const secret = credentialSecret({
      owner: { plane: 'dev', planeNamespace: 'team-a', planeId: planeId ?? id, entry },
      spec: one,
      content: { name: 'dev', server: '', certificateAuthority: '', credential: { token: 't' } },
      notes: {
        addressChecksum: '',
        subjectId: '',
        signedBy: '',
        renewAt: new Date(0),
        expiresAt: new Date(0),
      },
    })
    const { name, namespace } = secret.metadata
    await cluster.api.apply(`/api/v1/namespaces/${namespace}/secrets/${name}`, secret)
  }
  return {
    cluster,
    change: async (wanted: UserSpec) => {
      const { name, namespace, record } = stored
      const plane = {
        name,
        driver: 'kubernetes',
        namespace,
        spec: record.spec,
        userSpec: record.userSpec,
      } as const
      stored = await changePlane(cluster.driverContext(), stored, {
        change: changedSpec(plane, wanted),
        operation: cluster.operation(),
      })
    },
    remove: (keepData = false) =>
      removePlane(
        cluster.driverContext(),
        { name: 'dev', namespace: 'team-a', id },
        { ...cluster.operation(), keepData, patienceMs: 60 },
      ),
  }
}

function credentialsIn(cluster: FakeCluster): string[] {
  return [...cluster.api.objects.keys()].filter((path) => [FLUX, ARGO].includes(path)).toSorted()
}
