import { expect, test } from 'vitest'
import { type CredentialSpec } from '../../../src/control-plane/spec/credentials/credentials-spec.ts'
import { isGranted, issueFromPlane } from '../../../src/keeper/credentials/issue-from-plane.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { MemoryApi } from '../../support/api/memory-api.ts'
import { clientCertificate, createTestCertificates } from '../../support/test-certificates.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const { authority } = createTestCertificates()
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const SPEC: CredentialSpec = {
  secret: 'flux',
  format: 'kubeconfig',
  address: 'in-cluster',
  lifetime: '1h',
}

test('has the plane sign a certificate, and leaves no request behind', async () => {
  const { api, requests } = planeThatSigns()

  const issued = await issue(api, { ...SPEC, user: 'flux', groups: ['gitops'] })

  expect(issued).toMatchObject({ signedBy: 'CN=test-ca', expiresAt: expect.any(Date) })
  expect(issued.credential).toMatchObject({ certificate: expect.stringContaining('BEGIN') })
  expect(requests).toEqual([
    {
      request: expect.any(String),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth', 'digital signature'],
      expirationSeconds: 3600,
    },
  ])
  expect([...api.objects.keys()]).toEqual([])
})

test('reports why the plane signs nothing', async () => {
  const refusal = { type: 'Failed', status: 'True', message: 'usages are not permitted' }
  const { api } = planeThatSigns({ conditions: [refusal] })

  expect(await rejectionOf(issue(api, { ...SPEC, user: 'flux' }))).toMatchObject({
    code: 'FAILED',
    message: 'the control plane does not sign a certificate: usages are not permitted',
  })
  expect([...api.objects.keys()]).toEqual([])
})

test('requests the token of a ServiceAccount, with its end and its key', async () => {
  const expiry = 1_790_000_000
  const encoded = [
    { kid: 'key-1' },
    { exp: expiry, 'kubernetes.io': { serviceaccount: { uid: 'uid-1' } } },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const token = [...encoded, 'signature'].join('.')
  const api = new MemoryApi()
  const create = api.create.bind(api)
  api.create = async (path, object) => ({ ...(await create(path, object)), status: { token } })
  for (const [resource, name] of [
    ['namespaces', 'ci'],
    ['namespaces/ci/serviceaccounts', 'flux'],
  ]) {
    api.put(`/api/v1/${resource}/${name}`, {
      apiVersion: 'v1',
      kind: 'x',
      metadata: { name: String(name) },
    })
  }

  expect(await issue(api, { ...SPEC, serviceAccount: 'ci/flux' })).toEqual({
    credential: { token },
    expiresAt: new Date(expiry * 1000),
    signedBy: 'key-1',
    subjectId: 'uid-1',
  })
})

const ROLES = '/apis/rbac.authorization.k8s.io/v1'

test('binds the subject to one ClusterRole, and knows when that is not so any more', async () => {
  const { api } = planeThatSigns()
  const binding = `${ROLES}/clusterrolebindings/vplane:credential:flux`
  for (const name of ['view', 'edit']) {
    api.put(`${ROLES}/clusterroles/${name}`, { apiVersion: 'v1', kind: 'x', metadata: { name } })
  }
  const spec = { ...SPEC, user: 'flux' }
  const granted = (clusterRole: string) => {
    const { signal } = new AbortController()
    return isGranted(api, { entry: 'flux', spec: { ...spec, clusterRole }, subjectId: '' }, signal)
  }

  await issue(api, { ...spec, clusterRole: 'view' })
  expect(api.objects.get(binding)).toMatchObject({
    roleRef: { name: 'view' },
    subjects: [{ kind: 'User', name: 'flux' }],
  })
  expect(await granted('view')).toBe(true)
  expect(await granted('edit')).toBe(false)

  await issue(api, { ...spec, clusterRole: 'edit' })
  expect(
    api.calls.filter((call) => call.startsWith('delete') && call.includes('rolebinding')),
  ).toHaveLength(1)
  expect(await granted('edit')).toBe(true)

  await issue(api, spec)
  expect(api.objects.has(binding)).toBe(false)
})

test('knows when a ServiceAccount is another one of the same name', async () => {
  const api = new MemoryApi()
  const metadata = { name: 'flux' }
  const { signal } = new AbortController()
  const spec = { ...SPEC, serviceAccount: 'ci/flux' }
  const granted = (subjectId: string) => isGranted(api, { entry: 'flux', spec, subjectId }, signal)
  expect(await granted('uid-1')).toBe(false)

  const account = api.put('/api/v1/namespaces/ci/serviceaccounts/flux', {
    apiVersion: 'v1',
    kind: 'x',
    metadata,
  })

  expect(await granted(account.metadata.uid ?? '')).toBe(true)
  expect(await granted('another')).toBe(false)
})

function issue(api: MemoryApi, spec: CredentialSpec) {
  const { signal } = new AbortController()
  const certificateAuthority = authority.certificate
  return issueFromPlane(api, spec, { entry: 'flux', plane: 'dev', certificateAuthority, signal })
}

/** A plane whose controllers answer a request as soon as it is approved. */
function planeThatSigns(answer: object = signed()) {
  const api = new MemoryApi()
  const requests: unknown[] = []
  api.patch = async (path, body) => {
    const own = path.replace(/\/approval$/, '')
    const request: KubeObject = api.objects.get(own) ?? expect.fail(`${own} is missing`)
    expect(fieldAt(body, 'status', 'conditions')).toMatchObject([{ type: 'Approved' }])
    expect(own).toContain(REQUESTS)
    requests.push(request['spec'])
    return api.put(own, { ...request, status: answer })
  }
  return { api, requests }
}

function signed(): object {
  const { certificate } = clientCertificate(authority, 'flux')
  const approved = { type: 'Approved', status: 'True' }
  return { conditions: [approved], certificate: Buffer.from(certificate).toString('base64') }
}
