import { isDeepStrictEqual } from 'node:util'
import { COMPONENT_LABEL, PLANE_LABEL, SYNCED_BY_LABEL } from '../../src/manifests/object-names.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../src/shared/json-fields.ts'
import { foreignIn } from './foreign-in.ts'
import type { KubeObject, WatchEvent } from '../../src/shared/kube/kube-object.ts'

/** The tenant on its host, and what must not be where it does not belong. */
export interface TenantPlace {
  plane: string
  namespace: string
  /** Secrets of others, by whose they are: the tenant must not see them. */
  foreign: Readonly<Record<string, string>>
  /** A secret of the tenant: others must not see it. */
  own: string
}

const SYNCED_KINDS = [
  'ConfigMap',
  'EndpointSlice',
  'Ingress',
  'NetworkPolicy',
  'PersistentVolumeClaim',
  'Pod',
  'PodDisruptionBudget',
  'Secret',
  'Service',
]

/** What the host itself makes in each namespace for what is in it. */
const FOLLOWERS = ['Endpoints', 'EndpointSlice', 'Event', 'Lease']

/** What a pod must not have, as JSON has it. */
const RIGHTS = [
  ...['hostPID', 'hostIPC', 'hostNetwork', 'privileged'].map((field) => `"${field}":true`),
  ...['hostPath', 'iscsi', 'nfs', 'serviceAccountToken'].map((field) => `"${field}":`),
]

/** Why a change on the host is not one that the tenant may cause; undefined if it may, or did not cause it. */
export function strayReason(
  { object, type }: Pick<WatchEvent, 'object' | 'type'>,
  former: KubeObject | undefined,
  place: TenantPlace,
): string | undefined {
  const isInside = object.metadata.namespace === place.namespace
  if (type === 'DELETED') {
    const isFine = (isInside && !isOfPlane(object, place)) || isNoise(object, undefined, place)
    return isFine ? undefined : 'was deleted'
  }
  if (former !== undefined && isDeepStrictEqual(contentOf(former), contentOf(object))) {
    return undefined
  }
  if (isInside && !isOfPlane(object, place)) {
    return strayInside(object, place)
  }
  const isShown = foreignIn(JSON.stringify(object), { tenant: place.own }).length > 0
  return isShown
    ? 'shows a secret of the tenant'
    : isNoise(object, former, place)
      ? undefined
      : 'is not of the tenant, and was changed'
}

/** Whether a syncer made an object for the tenant. */
export function isSynced({ metadata }: KubeObject, { namespace, plane }: TenantPlace): boolean {
  return metadata.namespace === namespace && metadata.labels?.[SYNCED_BY_LABEL] === plane
}

/** The objects of its namespace that a pod uses: `Secret other`. */
export function referencesOf(object: KubeObject): string[] {
  if (object.kind !== 'Pod') {
    return []
  }
  const spec = recordAt(object, 'spec') ?? {}
  const volumes = recordsAt(spec, 'volumes')
  const lists = ['containers', 'initContainers', 'ephemeralContainers']
  const containers = lists.flatMap((field) => recordsAt(spec, field))
  const users = [
    ...volumes,
    ...volumes.flatMap((one) => recordsAt(one, 'projected', 'sources')),
    ...containers.flatMap((one) => recordsAt(one, 'envFrom')),
    ...containers
      .flatMap((one) => recordsAt(one, 'env'))
      .flatMap((one) => recordAt(one, 'valueFrom') ?? []),
    ...recordsAt(spec, 'imagePullSecrets').map((secretRef) => ({ secretRef })),
  ]
  const named = (kind: string, ...paths: string[]) =>
    users.flatMap((one) =>
      paths.flatMap((path) => {
        const name = textAt(one, ...path.split('.'))
        return name === undefined ? [] : [`${kind} ${name}`]
      }),
    )
  return [
    ...named('Secret', 'secret.secretName', 'secret.name', 'secretRef.name', 'secretKeyRef.name'),
    ...named('ConfigMap', 'configMap.name', 'configMapRef.name', 'configMapKeyRef.name'),
    ...named('PersistentVolumeClaim', 'persistentVolumeClaim.claimName'),
  ]
}

function strayInside(object: KubeObject, place: TenantPlace): string | undefined {
  const [seen] = foreignIn(JSON.stringify(object), place.foreign)
  if (seen !== undefined) {
    return `shows a secret of ${seen}`
  }
  if (FOLLOWERS.includes(object.kind)) {
    return undefined
  }
  return isSynced(object, place) && SYNCED_KINDS.includes(object.kind)
    ? strayClaim(object)
    : 'is not of the tenant'
}

/** What an object of the tenant asks of the host and must not. */
function strayClaim(object: KubeObject): string | undefined {
  const { labels = {} } = object.metadata
  const label = [PLANE_LABEL, COMPONENT_LABEL].find((key) => labels[key] !== undefined)
  const spec = recordAt(object, 'spec') ?? {}
  if (label !== undefined) {
    return `has the label ${label}`
  }
  if (object.kind === 'Service') {
    const type = textAt(spec, 'type') ?? 'ClusterIP'
    const isFine = type === 'ClusterIP' && spec['externalIPs'] === undefined
    return isFine ? undefined : `leads outside: ${type}`
  }
  if (object.kind === 'NetworkPolicy') {
    // Some network plugins take it for a range of version 4.
    return /"cidr":"::ffff:/i.test(JSON.stringify(spec)) ? 'has a mapped range' : undefined
  }
  return object.kind === 'Pod' ? strayPod(spec) : undefined
}

function strayPod(spec: Json): string | undefined {
  const text = JSON.stringify(spec)
  return spec['automountServiceAccountToken'] === false
    ? RIGHTS.find((one) => text.includes(one))
    : 'has a token of the host'
}

/** Whether something changes by itself, or for what the tenant may have. */
function isNoise(
  object: KubeObject,
  former: KubeObject | undefined,
  { namespace }: TenantPlace,
): boolean {
  switch (object.kind) {
    case 'Event':
    case 'Lease':
      return true
    case 'IPAddress':
      return textAt(object, 'spec', 'parentRef', 'namespace') === namespace
    case 'PersistentVolume':
      // One that was there for others must not become the tenant's.
      return [former ?? object, object].every(
        (one) => textAt(one, 'spec', 'claimRef', 'namespace') === namespace,
      )
    case 'Endpoints':
    case 'EndpointSlice':
      // On a busy machine a component may not be ready for a while.
      return former !== undefined && isDeepStrictEqual(addressesIn(former), addressesIn(object))
    default:
      return former !== undefined && isDeepStrictEqual(wantedOf(former), wantedOf(object))
  }
}

function addressesIn(object: KubeObject): string[] {
  const found = JSON.stringify([object['endpoints'], object['subsets']])
  return [...new Set(found.match(/\d+\.\d+\.\d+\.\d+/g))].toSorted()
}

/** All but the status, and what only says who changed it. */
function wantedOf(object: KubeObject): object {
  const { metadata, status: _status, ...others } = object
  return { ...others, labels: metadata.labels ?? {} }
}

function contentOf({ metadata, ...others }: KubeObject): object {
  const { managedFields: _fields, resourceVersion: _version, ...rest } = metadata
  return { ...others, metadata: rest }
}

function isOfPlane({ metadata }: KubeObject, { plane }: TenantPlace): boolean {
  return metadata.labels?.[PLANE_LABEL] === plane
}
