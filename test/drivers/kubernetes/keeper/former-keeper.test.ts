import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { packageVersion } from '../../../../src/shared/package-root.ts'
import { FakeCluster, putObject } from '../fake-cluster.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/team-a'
const FORMER = '/apis/apps/v1/namespaces/team-a/deployments/vplane-dev-keeper'
const SHARED = '/apis/apps/v1/namespaces/team-a/deployments/vplane-keeper'
const SETTINGS = '/api/v1/namespaces/team-a/configmaps/vplane-dev-keeper-settings'
const POLICY = '/apis/networking.k8s.io/v1/namespaces/team-a/networkpolicies/vplane-dev-etcd-access'

test('a start gives the duties of a keeper of the plane alone to that of its namespace, after its end', async () => {
  const { cluster, stored } = await planeWithOwnKeeper()
  const before = cluster.api.writes.length

  await startPlane(cluster.driverContext(), stored, cluster.operation())

  const writes = cluster.api.writes.slice(before)
  const at = (write: string) => writes.indexOf(write)
  expect(at(`delete ${FORMER}`)).toBeGreaterThan(-1)
  expect(at(`apply ${SETTINGS}`)).toBeGreaterThan(at(`delete ${FORMER}`))
  expect(at(`patch ${SHARED}`)).toBeGreaterThan(at(`apply ${SETTINGS}`))
  // It needs other rights, and etcd must admit it.
  expect(writes).toContain(`apply ${RBAC}/roles/vplane-dev-keeper`)
  expect(writes).toContain(`apply ${RBAC}/rolebindings/vplane-dev-keeper`)
  expect(writes).toContain(`apply ${POLICY}`)
  expect(cluster.pods()).not.toContain('vplane-dev-keeper-0')
  expect(cluster.api.objects.get(SHARED)?.['spec']).toEqual({ replicas: 1 })
})

test('the next start changes none of that', async () => {
  const { cluster, stored } = await planeWithOwnKeeper()
  await startPlane(cluster.driverContext(), stored, cluster.operation())
  cluster.api.remove(`/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd`)
  const again = await cluster.changeRecord('dev', { desired: 'paused' })
  const before = cluster.api.writes.length

  await startPlane(cluster.driverContext(), again, cluster.operation())

  const applied = cluster.api.writes.slice(before).filter((write) => write.startsWith('apply'))
  expect(applied).toEqual(['apply /api/v1/namespaces/team-a/configmaps/vplane-dev-etcd'])
})

/** A plane as a former vplane has paused it, in a namespace whose keeper other planes have. */
async function planeWithOwnKeeper() {
  const cluster = new FakeCluster({
    onChange: ({ path, type }) => {
      if (type === 'DELETED' && path === FORMER) {
        cluster.api.remove('/api/v1/namespaces/team-a/pods/vplane-dev-keeper-0')
      }
    },
  })
  await cluster.create('dev')
  const labels = objectLabels('dev', 'keeper')
  const version = { 'vplane.dev/version': packageVersion() }
  cluster.api.put(FORMER, deployment('vplane-dev-keeper', { labels }))
  cluster.api.put(SHARED, deployment('vplane-keeper', { annotations: version }))
  putObject(cluster.api, ['Pod', { name: 'vplane-dev-keeper-0', labels }])
  const userSpec = { idle: '1h' }
  const spec = resolveSpec(userSpec, 'kubernetes')
  const stored = await cluster.changeRecord('dev', { userSpec, spec, desired: 'paused' })
  return { cluster, stored }
}

function deployment(name: string, metadata: object) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'team-a', ...metadata },
    spec: { replicas: 1 },
  }
}
