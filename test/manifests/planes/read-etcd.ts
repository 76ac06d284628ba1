import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { HostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import type { ManifestInput } from '../../../src/manifests/templates/manifest-input.ts'
import { listenTunnel } from '../../../src/tunnel/connections/listen-tunnel.ts'

/** A plane called `dev`, and the keys of its etcd. */
interface StoredPlane {
  host: Pick<HostCluster, 'forward'>
  input: Pick<ManifestInput, 'files' | 'namespace'>
}

/** What etcd holds under a key, as it is stored, through the JSON gateway of its first member. */
export async function readEtcd({ host, input }: StoredPlane, key: string): Promise<string> {
  const { files, namespace } = input
  const target = { namespace, pod: 'vplane-dev-etcd-0', port: 2382 }
  await using tunnel = await listenTunnel({
    port: 0,
    dial: (signal) => host.forward(target, { signal }),
  })
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: tunnel.port,
        method: 'POST',
        path: '/v3/kv/range',
        agent: false,
        ca: files['etcd/ca.crt'],
        cert: files['etcd/healthcheck-client.crt'],
        key: files['etcd/healthcheck-client.key'],
      },
      (response) => void text(response).then(resolve, reject),
    )
    sent.on('error', reject)
    sent.end(JSON.stringify({ key: Buffer.from(key).toString('base64') }))
  })
  const { kvs }: { kvs?: Array<{ value: string }> } = JSON.parse(answer)
  return Buffer.from(kvs?.[0]?.value ?? '', 'base64').toString('latin1')
}
