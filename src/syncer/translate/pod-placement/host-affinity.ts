import { isDeepStrictEqual } from 'node:util'
import {
  type LabelRequirement,
  type LabelSelector,
  type NamespaceChoice,
  readSelector,
  selectedNamespaces,
  toHostSelector,
} from '../label-selector.ts'
import { picked } from '../reading.ts'
import { knownFields, type PodDraft } from '../pod-draft/pod-draft.ts'
import { type Json, recordAt, recordsAt, textAt, textsAt } from '../../../shared/json-fields.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const NODE_NAME = 'metadata.name'
const KINDS = ['nodeAffinity', 'podAffinity', 'podAntiAffinity']
const TERM_FIELDS = [
  'labelSelector',
  'matchLabelKeys',
  'mismatchLabelKeys',
  'namespaceSelector',
  'namespaces',
  'topologyKey',
]

/**
 * Where the host may put a pod: near or far from pods of the plane alone, and on the node that the pod already has in
 * the plane. Undefined when it says nothing.
 */
export function toHostAffinity(draft: PodDraft): Json | undefined {
  const at = 'spec.affinity'
  const own = recordAt(draft.pod.spec, 'affinity') ?? {}
  const known = knownFields(draft, own, { at, fields: KINDS })
  const pods = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = recordAt(known, kind)
    return affinity === undefined ? [] : [[kind, toHostTerms(draft, affinity, `${at}.${kind}`)]]
  })
  const nodes = recordAt(known, 'nodeAffinity')
  const fields = nodeFields(draft)
  const nodeAffinity = fields.length === 0 ? nodes : withFields(nodes ?? {}, fields)
  const affinity: Json = {
    ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
    ...Object.fromEntries(pods),
  }
  return Object.keys(affinity).length === 0 ? undefined : affinity
}

function toHostTerms(draft: PodDraft, affinity: Json, at: string): Json {
  const known = knownFields(draft, affinity, { at, fields: [REQUIRED, PREFERRED] })
  return {
    ...(known[REQUIRED] === undefined
      ? {}
      : { [REQUIRED]: recordsAt(known, REQUIRED).map((term) => toHostTerm(draft, term, at)) }),
    ...(known[PREFERRED] === undefined
      ? {}
      : {
          [PREFERRED]: recordsAt(known, PREFERRED).map((preference) => ({
            weight: preference['weight'],
            podAffinityTerm: toHostTerm(draft, recordAt(preference, 'podAffinityTerm') ?? {}, at),
          })),
        }),
  }
}

/** On the host all pods of a plane are in one namespace: labels tell the virtual ones. */
function toHostTerm(draft: PodDraft, term: Json, at: string): Json {
  const known = knownFields(draft, term, { at, fields: TERM_FIELDS })
  const selector = recordAt(known, 'labelSelector')
  const namespaces = chosenNamespaces(draft, known)
  return {
    ...picked(known, ['topologyKey']),
    // Without a selector a term finds no pod, whatever its namespaces.
    ...(selector === undefined
      ? {}
      : { labelSelector: toHostPodSelector(draft, { selector, term: known, namespaces }) }),
  }
}

/**
 * The virtual namespaces that a term of pod affinity means: those it names and those whose labels it selects now, else
 * the pod's own. A namespace that comes later is not among them, unless the term means all.
 */
function chosenNamespaces({ context, pod }: PodDraft, term: Json): NamespaceChoice {
  const named = textsAt(term, 'namespaces')
  const selector = recordAt(term, 'namespaceSelector')
  if (selector === undefined) {
    return named.length === 0 ? [pod.namespace] : named
  }
  const selected = selectedNamespaces(selector, context.namespaces)
  return selected === 'all' ? selected : [...named, ...selected]
}

/** The host's selector of pods that a term or a constraint finds. */
export function toHostPodSelector(
  { context, pod }: PodDraft,
  { namespaces, selector, term }: PodSelection,
): Json {
  const written = withMatchLabelKeys(readSelector(selector), term, pod.labels)
  return { ...toHostSelector(context.scope, written, namespaces) }
}

interface PodSelection {
  selector: Json
  /** What has the `matchLabelKeys`. */
  term: Json
  namespaces: NamespaceChoice
}

/**
 * A selector with `matchLabelKeys` and `mismatchLabelKeys` written out by the pod's own labels, as kube-apiserver does
 * when the pod is made: it has done so for affinity from 1.31 and for topology spread from 1.34, and then nothing
 * changes. On the host the keys must go, since the host would write them out once more.
 */
function withMatchLabelKeys(
  selector: LabelSelector,
  term: Json,
  labels: Readonly<Record<string, string>>,
): LabelSelector {
  const { matchExpressions = [] } = selector
  const written = (operator: 'In' | 'NotIn', keys: readonly string[]): LabelRequirement[] =>
    keys
      // Keys that the pod does not have are passed over.
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

/** The names of nodes that a pod of the host has to be on, and those that it keeps away from. */
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

/** The rule that puts a pod on one node and no other, by the leave of the host's scheduler. */
export function onNode(name: string): Json {
  return withFields({}, [nodeField('In', name)])
}

function nodeField(operator: 'In' | 'NotIn', name: string): Json {
  return { key: NODE_NAME, operator, values: [name] }
}

/**
 * A node that the pod has in the plane becomes a rule for the host's scheduler: `nodeName` on the host would pass it
 * by, and with it taints and room. So does a node that is cordoned there, as the host knows nothing of it; whoever
 * tolerates that, as pods of DaemonSets do, may be there all the same.
 */
function nodeFields({ context, pod }: PodDraft): Json[] {
  const nodeName = textAt(pod.spec, 'nodeName')
  if (nodeName !== undefined) {
    return [nodeField('In', nodeName)]
  }
  const isExempt = recordsAt(pod.spec, 'tolerations').some(toleratesCordon)
  return isExempt ? [] : context.cordonedNodes.map((name) => nodeField('NotIn', name))
}

/** Of the taint `node.kubernetes.io/unschedulable:NoSchedule`, which has no value. */
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
    // One that says nothing matches no node, and must not begin to.
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
