import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { droppedAnnotationKey } from '../host-keys.ts'
import { hostNameOf } from '../host-name.ts'
import type { PodContext, PodPermission } from './pod-context.ts'
import { type Json, recordAt, textAt } from '../../../shared/json-fields.ts'

/** A token that a pod reads: the plane issues it, and a Secret on the host contains it as long as the pod exists. */
export interface TokenNeed {
  /** Secret on the host for this token alone; a later pod of the same name gets another one. */
  secretName: string
  key: 'token'
  path: string
  account: string
  /** @default the plane's API */
  audience?: string
  expirationSeconds: number
}

/** What has to exist on the host before a pod can start, by virtual names in the pod's namespace. */
export interface PodNeeds {
  configMaps: string[]
  secrets: string[]
  claims: string[]
  tokens: TokenNeed[]
}

/** A pod during its translation: the virtual pod, and the results so far. */
export interface PodDraft {
  readonly context: PodContext
  readonly pod: VirtualPod
  readonly needs: { [kind in NamedNeed]: Set<string> } & { tokens: TokenNeed[] }
  readonly refusals: string[]
  /** Annotations of the host pod that only its downward API reads. */
  readonly annotations: Map<string, string>
}

export interface VirtualPod {
  name: string
  namespace: string
  uid: string
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
  spec: Json
}

type NamedNeed = Exclude<keyof PodNeeds, 'tokens'>

/** Starts the translation of a pod. */
export function draftOf({ metadata, ...fields }: KubeObject, context: PodContext): PodDraft {
  const { annotations = {}, labels = {}, name = '', namespace = '', uid = '' } = metadata
  const spec = recordAt(fields, 'spec') ?? {}
  return {
    context,
    pod: { name, namespace, uid, labels, annotations, spec },
    needs: { configMaps: new Set(), secrets: new Set(), claims: new Set(), tokens: [] },
    refusals: [],
    annotations: new Map(),
  }
}

/** The ServiceAccount of the plane that a pod runs as. */
export function accountOf({ spec }: VirtualPod): string {
  return textAt(spec, 'serviceAccountName') ?? 'default'
}

/** The needs of a draft, with sorted names. */
export function needsOf({ needs }: PodDraft): PodNeeds {
  const sorted = (names: Set<string>) => [...names].toSorted()
  return {
    configMaps: sorted(needs.configMaps),
    secrets: sorted(needs.secrets),
    claims: sorted(needs.claims),
    tokens: needs.tokens,
  }
}

/** Records that a pod needs an object of its namespace; returns the host name of the object. */
export function needed({ context, needs, pod }: PodDraft, kind: NamedNeed, name: string): string {
  needs[kind].add(name)
  return hostNameOf(context.scope, { name, namespace: pod.namespace })
}

/** The field that names an object of the pod's namespace, with the object's host name. */
export function toHostReference(
  draft: PodDraft,
  reference: Json,
  { at, field, kind }: { kind: NamedNeed; field: string; at: string },
): Json {
  const name = textAt(reference, field)
  if (name === undefined) {
    draft.refusals.push(`${at}.${field} is missing: it must name an object of the pod's namespace`)
    return {}
  }
  return { [field]: needed(draft, kind, name) }
}

/** Refuses a pod that needs a permission, unless the plane's policy allows it. */
export function demand(
  { context, refusals }: PodDraft,
  permission: PodPermission,
  what: string,
): void {
  if (!context.policy.allow.includes(permission)) {
    refusals.push(
      `${what} is not allowed for pods of this plane, "sync.pods.allow: [${permission}]" in the plane's spec would allow it`,
    )
  }
}

/** Copies an annotation that host pods do not get to one with another key, for the downward API; returns that key. */
export function saveForPod({ annotations, pod }: PodDraft, key: string): string {
  const hostKey = droppedAnnotationKey(key)
  if (Object.hasOwn(pod.annotations, key)) {
    annotations.set(hostKey, pod.annotations[key] ?? '')
  }
  return hostKey
}
