import type { Expose } from '../../../control-plane/spec/fields/host-spec.ts'
import { recordsAt, textAt, numberAt } from '../../../shared/json-fields.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import { componentPods } from '../observed/ready-pod.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { urlHost } from '../../../shared/network/url-host.ts'

/** Returns the addresses of an exposed plane's API, the likeliest first; none until the host has exposed it. */
export async function directServers(
  api: Pick<HostApi, 'get' | 'list'>,
  place: PlacedName,
  { expose, signal }: { expose: Expose | undefined; signal: AbortSignal },
): Promise<string[]> {
  const { host, type } = expose ?? { type: 'none' as const, host: undefined }
  const named = host === undefined ? [] : [host]
  switch (type) {
    case 'none':
      return []
    case 'ingress':
      return named.map((name) => serverAt(name, 443))
    case 'load-balancer': {
      const service = await readEndpoint(api, place, signal)
      return [...named, ...balancerAddresses(service)].map((address) => serverAt(address, 443))
    }
    case 'node-port': {
      const port = nodePortOf(await readEndpoint(api, place, signal))
      const nodes = port === undefined ? [] : await nodeAddresses(api, place, signal)
      return [...named, ...nodes].flatMap((address) =>
        port === undefined ? [] : [serverAt(address, port)],
      )
    }
    default:
      return []
  }
}

/** Returns the address of a plane's API inside of the host cluster. */
export function inClusterServer({ name, namespace }: PlacedName): string {
  return `https://${objectName(name, 'api')}.${namespace}.svc`
}

/** Returns the address of a plane's API there that never leads to a gateway: what vplane does itself wakes no plane. */
export function ungatedServer({ name, namespace }: PlacedName): string {
  return `https://${objectName(name, 'kube-apiserver')}.${namespace}.svc`
}

function balancerAddresses(service: KubeObject | undefined): string[] {
  return recordsAt(service, 'status', 'loadBalancer', 'ingress').flatMap((one) =>
    ['hostname', 'ip'].flatMap((field) => textAt(one, field) ?? []),
  )
}

function nodePortOf(service: KubeObject | undefined): number | undefined {
  const [port] = recordsAt(service, 'spec', 'ports')
  return numberAt(port, 'nodePort')
}

/** Reads the addresses from the plane's pods, because few users may read nodes. */
async function nodeAddresses(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<string[]> {
  const pods = await componentPods(api, { ...place, component: 'kube-apiserver' }, signal)
  return [...new Set(pods.flatMap((pod) => textAt(pod, 'status', 'hostIP') ?? []))]
}

function serverAt(address: string, port: number): string {
  const host = urlHost(address)
  return port === 443 ? `https://${host}` : `https://${host}:${port}`
}
