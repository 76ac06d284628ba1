import { httpStatusOf } from '../../../kube/kube-error.ts'
import { fieldAt, arrayAt, recordsAt } from '../../../shared/json-fields.ts'
import type { HostApi } from '../host/host-api.ts'
import { isOfPlane, isSynced } from '../context/object-names.ts'
import { titleOf } from './leftovers.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** What every namespace contains from the start. */
const GIVEN = new Set([
  'ServiceAccount "default"',
  'ConfigMap "istio-ca-root-cert"',
  'ConfigMap "kube-root-ca.crt"',
  'ConfigMap "openshift-service-ca.crt"',
])
/** API groups that show objects of others in another form. */
const VIEWS = ['metrics.k8s.io', 'events.k8s.io', 'custom.metrics.k8s.io']

export interface ContentsOptions {
  namespace: string
  planes: readonly string[]
  /** Skip kinds that cannot be listed. @default they are an error */
  ignoresForbidden?: boolean
  signal: AbortSignal
}

/** Lists the objects in a namespace, of every kind that the host has, except those of `planes`. */
export async function namespaceContents(
  api: Pick<HostApi, 'get' | 'list'>,
  { ignoresForbidden = false, namespace, planes, signal }: ContentsOptions,
): Promise<KubeObject[]> {
  const ask = ignoresForbidden ? unlessUnanswered : <T>(asking: Promise<T>) => asking
  const collections = await namespacedCollections(api, ask, signal)
  const lists = await Promise.all(
    collections.map(({ resource, root }) =>
      ask(api.list(`${root}/namespaces/${namespace}/${resource}`, { signal })),
    ),
  )
  return lists
    .flatMap((list) => list?.items ?? [])
    .filter((object) => !planes.some((name) => isOfPlane(object, name) || isSynced(object, name)))
    .filter((object) => !isGiven(object))
}

type Ask = <T>(asking: Promise<T>) => Promise<T | undefined>

/** Some requests the host cannot answer, such as for an aggregated API that is down. */
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

function isGiven(object: KubeObject): boolean {
  const isToken = object['type'] === 'kubernetes.io/service-account-token'
  const account = object.metadata.annotations?.['kubernetes.io/service-account.name']
  return GIVEN.has(titleOf(object)) || (isToken && account === 'default')
}

interface Collection {
  /** Example: `/apis/apps/v1`. */
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
