import { quantityValue } from '../../../../control-plane/spec/fields/quantity.ts'
import type { HostObject } from '../../host/host-api.ts'
import { hostResourceOf, qualifiedName } from '../../host/host-resource.ts'
import type { PodDemand } from './pod-demand.ts'
import { podSizes } from './pod-sizes.ts'
import type { Claim } from '../../host/workload.ts'

/** What a plane still asks a namespace for. */
export interface Demand {
  pods: readonly PodDemand[]
  /** Volumes to come, with the class that they will have. */
  claims: readonly Claim[]
  /** Objects to come. */
  objects: readonly HostObject[]
}

export interface Need {
  amount: number
  /** How much of it is for pods that are there only while a new version rolls out. */
  surge: number
}

const CLASS_SUFFIX = '.storageclass.storage.k8s.io/'

/**
 * How much of a quota's resource is needed; undefined for resources that planes have nothing of. A quota with scopes
 * counts pods only (kubernetes.io/docs/concepts/policy/resource-quotas).
 */
export function needOf(resource: string, demand: Demand, isScoped: boolean): Need | undefined {
  return podNeed(resource, demand.pods) ?? (isScoped ? undefined : objectNeed(resource, demand))
}

function podNeed(resource: string, pods: readonly PodDemand[]): Need | undefined {
  if (resource === 'pods' || resource === 'count/pods') {
    return sumOf(pods, () => 1)
  }
  const [, kind = 'requests', size = ''] =
    /^(?:(requests|limits)\.)?(cpu|memory|ephemeral-storage)$/.exec(resource) ?? []
  if (size === '' || (kind !== 'requests' && kind !== 'limits')) {
    return undefined
  }
  return sumOf(pods, ({ spec }) => quantityValue(podSizes(spec)[kind][size] ?? '0') ?? 0)
}

function sumOf(pods: readonly PodDemand[], amountOf: (pod: PodDemand) => number): Need {
  const total = (countOf: (pod: PodDemand) => number) =>
    pods.reduce((sum, pod) => sum + countOf(pod) * amountOf(pod), 0)
  return { amount: total(({ count }) => count), surge: total(({ surge }) => surge) }
}

function objectNeed(resource: string, demand: Demand): Need | undefined {
  const [first = '', ofClass] = resource.split(CLASS_SUFFIX)
  const claims =
    ofClass === undefined
      ? demand.claims
      : demand.claims.filter(({ storageClassName }) => storageClassName === first)
  switch (ofClass ?? resource) {
    case 'requests.storage':
      return need(claims.reduce((sum, { requests }) => sum + bytesOf(requests['storage']), 0))
    case 'persistentvolumeclaims':
    case 'count/persistentvolumeclaims':
      return need(claims.length)
    case 'services.nodeports':
      return need(demand.objects.reduce((sum, object) => sum + nodePortsOf(object), 0))
    case 'services.loadbalancers':
      return need(
        demand.objects.filter((object) => serviceSpec(object).type === 'LoadBalancer').length,
      )
    case 'count/replicasets.apps':
      return need(countOf('deployments.apps', demand))
    case 'count/controllerrevisions.apps':
      return need(countOf('statefulsets.apps', demand))
    case 'count/endpoints':
    case 'count/endpointslices.discovery.k8s.io':
      return need(countOf('services', demand))
    default:
      return need(countOf(resource.replace(/^count\//, ''), demand))
  }
}

function countOf(qualified: string, { objects }: Demand): number {
  return objects.filter((object) => qualifiedName(hostResourceOf(object, '')) === qualified).length
}

function need(amount: number): Need {
  return { amount, surge: 0 }
}

function bytesOf(quantity: string | undefined): number {
  return quantityValue(quantity ?? '0') ?? 0
}

interface Service extends HostObject {
  spec?: { type?: string; ports?: unknown[]; allocateLoadBalancerNodePorts?: boolean }
}

function nodePortsOf(object: HostObject): number {
  const { allocateLoadBalancerNodePorts, ports = [], type } = serviceSpec(object)
  const isOpen = type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false
  return isOpen || type === 'NodePort' ? ports.length : 0
}

function serviceSpec(object: HostObject): NonNullable<Service['spec']> {
  const isService = (one: HostObject): one is Service => one.kind === 'Service'
  return (isService(object) ? object.spec : undefined) ?? {}
}
