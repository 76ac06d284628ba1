import { isRecord, type Json, recordAt, recordsAt } from '../../../shared/json-fields.ts'
import { SYNCER_PORTS } from '../../../manifests/ports.ts'
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
  /** Labels of the host pods that are the plane's DNS server, which rules of users cannot select. */
  dnsPods?: Readonly<Record<string, string>> | undefined
}

const DNS_ENDPOINTS = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: SYNCER_PORTS.dns }))

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
  const { scope } = context
  const namespace = virtual.metadata.namespace ?? ''
  const rules = (field: 'ingress' | 'egress', peers: 'from' | 'to') =>
    recordsAt(spec, field).map((rule) => {
      const list: unknown = rule[peers]
      return {
        ...copiedFields(NETWORK_POLICY_FIELDS.spec[field], rule),
        // A rule without peers allows all traffic: a rule with peers must never become one.
        ...(Array.isArray(list) && list.length > 0
          ? { [peers]: list.map((one) => toHostPeer(isRecord(one) ? one : {}, namespace, context)) }
          : {}),
      }
    })
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: toHostMetadata({ scope, resource: 'networkpolicies', owner: context.owner }, virtual),
    spec: {
      ...copiedFields(NETWORK_POLICY_FIELDS.spec, spec),
      podSelector: selectorOf(scope, recordAt(spec, 'podSelector'), [namespace]),
      ...(spec['ingress'] === undefined ? {} : { ingress: rules('ingress', 'from') }),
      ...(isAboutEgress(spec) ? { egress: [...rules('egress', 'to'), ...toDns(context)] } : {}),
    },
  }
}

function toHostPeer(
  peer: Json,
  namespace: string,
  { namespaces, scope }: NetworkPolicyContext,
): Json {
  const block = recordAt(peer, 'ipBlock')
  if (block !== undefined) {
    return { ipBlock: copiedFields(PEER_FIELDS.ipBlock, block) }
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

function isAboutEgress(spec: Json): boolean {
  const { egress, policyTypes } = spec
  return (
    (Array.isArray(egress) && egress.length > 0) ||
    (Array.isArray(policyTypes) && policyTypes.includes('Egress'))
  )
}

/** DNS is always allowed, as in a cluster where it runs on every node. */
function toDns({ dnsPods }: NetworkPolicyContext): Json[] {
  return dnsPods === undefined
    ? []
    : [{ to: [{ podSelector: { matchLabels: { ...dnsPods } } }], ports: DNS_ENDPOINTS }]
}
