import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { droppedAnnotationKey } from '../host-keys.ts'
import { hostNameOf } from '../host-name.ts'
import { fieldsBeside, picked } from '../reading.ts'
import type { PodContext } from './pod-context.ts'
import { type PodPermission, howToAllow } from './pod-policy.ts'
import { type Json, recordAt, textAt } from '../../../shared/json-fields.ts'

/** A token that a pod reads: to be asked for in the plane, and kept in a Secret on the host that goes with the pod. */
export interface TokenNeed {
  /** Secret on the host, for this token alone; the next pod of the same name has another one. */
  secretName: string
  key: 'token'
  /** Where the pod reads it, in its volume. */
  path: string
  /** ServiceAccount of the plane that it is of. */
  account: string
  /** The plane's API when it is not given. */
  audience?: string
  expirationSeconds: number
}

/** What has to be on the host before a pod can start, by virtual names in the pod's namespace. */
export interface PodNeeds {
  configMaps: string[]
  secrets: string[]
  claims: string[]
  tokens: TokenNeed[]
}

/** A pod on its way to the host: what is read of the virtual one, and what has been found out so far. */
export interface PodDraft {
  readonly context: PodContext
  readonly pod: VirtualPod
  readonly needs: { [kind in NamedNeed]: Set<string> } & { tokens: TokenNeed[] }
  /** Why the host must not have this pod. */
  readonly refusals: string[]
  /** Annotations for the host pod alone, which its downward API reads. */
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

/** ServiceAccount of the plane that a pod runs as. */
export function accountOf({ spec }: VirtualPod): string {
  return textAt(spec, 'serviceAccountName') ?? 'default'
}

/** The needs that were found. */
export function needsOf({ needs }: PodDraft): PodNeeds {
  const sorted = (names: Set<string>) => [...names].toSorted()
  return {
    configMaps: sorted(needs.configMaps),
    secrets: sorted(needs.secrets),
    claims: sorted(needs.claims),
    tokens: needs.tokens,
  }
}

/** Notes that a pod needs an object of its namespace; gives the name that it has on the host. */
export function needed({ context, needs, pod }: PodDraft, kind: NamedNeed, name: string): string {
  needs[kind].add(name)
  return hostNameOf(context.scope, { name, namespace: pod.namespace })
}

const REFERENCE_FIELDS = 'name secretName claimName key items defaultMode optional readOnly'.split(
  ' ',
)

/** A reference to an object of the pod's namespace, with its host name in the same field. */
export function toHostReference(
  draft: PodDraft,
  reference: Json,
  { at, field, kind }: { kind: NamedNeed; field: string; at: string },
): Json {
  const name = textAt(reference, field)
  if (name === undefined) {
    draft.refusals.push(
      `${at}.${field} is missing: it has to name an object of the pod's namespace`,
    )
    return {}
  }
  return { ...picked(reference, REFERENCE_FIELDS), [field]: needed(draft, kind, name) }
}

/** Only these fields; a pod that says something in another one is refused, since it may refer to anything. */
export function knownFields(
  { refusals }: PodDraft,
  record: Json,
  { at, fields }: { fields: readonly string[]; at: string },
): Json {
  for (const field of fieldsBeside(record, fields)) {
    refusals.push(
      `${at}.${field} is not known to this version of vplane, a newer one may translate it`,
    )
  }
  return picked(record, fields)
}

/** Refuses what only a permission allows, unless the plane's policy gives it. */
export function demand(
  { context, refusals }: PodDraft,
  permission: PodPermission,
  what: string,
): void {
  if (!context.policy.allow.includes(permission)) {
    refusals.push(`${what} is not allowed to pods of this plane, ${howToAllow(permission)}`)
  }
}

/** Key of an annotation on the host pod that holds a virtual annotation which is not kept there. */
export function saveForPod({ annotations, pod }: PodDraft, key: string): string {
  const hostKey = droppedAnnotationKey(key)
  if (Object.hasOwn(pod.annotations, key)) {
    annotations.set(hostKey, pod.annotations[key] ?? '')
  }
  return hostKey
}
