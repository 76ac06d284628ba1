import type { HostAnswers } from '../../../control-plane/driver/requests.ts'
import type { Finding } from '../../../control-plane/status/finding.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PreflightRequest } from '../context/context.ts'
import { isShared } from '../context/object-names.ts'
import { hostResourceOf } from '../host/host-resource.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { claimsOf, workloadsOf } from '../host/workload.ts'
import { existingFindings, existingObjects } from './existing-objects.ts'
import type { PreflightApi } from './in-turns.ts'

/** Checks only whether objects of a plane exist: its host accepts another plane that differs in its name alone. */
export async function checkNames(
  api: PreflightApi,
  { manifests, names, ...request }: PreflightRequest & Pick<HostAnswers, 'names'>,
): Promise<Finding[]> {
  const { namespace, signal } = request
  const own = manifests.filter((object) => !isShared(object))
  const wanted = [...own, ...claimsOf(workloadsOf(own))].map((object: KubeObject) => {
    const { collection, path } = hostResourceOf(object, namespace)
    return { collection, path, name: object.metadata.name ?? '' }
  })
  const namesIn = (collection: string) => {
    const known = names.get(collection) ?? listNames(api, collection, signal)
    names.set(collection, known)
    return known.catch((error: unknown) => {
      names.delete(collection)
      throw error
    })
  }
  const paths = await Promise.all(
    wanted.map(async ({ collection, name, path }) => {
      const known = await namesIn(collection)
      return known?.has(name) === false ? [] : [path]
    }),
  )
  return existingFindings(await existingObjects(api, paths.flat(), signal), request)
}

async function listNames(
  api: Pick<PreflightApi, 'list'>,
  collection: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const list = await unlessRefused(api.list(collection, { metadataOnly: true, signal }))
  return list && new Set(list.items.map(({ metadata }) => metadata.name ?? ''))
}
