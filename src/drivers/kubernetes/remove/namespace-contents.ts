import { isRecord } from '../../../kube/kube-object.ts'
import { MANAGED_BY, PLANE_LABEL } from '../../../manifests/object-names.ts'
import type { HostApi, HostObject } from '../host-api.ts'
import { titleOf } from './leftovers.ts'

/** What every namespace gets by itself. */
const GIVEN = new Set([
  'ServiceAccount "default"',
  'ConfigMap "kube-root-ca.crt"',
  'ConfigMap "openshift-service-ca.crt"',
])
/** Groups whose objects show others in another form. */
const VIEWS = ['metrics.k8s.io', 'events.k8s.io', 'custom.metrics.k8s.io']

export interface ContentsOptions {
  namespace: string
  /** Planes whose objects do not count. */
  planes: readonly string[]
  signal: AbortSignal
}

/**
 * What a namespace holds that is not of some planes, of every kind that the host has, custom ones too.
 *
 * @throws {VplaneError} when a kind cannot be listed: then nobody knows.
 */
export async function namespaceContents(
  api: Pick<HostApi, 'get' | 'list'>,
  { namespace, planes, signal }: ContentsOptions,
): Promise<string[]> {
  const collections = await namespacedCollections(api, signal)
  const lists = await Promise.all(
    collections.map(({ resource, root }) =>
      api.list(`${root}/namespaces/${namespace}/${resource}`, { signal }),
    ),
  )
  const objects = lists.flatMap(({ items }) => items)
  return objects
    .filter(({ metadata: { labels = {} } }) => {
      const isOfPlanes = planes.includes(labels[PLANE_LABEL] ?? '')
      return !isOfPlanes || labels[MANAGED_BY] !== 'vplane'
    })
    .filter((object) => !isGiven(object))
    .map(titleOf)
}

function isGiven(object: HostObject): boolean {
  const isToken = object['type'] === 'kubernetes.io/service-account-token'
  const account = object.metadata.annotations?.['kubernetes.io/service-account.name']
  return GIVEN.has(titleOf(object)) || (isToken && account === 'default')
}

interface Collection {
  /** Such as `/apis/apps/v1`. */
  root: string
  resource: string
}

async function namespacedCollections(
  api: Pick<HostApi, 'get'>,
  signal: AbortSignal,
): Promise<Collection[]> {
  const groups = await api.get('/apis', { signal })
  const roots = listOf(groups, 'groups').flatMap((group) => {
    const preferred = isRecord(group['preferredVersion']) ? group['preferredVersion'] : {}
    const isView = VIEWS.includes(String(group['name']))
    return isView ? [] : [`/apis/${String(preferred['groupVersion'])}`]
  })
  const found = await Promise.all(
    ['/api/v1', ...roots].map(async (root) => {
      const resources = listOf(await api.get(root, { signal }), 'resources')
      return resources.filter(isListed).map(({ name }) => ({ root, resource: String(name) }))
    }),
  )
  return found.flat()
}

function isListed({ name, namespaced, verbs }: Record<string, unknown>): boolean {
  const isPart = String(name).includes('/')
  const isEvents = name === 'events'
  return (
    namespaced === true && !isPart && !isEvents && Array.isArray(verbs) && verbs.includes('list')
  )
}

function listOf(object: HostObject | undefined, field: string): Array<Record<string, unknown>> {
  const list = object?.[field]
  return Array.isArray(list) ? list.filter(isRecord) : []
}
