import type { Expose } from '../../../control-plane/spec/fields/host-spec.ts'
import { recordsAt, textAt, numberAt } from '../../../shared/json-fields.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import type { ObservedPlane } from '../observed/observed-plane.ts'
import { componentPods } from '../observed/ready-pod.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { urlHost } from '../../../shared/network/url-host.ts'

/** What the addresses of an exposed plane follow from. */
export interface ServerReads {
  /** The Service that is its endpoint; undefined when it does not exist. */
  endpoint: () => Promise<KubeObject | undefined>
  apiServerPods: () => Promise<KubeObject[]>
}

/** Reads from a host what the addresses of a plane follow from. */
export function serverReads(
  api: Pick<HostApi, 'get' | 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): ServerReads {
  return {
    endpoint: () => readEndpoint(api, place, signal),
    apiServerPods: () => componentPods(api, { ...place, component: 'kube-apiserver' }, signal),
  }
}

/** The same of a plane that was observed. */
export function observedReads({ endpoint, pods }: ObservedPlane): ServerReads {
  return { endpoint, apiServerPods: async () => pods('kube-apiserver') }
}

/** Returns the addresses of an exposed plane's API, the likeliest first; none until the host has exposed it. */
export async function directServers(
  expose: Expose | undefined,
  { apiServerPods, endpoint }: ServerReads,
): Promise<string[]> {
  const { host, type } = expose ?? { type: 'none' as const, host: undefined }
  const named = host === undefined ? [] : [host]
  switch (type) {
    case 'none':
      return []
    case 'ingress':
      return named.map((name) => serverAt(name, 443))
    case 'load-balancer': {
      return [...named, ...balancerAddresses(await endpoint())].map((address) =>
        serverAt(address, 443),
      )
    }
    case 'node-port': {
      const port = nodePortOf(await endpoint())
      const nodes = port === undefined ? [] : nodeAddresses(await apiServerPods())
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

/** The addresses are those of the plane's pods, because few users may read nodes. */
function nodeAddresses(pods: readonly KubeObject[]): string[] {
  return [...new Set(pods.flatMap((pod) => textAt(pod, 'status', 'hostIP') ?? []))]
}

function serverAt(address: string, port: number): string {
  const host = urlHost(address)
  return port === 443 ? `https://${host}` : `https://${host}:${port}`
}
