import { expect, test } from 'vitest'
import {
  amendDeclaration,
  observeDeclaration,
} from '../../../../src/drivers/kubernetes/operator/amend-declaration.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const { signal } = new AbortController()
const PLACE = { name: 'dev', namespace: 'team-a' }

/** A ControlPlane of which `vplane` has applied `own`, and GitOps the rest. */
const declared = (spec: object, own: object): KubeObject => ({
  apiVersion: 'vplane.dev/v1beta1',
  kind: 'ControlPlane',
  metadata: {
    ...PLACE,
    generation: 3,
    managedFields: [
      { manager: 'gitops', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:renew': {} } } },
      { manager: 'vplane', operation: 'Update', subresource: 'status', fieldsV1: {} },
      { manager: 'vplane', operation: 'Apply', fieldsV1: { 'f:spec': own } },
    ],
  },
  spec,
})

/** What is applied to a ControlPlane, of which `kept` stays in any case. */
function apiOf(object: KubeObject | undefined, kept: object = {}) {
  const applied: KubeObject[] = []
  const patched: unknown[] = []
  return {
    applied,
    patched,
    patch: (_path: string, body: unknown) => {
      patched.push(body)
      return Promise.resolve(declared({}, {}))
    },
    get: () => Promise.resolve(object),
    apply: (_path: string, body: KubeObject) => {
      applied.push(body)
      return Promise.resolve({
        ...body,
        metadata: { generation: 4 },
        spec: { ...Object(body['spec']), ...kept },
      })
    },
  }
}

test('changes a field, and keeps those that vplane has applied before', async () => {
  const spec = { renew: true, apiServer: { goGc: 60, extraArgs: { v: '2' } } }
  const own = { 'f:apiServer': { 'f:extraArgs': { '.': {}, 'f:v': {} } } }
  const api = apiOf(declared(spec, own))

  const fields = [{ path: ['etcd', 'goGc'], value: 70 }]
  const generation = await amendDeclaration(api, { place: PLACE, fields }, signal)

  expect(generation).toBe(4)
  expect(api.applied).toMatchObject([
    { metadata: PLACE, spec: { apiServer: { extraArgs: { v: '2' } }, etcd: { goGc: 70 } } },
  ])
})

test('removes a field of its own, and the last one of an object', async () => {
  const spec = { renew: true, paused: true, etcd: { goGc: 70 } }
  const api = apiOf(declared(spec, { 'f:paused': {}, 'f:etcd': { 'f:goGc': {} } }))

  const fields = [
    { path: ['paused'], value: undefined },
    { path: ['etcd', 'goGc'], value: undefined },
  ]
  await amendDeclaration(api, { place: PLACE, fields }, signal)

  expect(api.applied).toEqual([])
  expect(api.patched).toMatchObject([{ spec: { paused: null, etcd: { goGc: null } } }])
})

test('removes a field while it sets another one', async () => {
  const api = apiOf(declared({ renew: true, paused: true }, { 'f:paused': {} }))

  const fields = [
    { path: ['paused'], value: undefined },
    { path: ['etcd', 'goGc'], value: 70 },
  ]
  await amendDeclaration(api, { place: PLACE, fields }, signal)

  expect(api.applied[0]?.['spec']).toEqual({ etcd: { goGc: 70 } })
})

test('says that others manage a field that is to be left out', async () => {
  const api = apiOf(declared({ renew: true }, {}), { renew: true })

  const fields = [{ path: ['renew'], value: undefined }]
  const failure = rejectionOf(amendDeclaration(api, { place: PLACE, fields }, signal))

  expect(await failure).toMatchObject({
    code: 'CONFLICT',
    message: 'cannot change ControlPlane "dev": others manage renew',
  })
})

test('refuses a ControlPlane that is missing', async () => {
  const failure = rejectionOf(observeDeclaration(apiOf(undefined), PLACE, signal))

  expect(await failure).toMatchObject({ code: 'NOT_FOUND' })
})

test('reads what the operator does, and what prevents it', async () => {
  const conditions = [
    { type: 'Progressing', status: 'True', message: 'Replacing etcd' },
    { type: 'Degraded', status: 'True', reason: 'InvalidSpec', message: 'unknown version' },
  ]
  const object = { ...declared({}, {}), status: { observedGeneration: 3, conditions } }

  expect(await observeDeclaration(apiOf(object), PLACE, signal)).toEqual({
    observedGeneration: 3,
    isProgressing: true,
    work: 'Replacing etcd',
    failure: 'unknown version',
  })
})
