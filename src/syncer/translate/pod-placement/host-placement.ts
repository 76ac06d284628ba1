import type { LabelRequirement, LabelSelector } from '../../../shared/kube/label-selector.ts'
import { isDeepStrictEqual } from 'node:util'
import {
  type NamespaceChoice,
  readSelector,
  selectedNamespaces,
  toHostSelector,
} from '../label-selector.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { SELECTOR_FIELDS } from '../object-fields.ts'
import { provided } from '../reading.ts'
import type { PodDraft } from '../pod-draft/pod-draft.ts'
import {
  type Json,
  recordAt,
  recordsAt,
  textAt,
  textMapAt,
  textsAt,
} from '../../../shared/json-fields.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const NODE_NAME = 'metadata.name'

const NODE_TERM_FIELDS = {
  matchExpressions: { key: 'copy', operator: 'copy', values: 'copy' },
  matchFields: { key: 'copy', operator: 'copy', values: 'copy' },
} as const satisfies FieldDecisions

const TERM_FIELDS = {
  labelSelector: SELECTOR_FIELDS,
  matchLabelKeys: 'translate',
  mismatchLabelKeys: 'translate',
  namespaceSelector: SELECTOR_FIELDS,
  namespaces: 'translate',
  topologyKey: 'copy',
} as const satisfies FieldDecisions

const POD_AFFINITY_FIELDS = {
  [PREFERRED]: { podAffinityTerm: TERM_FIELDS, weight: 'copy' },
  [REQUIRED]: TERM_FIELDS,
} as const satisfies FieldDecisions

/** The decision for each field of a pod's affinity. */
export const AFFINITY_FIELDS = {
  nodeAffinity: {
    [PREFERRED]: { preference: NODE_TERM_FIELDS, weight: 'copy' },
    [REQUIRED]: { nodeSelectorTerms: NODE_TERM_FIELDS },
  },
  podAffinity: POD_AFFINITY_FIELDS,
  podAntiAffinity: POD_AFFINITY_FIELDS,
} as const satisfies FieldDecisions

/** The decision for each field of a topology spread constraint. */
export const SPREAD_FIELDS = {
  labelSelector: SELECTOR_FIELDS,
  matchLabelKeys: 'translate',
  maxSkew: 'copy',
  minDomains: 'copy',
  nodeAffinityPolicy: 'copy',
  nodeTaintsPolicy: 'copy',
  topologyKey: 'copy',
  whenUnsatisfiable: 'copy',
} as const satisfies FieldDecisions

/** The scheduling constraints of a host pod: all of the virtual one, or the node that a scheduler of the plane has chosen. */
export function toHostPlacement(draft: PodDraft): Json {
  const { context, pod } = draft
  const owned = context.scope.policies?.nodeSelector
  // That scheduler has applied all others, by labels and pods that the host may not know.
  if (context.scheduler === 'virtual') {
    const node = textAt(pod.spec, 'nodeName')
    return provided({
      nodeSelector: owned,
      affinity: node === undefined ? undefined : { nodeAffinity: onNode(node) },
    })
  }
  return provided({
    nodeSelector: owned
      ? { ...textMapAt(pod.spec, 'nodeSelector'), ...owned }
      : pod.spec['nodeSelector'],
    affinity: toHostAffinity(draft),
    topologySpreadConstraints: toHostTopologySpread(draft),
  })
}

/** The topology spread constraints on the host, which count only pods of the pod's plane and namespace. */
function toHostTopologySpread(draft: PodDraft): Json[] {
  return recordsAt(draft.pod.spec, 'topologySpreadConstraints').map((term) => {
    const selector = recordAt(term, 'labelSelector')
    const namespaces = [draft.pod.namespace]
    return {
      ...copiedFields(SPREAD_FIELDS, term),
      ...provided({
        labelSelector: selector && toHostPodSelector(draft, { selector, term, namespaces }),
      }),
    }
  })
}

/** The affinity of a host pod to pods of its plane and to the pod's node in the plane; undefined when it is empty. */
function toHostAffinity(draft: PodDraft): Json | undefined {
  const own = recordAt(draft.pod.spec, 'affinity') ?? {}
  const pods = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = recordAt(own, kind)
    return affinity === undefined ? [] : [[kind, toHostTerms(draft, affinity)]]
  })
  const nodes = recordAt(copiedFields(AFFINITY_FIELDS, own), 'nodeAffinity')
  const fields = nodeFields(draft)
  const nodeAffinity = fields.length === 0 ? nodes : withFields(nodes ?? {}, fields)
  const affinity = provided({ nodeAffinity, ...Object.fromEntries(pods) })
  return Object.keys(affinity).length === 0 ? undefined : affinity
}

function toHostTerms(draft: PodDraft, affinity: Json): Json {
  return provided({
    [REQUIRED]: recordsAt(affinity, REQUIRED).map((term) => toHostTerm(draft, term)),
    [PREFERRED]: recordsAt(affinity, PREFERRED).map((preference) => ({
      weight: preference['weight'],
      podAffinityTerm: toHostTerm(draft, recordAt(preference, 'podAffinityTerm') ?? {}),
    })),
  })
}

/** On the host all pods of a plane are in one namespace, and labels contain the virtual namespaces. */
function toHostTerm(draft: PodDraft, term: Json): Json {
  const selector = recordAt(term, 'labelSelector')
  const namespaces = chosenNamespaces(draft, term)
  return {
    ...copiedFields(TERM_FIELDS, term),
    // Without a selector a term selects no pod, whatever its namespaces are.
    ...provided({
      labelSelector: selector && toHostPodSelector(draft, { selector, term, namespaces }),
    }),
  }
}

/** The namespaces that a term names and selects now, else the pod's own; later ones only if the term selects all. */
function chosenNamespaces({ context, pod }: PodDraft, term: Json): NamespaceChoice {
  const named = textsAt(term, 'namespaces')
  const selector = recordAt(term, 'namespaceSelector')
  if (selector === undefined) {
    return named.length === 0 ? [pod.namespace] : named
  }
  const selected = selectedNamespaces(selector, context.namespaces)
  return selected === 'all' ? selected : [...named, ...selected]
}

function toHostPodSelector(
  { context, pod }: PodDraft,
  { namespaces, selector, term }: PodSelection,
): Json {
  const written = withMatchLabelKeys(readSelector(selector), term, pod.labels)
  return { ...toHostSelector(context.scope, written, namespaces) }
}

interface PodSelection {
  selector: Json
  term: Json
  namespaces: NamespaceChoice
}

/**
 * A selector with `matchLabelKeys` and `mismatchLabelKeys` replaced by requirements for the pod's own labels.
 * kube-apiserver does so when the pod is created, for affinity from 1.31 and for topology spread from 1.34; then nothing
 * changes here. The host must not get the keys, since it would add the requirements again.
 */
function withMatchLabelKeys(
  selector: LabelSelector,
  term: Json,
  labels: Readonly<Record<string, string>>,
): LabelSelector {
  const { matchExpressions = [] } = selector
  const written = (operator: 'In' | 'NotIn', keys: readonly string[]): LabelRequirement[] =>
    keys
      // Keys that the pod does not have are ignored.
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels[key] ?? ''] }))
      .filter((one) => !matchExpressions.some((other) => isDeepStrictEqual(one, other)))
  const added = [
    ...written('In', textsAt(term, 'matchLabelKeys')),
    ...written('NotIn', textsAt(term, 'mismatchLabelKeys')),
  ]
  return added.length === 0
    ? selector
    : { ...selector, matchExpressions: [...matchExpressions, ...added] }
}

/** A host pod's rules about names of nodes, sorted: `In node-1`, `NotIn node-2`. */
export function namedNodes(spec: Json): string[] {
  const affinity = recordAt(spec, 'affinity', 'nodeAffinity') ?? {}
  const fields = termsOf(affinity).flatMap((term) => recordsAt(term, 'matchFields'))
  const rules = fields
    .filter(({ key }) => key === NODE_NAME)
    .flatMap((field) =>
      textsAt(field, 'values').map((name) => `${textAt(field, 'operator')} ${name}`),
    )
  return [...new Set(rules)].toSorted()
}

/** The node affinity for one node only, which the host's scheduler still has to accept. */
function onNode(name: string): Json {
  return withFields({}, [nodeField('In', name)])
}

function nodeField(operator: 'In' | 'NotIn', name: string): Json {
  return { key: NODE_NAME, operator, values: [name] }
}

/**
 * The pod's node in the plane is a rule, since `nodeName` would bypass the host's scheduler, its taints and free
 * resources. Cordoned nodes of the plane are others, unless the pod tolerates them, as pods of DaemonSets do.
 */
function nodeFields({ context, pod }: PodDraft): Json[] {
  const nodeName = textAt(pod.spec, 'nodeName')
  if (nodeName !== undefined) {
    return [nodeField('In', nodeName)]
  }
  const isExempt = recordsAt(pod.spec, 'tolerations').some(toleratesCordon)
  return isExempt ? [] : context.cordonedNodes.map((name) => nodeField('NotIn', name))
}

/** Whether a toleration matches the taint `node.kubernetes.io/unschedulable:NoSchedule`, which has no value. */
function toleratesCordon({ effect, key, operator, value }: Json): boolean {
  const isAnyValue = operator === 'Exists'
  return (
    [undefined, '', 'NoSchedule'].some((one) => one === effect) &&
    (key === 'node.kubernetes.io/unschedulable' || (isAnyValue && (key ?? '') === '')) &&
    (isAnyValue || (value ?? '') === '')
  )
}

function withFields(affinity: Json, matchFields: readonly Json[]): Json {
  const terms = termsOf(affinity)
  const narrowed = terms.map((term) =>
    // An empty term matches no node, and must not start to match one.
    Object.keys(term).length === 0
      ? term
      : { ...term, matchFields: [...recordsAt(term, 'matchFields'), ...matchFields] },
  )
  return {
    ...affinity,
    [REQUIRED]: { nodeSelectorTerms: terms.length === 0 ? [{ matchFields }] : narrowed },
  }
}

function termsOf(nodeAffinity: Json): Json[] {
  return recordsAt(nodeAffinity, REQUIRED, 'nodeSelectorTerms')
}
