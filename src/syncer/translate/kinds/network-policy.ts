import {
  isRecord,
  type Json,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
} from '../../../shared/json-fields.ts'
import {
  hasAddress,
  type NetworkPeer,
  type NetworkPort,
  type NetworkRule,
  policyRules,
} from '../../../manifests/network/network-rule.ts'
import { apiRule, dnsRule } from '../../../manifests/network/owner-rules.ts'
import { commonPorts, withinOwner } from '../../policies/within-owner.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import {
  type LabelledNamespace,
  type NamespaceChoice,
  readSelector,
  selectedNamespaces,
  toHostSelector,
} from '../label-selector.ts'
import { OBJECT_FIELDS, SELECTOR_FIELDS } from '../object-fields.ts'
import type { LabelSelector } from '../../../shared/kube/label-selector.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

export interface NetworkPolicyContext {
  scope: SyncScope
  owner?: OwnerReference | undefined
  namespaces: readonly LabelledNamespace[]
  /** What the owner of the plane allows. @default everything */
  limits?: OwnerLimits | undefined
}

export interface OwnerLimits {
  rulesFor: (direction: 'ingress' | 'egress') => NetworkRule[]
  /** The address of the plane's API, which no selector of a user selects. */
  api: string
}

const API_SERVICE_PORT = 443

const PEER_FIELDS = {
  ipBlock: { cidr: 'copy', except: 'copy' },
  namespaceSelector: SELECTOR_FIELDS,
  podSelector: SELECTOR_FIELDS,
} as const satisfies FieldDecisions

const PORT_FIELDS = { endPort: 'copy', port: 'copy', protocol: 'copy' } as const

/** The decision for each field of a NetworkPolicy. */
export const NETWORK_POLICY_FIELDS = {
  ...OBJECT_FIELDS,
  spec: {
    egress: { ports: PORT_FIELDS, to: PEER_FIELDS },
    ingress: { from: PEER_FIELDS, ports: PORT_FIELDS },
    podSelector: SELECTOR_FIELDS,
    policyTypes: 'copy',
  },
} as const satisfies FieldDecisions

/** The host network policy of a virtual one: it applies to pods of its namespace, and selects peers only in its plane. */
export function toHostNetworkPolicy(
  virtual: KubeObject,
  context: NetworkPolicyContext,
): KubeObject {
  const spec = recordAt(virtual, 'spec') ?? {}
  const { limits, scope } = context
  const namespace = virtual.metadata.namespace ?? ''
  const rulesIn = (direction: 'ingress' | 'egress') =>
    recordsAt(spec, direction).map((rule) => toHostRule(rule, namespace, context))
  const within = (rules: NetworkRule[], direction: 'ingress' | 'egress') => {
    const ofOwner = rules.length === 0 ? [] : limits?.rulesFor(direction)
    return ofOwner === undefined ? rules : rules.flatMap((rule) => withinOwner(rule, ofOwner))
  }
  const ingress = rulesIn('ingress')
  const egress = rulesIn('egress')
  const { egress: _, ...copied } = copiedFields(NETWORK_POLICY_FIELDS.spec, spec)
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: toHostMetadata({ scope, resource: 'networkpolicies', owner: context.owner }, virtual),
    spec: {
      ...copied,
      podSelector: selectorOf(scope, recordAt(spec, 'podSelector'), [namespace]),
      ...(spec['ingress'] === undefined
        ? {}
        : { ingress: policyRules(within(ingress, 'ingress'), 'from') }),
      ...(isAboutEgress(spec)
        ? {
            egress: policyRules(
              [
                ...within(egress, 'egress'),
                ...toApi(egress, context),
                // DNS is always allowed, as in a cluster where it runs on every node.
                dnsRule(scope.plane),
              ],
              'to',
            ),
          }
        : {}),
    },
  }
}

/** A rule without peers is about everybody, and one with peers never becomes that. */
function toHostRule(rule: Json, namespace: string, context: NetworkPolicyContext): NetworkRule {
  const list: unknown = rule['from'] ?? rule['to']
  const ports = recordsAt(rule, 'ports').map(readPort)
  return {
    ...(Array.isArray(list) && list.length > 0
      ? { peers: list.map((one) => toHostPeer(isRecord(one) ? one : {}, namespace, context)) }
      : {}),
    ...(ports.length === 0 ? {} : { ports }),
  }
}

function readPort(from: Json): NetworkPort {
  const { endPort, port } = from
  const protocol = textAt(from, 'protocol')
  return {
    ...(protocol === undefined ? {} : { protocol }),
    ...(typeof port === 'string' || typeof port === 'number' ? { port } : {}),
    ...(typeof endPort === 'number' ? { endPort } : {}),
  }
}

function toHostPeer(
  peer: Json,
  namespace: string,
  { namespaces, scope }: NetworkPolicyContext,
): NetworkPeer {
  const block = recordAt(peer, 'ipBlock')
  if (block !== undefined) {
    const except = textsAt(block, 'except')
    return {
      ipBlock: { cidr: textAt(block, 'cidr') ?? '', ...(except.length === 0 ? {} : { except }) },
    }
  }
  const where = recordAt(peer, 'namespaceSelector')
  const chosen = where === undefined ? [namespace] : selectedNamespaces(where, namespaces)
  return { podSelector: selectorOf(scope, recordAt(peer, 'podSelector'), chosen) }
}

/** Without a selector it selects all pods of the namespaces. */
function selectorOf(
  scope: SyncScope,
  selector: Json | undefined,
  namespaces: NamespaceChoice,
): LabelSelector {
  return toHostSelector(scope, readSelector(selector ?? {}), namespaces)
}

/** Whether the spec of a NetworkPolicy is about what its pods reach: rules alone do not make it so where it has types. */
export function isAboutEgress(spec: Json): boolean {
  const types = textsAt(spec, 'policyTypes')
  return types.length === 0 ? recordsAt(spec, 'egress').length > 0 : types.includes('Egress')
}

/** Whether the spec of a NetworkPolicy is about what reaches its pods: it is unless it says otherwise. */
export function isAboutIngress(spec: Json): boolean {
  const types = textsAt(spec, 'policyTypes')
  return types.length === 0 || types.includes('Ingress')
}

/** An address of the plane's API stands for the pods behind it, whose port is another one, where rules of users have limits. */
function toApi(
  rules: readonly NetworkRule[],
  { limits, scope }: NetworkPolicyContext,
): NetworkRule[] {
  const hasApi = ({ ipBlock }: NetworkPeer) =>
    ipBlock !== undefined && hasAddress(ipBlock, limits?.api ?? '')
  const isNamed = rules.some(
    ({ peers = [], ports }) =>
      commonPorts(ports, [{ port: API_SERVICE_PORT }])?.length !== 0 && peers.some(hasApi),
  )
  return isNamed ? [apiRule(scope.plane)] : []
}
