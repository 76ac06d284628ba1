import { expect, test } from 'vitest'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import {
  type GrantDependencies,
  type GrantRequest,
  grantAccess,
} from '../../../../src/control-plane/use-cases/connect/grant-access.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { MemoryApi } from '../../../support/api/memory-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const HOUR_MS = 3_600_000
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/view'
const ACCOUNT = '/api/v1/namespaces/ci/serviceaccounts/deployer'
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'

/** A plane whose API has a namespace `ci` and a ClusterRole `view`, and gives out tokens. */
async function somePlane() {
  const world = new FakeComposition()
  const { driver } = world
  const plane: Plane = await world.plane('dev')
  const issue: GrantDependencies['issue'] = (identity, lifetimeMs) =>
    driver.issueCredential(plane, identity, lifetimeMs)
  const requests: KubeObject[] = []
  const api = new MemoryApi()
  const create = api.create.bind(api)
  api.create = async (path, object, options) => {
    requests.push(object)
    return path === `${ACCOUNT}/token`
      ? { ...object, status: { token: 'a token' } }
      : create(path, object, options)
  }
  api.put('/api/v1/namespaces/ci', objectOf('Namespace', 'ci'))
  api.put(ROLE, objectOf('ClusterRole', 'view'))
  const grant = (request: Partial<GrantRequest> & Pick<GrantRequest, 'subject'>) =>
    grantAccess({ api, issue, plane }, { lifetimeMs: HOUR_MS, ...request }, NEVER)
  return { api, grant, requests, world }
}

const ALICE = { user: 'alice', groups: ['dev'] }
const DEPLOYER = { namespace: 'ci', serviceAccount: 'deployer' }

test('gives a user a certificate that lives as long as asked', async () => {
  const { api, grant, world } = await somePlane()

  const user = await grant({ subject: ALICE })

  expect(user).toEqual({
    kind: 'embedded',
    access: {
      certificate: '{"user":"alice","groups":["dev"]}',
      key: 'key of alice',
      expiresAt: new Date(world.time.getTime() + HOUR_MS),
    },
  })
  expect(api.calls).toEqual([])
})

test.for([
  ['alice', 'vplane:view:alice'],
  ['alice@example.com', 'vplane:view:alice@example.com'],
  ['CN=Alice/O=Ä', /^vplane:view:[0-9a-f]{16}$/],
] as const)('binds the user %s to a ClusterRole', async ([user, name]) => {
  const { api, grant } = await somePlane()

  await grant({ subject: { user, groups: [] }, clusterRole: 'view' })

  const [binding] = [...api.objects].filter(([path]) => path.startsWith(BINDINGS))
  expect(binding?.[1].metadata.name).toMatch(name)
  expect(binding?.[1]).toMatchObject({
    roleRef: { kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', name: user }],
  })
})

test('issues a token for an existing ServiceAccount', async () => {
  const { api, grant, requests } = await somePlane()
  api.put(ACCOUNT, objectOf('ServiceAccount', 'deployer'))

  const user = await grant({ subject: DEPLOYER })

  expect(user).toEqual({ kind: 'token', token: 'a token' })
  expect(requests).toMatchObject([{ kind: 'TokenRequest', spec: { expirationSeconds: 3600 } }])
})

test('makes a ServiceAccount that is to have a role, and binds it', async () => {
  const { api, grant } = await somePlane()

  await grant({ subject: DEPLOYER, clusterRole: 'view' })

  expect(api.objects.get(ACCOUNT)).toMatchObject({ kind: 'ServiceAccount' })
  expect(api.objects.get(`${BINDINGS}/vplane:view:ci:deployer`)).toMatchObject({
    subjects: [{ kind: 'ServiceAccount', namespace: 'ci', name: 'deployer' }],
  })
})

test.for([
  [{ subject: DEPLOYER }, 'ServiceAccount "ci/deployer"'],
  [{ subject: { ...DEPLOYER, namespace: 'cd' }, clusterRole: 'view' }, 'namespace "cd"'],
  [{ subject: ALICE, clusterRole: 'veiw' }, 'ClusterRole "veiw"'],
] as const)('needs what is named in %j', async ([request, what]) => {
  const { api, grant } = await somePlane()

  const error = await rejectionOf(grant(request))

  expect(error).toMatchObject({ code: 'NOT_FOUND' })
  expect(error.message).toBe(`there is no ${what} in the control plane`)
  expect(error.hints).toHaveLength(1)
  expect(api.calls.filter((call) => !call.startsWith('get'))).toEqual([])
})

test('reports the minimum lifetime of a token', async () => {
  const { api, grant } = await somePlane()
  api.put(ACCOUNT, objectOf('ServiceAccount', 'deployer'))

  const error = await rejectionOf(grant({ subject: DEPLOYER, lifetimeMs: 60_000 }))

  expect(error).toMatchObject({ code: 'USAGE', hints: ['--expires 10m'] })
})

function objectOf(kind: string, name: string): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name } }
}
