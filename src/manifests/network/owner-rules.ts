import { isIP } from 'node:net'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { Policies } from '../../control-plane/spec/fields/policies-spec.ts'
import { textAt } from '../../shared/json-fields.ts'
import { rangeOf } from '../../shared/network/ip-range.ts'
import type { AnyComponentName } from '../../control-plane/plane/plane.ts'
import { selectorLabels, SYNCED_BY_LABEL } from '../object-names.ts'
import { API_PORT, ETCD_PORTS, SYNCER_PORTS } from '../ports.ts'
import {
  namedPeers,
  namespacePeer,
  type NetworkPeer,
  type NetworkPort,
  type NetworkRule,
  podsWith,
  rangePeers,
} from './network-rule.ts'

/** Labels of host pods to which policies of users apply for a direction, instead of the owner's rules. */
export const OWN_RULES_LABELS = {
  egress: 'vplane.dev/own-egress-rules',
  ingress: 'vplane.dev/own-ingress-rules',
} as const

/** A server that exists without the plane, by its name or its address. */
export interface ServerAddress {
  host: string
  port: number
}

export interface ApiServerPeers {
  plane: string
  /** The component that stores its data, or where an etcd is that others use too. */
  store: AnyComponentName | ServerAddress[]
  /** Peers as in the spec. */
  egress: readonly string[]
  /** URLs of the issuers of tokens that it accepts. */
  issuers: readonly string[]
}

export interface NetworkOwner {
  plane: string
  network: NonNullable<Policies['network']>
  /** Services of the host by their names in the plane, each as `service.namespace`. */
  hostServices?: Readonly<Record<string, string>> | undefined
}

/**
 * Where DNS servers of hosts are: in kube-system, where those of Gardener have another port; in OpenShift's namespace; on the
 * node (kubernetes.io/docs/tasks/administer-cluster/nodelocaldns).
 */
const HOST_DNS: NetworkRule[] = [
  { peers: [namespacePeer('kube-system')], ports: [...onDns(53), ...onDns(8053)] },
  { peers: [namespacePeer('openshift-dns')], ports: onDns(5353) },
  { peers: [{ ipBlock: { cidr: '169.254.20.10/32' } }], ports: onDns(53) },
]

/** The pods that users of a plane run. */
function syncedPods(plane: string): NetworkPeer {
  return podsWith({ [SYNCED_BY_LABEL]: plane })
}

/** The plane's API. */
export function apiRule(plane: string): NetworkRule {
  return { peers: [componentPods(plane, 'kube-apiserver')], ports: [onTcp(API_PORT)] }
}

/** The plane's DNS server. */
export function dnsRule(plane: string): NetworkRule {
  return { peers: [componentPods(plane, 'syncer')], ports: onDns(SYNCER_PORTS.dns) }
}

/** The kubelets of the plane's nodes, which demand a credential: a metrics-server in the plane asks them. */
function kubeletRule(plane: string): NetworkRule {
  const ports = [onTcp(SYNCER_PORTS.kubelet, 65_535)]
  return { peers: [componentPods(plane, 'syncer')], ports }
}

/** What pods of a plane may reach, where their users say nothing else. */
export function ownerEgress({ hostServices = {}, network, plane }: NetworkOwner): NetworkRule[] {
  const namespaces = Object.values(hostServices).map((service) => service.split('.')[1] ?? '')
  return [
    { peers: [syncedPods(plane)] },
    apiRule(plane),
    dnsRule(plane),
    kubeletRule(plane),
    ...HOST_DNS,
    { peers: [...new Set(namespaces)].toSorted().map(namespacePeer) },
    { peers: namedPeers(network.egress) },
  ]
}

/** Who may reach pods of a plane, where their users say nothing else. What a Service opens is not among them. */
export function ownerIngress({ network, plane }: NetworkOwner): NetworkRule[] {
  return [
    { peers: [syncedPods(plane), componentPods(plane, 'kube-apiserver')] },
    { peers: namedPeers(network.ingress) },
  ]
}

/** What kube-apiserver of a plane may reach: it opens connections for users, to pods, webhooks and aggregated APIs. */
export function apiServerEgress({ egress, issuers, plane, store }: ApiServerPeers): NetworkRule[] {
  const toStore: NetworkRule[] =
    typeof store === 'string'
      ? [{ peers: [componentPods(plane, store)], ports: [onTcp(ETCD_PORTS.grpc)] }]
      : store.map(serverRule)
  return [
    ...toStore,
    apiRule(plane),
    kubeletRule(plane),
    { peers: [componentPods(plane, 'syncer')], ports: [onTcp(SYNCER_PORTS.metrics)] },
    { peers: [syncedPods(plane)] },
    ...HOST_DNS,
    ...issuers.map(issuerRule),
    { peers: namedPeers(egress) },
  ]
}

/** What kine may reach whose database is at this address. */
export function databaseEgress(address: ServerAddress): NetworkRule[] {
  const { peers = [], ports } = serverRule(address)
  // The pods of a Service may listen on another port.
  const rule = namespaceOf(address.host) === undefined ? { peers, ports } : { peers }
  return [...dnsFor([address]), rule]
}

/** What may be reached by pods that connect to a shared etcd alone. */
export function etcdEgress(members: readonly ServerAddress[]): NetworkRule[] {
  return [...dnsFor(members), ...members.map(serverRule)]
}

function dnsFor(servers: readonly ServerAddress[]): NetworkRule[] {
  return servers.some(({ host }) => isIP(host) === 0) ? HOST_DNS : []
}

/** Always with the port: kube-apiserver opens connections for users, who must reach nothing else there. */
function serverRule({ host, port }: ServerAddress): NetworkRule {
  const ports = [onTcp(port)]
  if (isIP(host) !== 0) {
    return { peers: rangePeers(rangeOf(host)), ports }
  }
  const namespace = namespaceOf(host)
  return { peers: namespace === undefined ? namedPeers(['*']) : [namespacePeer(namespace)], ports }
}

/** The URLs where kube-apiserver reads the keys of issuers of tokens. */
export function issuersOf({ authentication }: Pick<PlaneSpec, 'authentication'>): string[] {
  const issuers = authentication.jwt.map(({ issuer }) => issuer)
  return issuers
    .map((issuer) => textAt(issuer, 'discoveryURL') ?? textAt(issuer, 'url') ?? '')
    .filter((url) => URL.canParse(url))
}

/** Where the issuer of tokens at this URL is. A private network that has its name must be in `egress`. */
export function issuerRule(url: string): NetworkRule {
  const { hostname, port } = new URL(url)
  const address = hostname.replace(/^\[|\]$/g, '')
  const ports = [onTcp(Number(port || 443))]
  if (isIP(address) !== 0) {
    return { peers: rangePeers(rangeOf(address)), ports }
  }
  const namespace = namespaceOf(address)
  // The pods of a Service may listen on another port.
  return namespace === undefined
    ? { peers: namedPeers(['public']), ports }
    : { peers: [namespacePeer(namespace)] }
}

/** The namespace of the Service of the host with this name, or of one of its pods; undefined if it is another name. */
function namespaceOf(host: string): string | undefined {
  return /^(?:[^.]+\.)?[^.]+\.([^.]+)\.svc(\.|$)/.exec(host)?.[1]
}

/** Pods of a component of a plane. */
function componentPods(plane: string, component: AnyComponentName): NetworkPeer {
  return podsWith(selectorLabels(plane, component))
}

/** A TCP port, or those up to another one. */
function onTcp(port: number, endPort?: number): NetworkPort {
  return { protocol: 'TCP', port, ...(endPort === undefined ? {} : { endPort }) }
}

function onDns(port: number): NetworkPort[] {
  return ['UDP', 'TCP'].map((protocol) => ({ protocol, port }))
}
