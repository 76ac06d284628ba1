import { httpStatusOf } from '../../../kube/kube-error.ts'
import type { HostApi } from '../host/host-api.ts'
import { isCredentialOf } from '../../../manifests/credentials/credential-secret.ts'
import { isOfPlane, isShared, isSynced } from '../context/object-names.ts'
import { collectionsOf } from './collections-of.ts'
import { titleOf } from './leftovers.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** What every namespace contains from the start. */
const GIVEN = new Set([
  'ServiceAccount "default"',
  'ConfigMap "istio-ca-root-cert"',
  'ConfigMap "kube-root-ca.crt"',
  'ConfigMap "openshift-service-ca.crt"',
])

export interface ContentsOptions {
  namespace: string
  planes: readonly string[]
  /** Skip kinds that cannot be listed. @default they are an error */
  ignoresForbidden?: boolean
  signal: AbortSignal
}

/** Lists the objects in a namespace, of every kind that the host has, except those of `planes`, and those that its planes share. */
export async function namespaceContents(
  api: Pick<HostApi, 'get' | 'list'>,
  { ignoresForbidden = false, namespace, planes, signal }: ContentsOptions,
): Promise<KubeObject[]> {
  const ask = ignoresForbidden ? unlessUnanswered : <T>(asking: Promise<T>) => asking
  const collections = await collectionsOf(api, { ask, signal })
  const lists = await Promise.all(
    collections
      .filter(({ isNamespaced, resource }) => isNamespaced && resource !== 'events')
      .map(({ resource, root }) =>
        ask(api.list(`${root}/namespaces/${namespace}/${resource}`, { signal })),
      ),
  )
  return lists
    .flatMap((list) => list?.items ?? [])
    .filter((object) => !isShared(object) && !planes.some((name) => isOf(object, name)))
    .filter((object) => !isGiven(object))
}

function isOf(object: KubeObject, plane: string): boolean {
  return isOfPlane(object, plane) || isSynced(object, plane) || isCredentialOf(object, plane)
}

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
