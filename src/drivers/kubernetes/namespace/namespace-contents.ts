import { httpStatusOf } from '../../../kube/kube-error.ts'
import { fieldAt, arrayAt, recordsAt } from '../../../shared/json-fields.ts'
import { MANAGED_BY, PLANE_LABEL } from '../../../manifests/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { isSynced } from '../context/object-names.ts'
import { titleOf } from './leftovers.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** What every namespace gets by itself. */
const GIVEN = new Set([
  'ServiceAccount "default"',
  'ConfigMap "istio-ca-root-cert"',
  'ConfigMap "kube-root-ca.crt"',
  'ConfigMap "openshift-service-ca.crt"',
])
/** Groups whose objects show others in another form. */
const VIEWS = ['metrics.k8s.io', 'events.k8s.io', 'custom.metrics.k8s.io']

export interface ContentsOptions {
  namespace: string
  /** Planes whose objects do not count. */
  planes: readonly string[]
  /** Kinds that cannot be listed count as not there. @default it is an error */
  isBlindFine?: boolean
  signal: AbortSignal
}

/**
 * What a namespace holds that is not of some planes, of every kind that the host has, custom ones too.
 *
 * @throws {VplaneError} when a kind cannot be listed and that is not fine: then nobody knows.
 */
export async function namespaceContents(
  api: Pick<HostApi, 'get' | 'list'>,
  { isBlindFine = false, namespace, planes, signal }: ContentsOptions,
): Promise<KubeObject[]> {
  const ask = isBlindFine ? unlessUnanswered : <T>(asking: Promise<T>) => asking
  const collections = await namespacedCollections(api, ask, signal)
  const lists = await Promise.all(
    collections.map(({ resource, root }) =>
      ask(api.list(`${root}/namespaces/${namespace}/${resource}`, { signal })),
    ),
  )
  return lists
    .flatMap((list) => list?.items ?? [])
    .filter((object) => !planes.some((plane) => isOf(object, plane)))
    .filter((object) => !isGiven(object))
}

type Ask = <T>(asking: Promise<T>) => Promise<T | undefined>

/** undefined for what the host refuses to say, or cannot say for the moment, as of an API that others serve. */
async function unlessUnanswered<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    if (httpStatusOf(error) === undefined) {
      throw error
    }
    return undefined
  }
}

/** Made by vplane, or by the plane's syncer. */
function isOf(object: KubeObject, plane: string): boolean {
  const { labels = {} } = object.metadata
  const isPart = labels[PLANE_LABEL] === plane && labels[MANAGED_BY] === 'vplane'
  return isPart || isSynced(object, plane)
}

function isGiven(object: KubeObject): boolean {
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
  ask: Ask,
  signal: AbortSignal,
): Promise<Collection[]> {
  const groups = await api.get('/apis', { signal })
  const roots = recordsAt(groups, 'groups').flatMap((group) => {
    const isView = VIEWS.includes(String(group['name']))
    return isView ? [] : [`/apis/${String(fieldAt(group, 'preferredVersion', 'groupVersion'))}`]
  })
  const found = await Promise.all(
    ['/api/v1', ...roots].map(async (root) => {
      const resources = recordsAt(await ask(api.get(root, { signal })), 'resources')
      return resources.filter(isListed).map(({ name }) => ({ root, resource: String(name) }))
    }),
  )
  return found.flat()
}

function isListed({ name, namespaced, verbs }: Record<string, unknown>): boolean {
  const isPart = String(name).includes('/')
  const isEvents = name === 'events'
  return namespaced === true && !isPart && !isEvents && arrayAt(verbs).includes('list')
}
