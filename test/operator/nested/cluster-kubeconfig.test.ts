import { expect, test } from 'vitest'
import {
  clusterKubeconfig,
  endpointIn,
  writeKubeconfig,
} from '../../../src/operator/nested/cluster-kubeconfig.ts'
import { OWNER_LABEL } from '../../../src/operator/nested/nested-control-plane.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

const { signal } = new AbortController()

const nested = (ownerReferences: object[] = []): KubeObject => ({
  apiVersion: 'nested.vplane.dev/v1beta1',
  kind: 'NestedControlPlane',
  metadata: { name: 'tenant', namespace: 'team', uid: 'own', ownerReferences },
})
const kubeconfigOf = (server: string) => `clusters: [{ cluster: { server: '${server}' } }]`

/** A host cluster with a Secret of this owner, or with none. */
function hostWith(owner: string | undefined) {
  const written: Array<string | undefined> = []
  const write = async (_: string, object: KubeObject) => {
    written.push(object.metadata.uid)
    return object
  }
  const metadata = { uid: 'stored', labels: { [OWNER_LABEL]: owner ?? '' } }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata }
  const get = async () => (owner === undefined ? undefined : secret)
  return { written, get, create: write, apply: write }
}

test.each([
  ['https://vplane-tenant-api.team.svc', { host: 'vplane-tenant-api.team.svc', port: 443 }],
  ['https://192.0.2.1:30443', { host: '192.0.2.1', port: 30_443 }],
  ['https://[2001:db8::1]:6443', { host: '2001:db8::1', port: 6443 }],
  ['nonsense', undefined],
])('finds the address in a kubeconfig with the server %s', (server, endpoint) => {
  expect(endpointIn(kubeconfigOf(server))).toEqual(endpoint)
})

test('is named after the Cluster, or after the NestedControlPlane when it has none', () => {
  const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'prod' }
  const nameOf = (resource: KubeObject) => clusterKubeconfig(resource, 'x').metadata.name

  expect(nameOf(nested([cluster]))).toBe('prod-kubeconfig')
  expect(nameOf(nested([{ ...cluster, apiVersion: 'example.com/v1' }]))).toBe('tenant-kubeconfig')
  expect(nameOf(nested())).toBe('tenant-kubeconfig')
})

test.each([
  ['a new Secret', undefined, [undefined]],
  ['its own Secret', 'own', ['stored']],
])('writes %s', async (_, owner, written) => {
  const host = hostWith(owner)

  await writeKubeconfig(host, clusterKubeconfig(nested(), 'x'), signal)

  expect(host.written).toEqual(written)
})

test('leaves a Secret of the name that is of others', async () => {
  const host = hostWith('other')

  const writing = writeKubeconfig(host, clusterKubeconfig(nested(), 'x'), signal)

  await expect(writing).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(host.written).toEqual([])
})
