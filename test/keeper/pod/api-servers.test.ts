import { expect, test } from 'vitest'
import { apiServersInPods } from '../../../src/keeper/pod/api-servers.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const FILES = ['ca.crt', 'front-proxy-client.crt', 'front-proxy-client.key']

test('finds all API servers except terminating ones, and authenticates as the keeper', async () => {
  const found = await serversOf([
    podAt('10.0.0.1'),
    podAt('fd00::1'),
    podAt('10.0.0.2', { deletionTimestamp: '2026-06-01T12:00:00Z' }),
    podAt(undefined),
  ])

  const servers = ['https://10.0.0.1:6443', 'https://[fd00::1]:6443']
  expect(found.map(({ server }) => server)).toEqual(servers)
  expect(found[0]).toMatchObject({
    serverName: 'api.team-a.svc',
    certificateAuthority: 'ca.crt',
    certificate: 'front-proxy-client.crt',
    key: 'front-proxy-client.key',
    headers: { 'X-Remote-User': 'system:vplane:keeper', 'X-Remote-Group': ['system:masters'] },
  })
})

test('fails without an API server', async () => {
  const error = { code: 'UNREACHABLE', message: 'no kube-apiserver of "dev" runs' }

  expect(await rejectionOf(serversOf([]))).toMatchObject(error)
})

async function serversOf(items: KubeObject[]) {
  const files = Object.fromEntries(FILES.map((file) => [file, file]))
  const list = async (_path: string, options: { labelSelector?: string | undefined } = {}) => {
    const isWanted = options.labelSelector?.includes('vplane.dev/component=kube-apiserver') === true
    return { items: isWanted ? items : [], resourceVersion: '1' }
  }
  const place = { name: 'dev', namespace: 'team-a' }
  const options = { serverName: 'api.team-a.svc', files }
  const { signal } = new AbortController()
  return await apiServersInPods({ list }, place, { ...options, signal })
}

function podAt(podIP: string | undefined, metadata: KubeObject['metadata'] = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata, status: podIP === undefined ? {} : { podIP } }
}
