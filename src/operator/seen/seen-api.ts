import {
  planeSelector,
  type PlacedName,
  RECORD_TYPE,
} from '../../drivers/kubernetes/context/object-names.ts'
import { type ObjectKey, parseObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import {
  COMPONENT_LABEL,
  MANAGED_BY,
  type ObjectSuffix,
  PLANE_LABEL,
} from '../../manifests/object-names.ts'
import { collectionPath, type Resource } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { PlaneObjects } from './plane-objects.ts'
import { isRecordOfPlane } from './watched-objects.ts'

type Listed = Awaited<ReturnType<KubeClient['list']>>

/** What a status reads by its name. */
const NAMED: ReadonlyArray<readonly [Resource, ObjectSuffix]> = [
  ['secrets', 'record'],
  ['secrets', 'ca'],
  ['configmaps', 'keeper-status'],
  ['services', 'api'],
]

/** What a status lists. */
const LISTED = ['secrets', 'pods', 'statefulsets', 'deployments'] as const

const PATH = /(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/(vplane-[^/]+))?$/

/** Selects the objects of planes, and perhaps of one component. */
const SELECTOR = new RegExp(
  `^${MANAGED_BY}=vplane,${PLANE_LABEL}(?:=([^,]+)| in \\(([^)]*)\\))(?:,${COMPONENT_LABEL}=([^,]+))?$`,
)

/** Selects the Secrets with the keys of a plane. */
const KEYS = `type!=${RECORD_TYPE}`

/**
 * The API of a host, for reads of what planes are: it answers what statuses read from what watches show, and what keys a
 * plane has with the last answer, until a Secret of the plane changes. The host gets all other requests.
 */
export function seenApi(live: KubeClient, objects: PlaneObjects): KubeClient {
  const keys = new Map<ObjectKey, { last?: Listed }>()
  objects.onChange((plane, resource) => {
    if (resource === 'secrets') {
      keys.delete(plane)
    }
  })
  const keysOf = async (place: PlacedName, signal: AbortSignal | undefined): Promise<Listed> => {
    const plane = toObjectKey(place)
    const known = keys.get(plane) ?? {}
    keys.set(plane, known)
    // After a change meanwhile, another one is known.
    known.last ??= await live.list(collectionPath('secrets', place.namespace), {
      labelSelector: planeSelector(place.name),
      fieldSelector: KEYS,
      signal,
    })
    return known.last
  }
  return {
    ...live,
    get: async (path, options = {}) => {
      const [, namespace, resource, object = ''] = PATH.exec(path) ?? []
      const [found, suffix] =
        NAMED.find(([of, end]) => of === resource && object.endsWith(`-${end}`)) ?? []
      if (namespace === undefined || found === undefined || suffix === undefined) {
        return live.get(path, options)
      }
      await objects.listed()
      const place = { name: planeIn(object, suffix), namespace }
      return suffix === 'ca'
        ? (await keysOf(place, options.signal)).items.find(isNamed(object))
        : objects.get(toObjectKey(place), found, object)
    },
    list: async (path, options = {}) => {
      const { fieldSelector = '', labelSelector = '', metadataOnly, signal } = options
      const [, namespace, resource] = PATH.exec(path) ?? []
      const [, name, several, component] = SELECTOR.exec(labelSelector) ?? []
      const names = name === undefined ? several?.split(',') : [name]
      const listed = LISTED.find((one) => one === resource)
      const areKeys = listed === 'secrets' && fieldSelector !== `type=${RECORD_TYPE}`
      if (names === undefined || listed === undefined || metadataOnly === true) {
        return live.list(path, options)
      }
      await objects.listed()
      if (areKeys) {
        return namespace !== undefined && name !== undefined && fieldSelector === KEYS
          ? keysOf({ name, namespace }, signal)
          : live.list(path, options)
      }
      const planes =
        namespace === undefined
          ? [...objects.keys()].filter((key) => names.includes(parseObjectKey(key).name))
          : names.map((one) => toObjectKey({ name: one, namespace }))
      const items = planes
        .flatMap((plane) => objects.list(plane, listed))
        .filter((object) => listed !== 'secrets' || isRecordOfPlane(object))
        .filter(
          ({ metadata }) =>
            component === undefined || metadata.labels?.[COMPONENT_LABEL] === component,
        )
      return { items, resourceVersion: '' }
    },
  }
}

/** The plane of `vplane-dev-record`. */
function planeIn(object: string, suffix: ObjectSuffix): string {
  return object.slice('vplane-'.length, -`-${suffix}`.length)
}

function isNamed(name: string): (object: KubeObject) => boolean {
  return ({ metadata }) => metadata.name === name
}
