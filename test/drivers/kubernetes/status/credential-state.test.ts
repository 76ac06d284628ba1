import { expect, test } from 'vitest'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  credentialState,
  outdatedCredentials,
} from '../../../../src/drivers/kubernetes/status/credential-state.ts'
import { readKeys } from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { toPlane } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { toRefusal } from '../../../../src/kube/kube-error.ts'
import { credentialSecret } from '../../../../src/manifests/credentials/credential-secret.ts'
import { keeperStatusData } from '../../../../src/manifests/keeper-status.ts'
import { createServiceAccountKeys } from '../../../../src/pki/plane/service-account-keys.ts'
import { currentSigners } from '../../../../src/pki/rotation/current-signers.ts'
import { isRecord } from '../../../../src/shared/json-fields.ts'
import { FakeCluster, objectOf } from '../fake-cluster.ts'

const SPEC: UserSpec = { credentials: { flux: { user: 'flux' } } }
const FLUX = '/api/v1/namespaces/team-a/secrets/flux'
const { signal } = new AbortController()

test('is written when the Secret has what the spec asks for', async () => {
  const { cluster, plane, put } = await madePlane()
  const stateOf = (one: Plane) => credentialState(cluster.api, one, { entry: 'flux', signal })
  expect(await stateOf(plane)).toEqual({ isWritten: false })

  put()
  expect(await stateOf(plane)).toEqual({ isWritten: true })

  const { flux } = plane.spec.credentials ?? {}
  const other = { ...(flux ?? expect.fail('the spec has no entry')), user: 'other' }
  const spec = { ...plane.spec, credentials: { flux: other } }
  expect(await stateOf({ ...plane, spec })).toEqual({ isWritten: false })
  expect(await stateOf({ ...plane, id: 'another' })).toEqual({ isWritten: false })
})

test('is unknown when the user may not read the Secret', async () => {
  const { cluster, plane } = await madePlane(true)

  expect(await credentialState(cluster.api, plane, { entry: 'flux', signal })).toEqual({})
})

test('has the failure that the keeper reports', async () => {
  const { cluster, plane } = await madePlane()
  const alarm = {
    reason: 'CredentialFailed',
    subject: 'flux',
    message: 'it exists',
    since: new Date(0),
  } as const
  const data = keeperStatusData({ alarms: [{ ...alarm, subject: 'argo' }, alarm] })
  const metadata = { name: 'vplane-dev-keeper-status', namespace: 'team-a' }
  cluster.api.put(`/api/v1/namespaces/team-a/configmaps/${metadata.name}`, {
    ...objectOf('ConfigMap', metadata),
    data,
  })

  const state = await credentialState(cluster.api, plane, { entry: 'flux', signal })

  expect(state).toEqual({ isWritten: false, failure: 'it exists' })
})

test('is outdated when another key has signed it than one that signs now', async () => {
  const { cluster, plane, put, signedBy } = await madePlane()
  const outdated = () => outdatedCredentials(cluster.api, plane, signal)
  expect(await outdated()).toEqual([])

  put('CN=former')
  expect(await outdated()).toEqual(['flux'])

  put(signedBy)
  expect(await outdated()).toEqual([])
})

async function madePlane(isRefused = false) {
  const cluster = new FakeCluster({
    onRequest: ({ path, verb }) => {
      if (isRefused && path === FLUX) {
        throw toRefusal({ status: 403, body: '', request: verb })
      }
    },
  })
  const stored = await cluster.create('dev', { userSpec: SPEC, declaredBy: 'a ControlPlane' })
  const plane = toPlane(stored.record, { namespace: 'team-a', hostContext: 'host' })
  await putTokenKeys(cluster)
  const files = await readKeys(cluster.api, stored, signal)
  const signers = currentSigners({
    signingAuthority: files['signing-ca.crt'] ?? '',
    publicKeys: files['sa.pub'] ?? '',
  })
  const flux = plane.spec.credentials?.['flux'] ?? expect.fail('the spec has no entry')
  const put = (signedBy = signers.certificates) => {
    const secret = credentialSecret({
      owner: { plane: 'dev', planeNamespace: 'team-a', planeId: plane.id, entry: 'flux' },
      spec: flux,
      content: { name: 'dev', server: '', certificateAuthority: '', credential: { token: 't' } },
      notes: {
        addressChecksum: '',
        subjectId: '',
        signedBy,
        renewAt: new Date(0),
        expiresAt: new Date(0),
      },
    })
    cluster.api.put(FLUX, secret)
  }
  return { cluster, plane, put, signedBy: signers.certificates }
}

/** A cluster of tests does not create these, since that takes long. */
async function putTokenKeys({ api }: FakeCluster): Promise<void> {
  const publicKeys = Buffer.from((await createServiceAccountKeys())['sa.pub']).toString('base64')
  for (const [path, object] of api.objects) {
    const { data } = object
    if (isRecord(data) && data['sa.pub'] !== undefined) {
      api.put(path, { ...object, data: { ...data, 'sa.pub': publicKeys } })
    }
  }
}
