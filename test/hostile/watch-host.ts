import { collectionsOf } from '../../src/drivers/kubernetes/namespace/collections-of.ts'
import type { KubeClient } from '../../src/kube/client/client.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { isSynced, referencesOf, strayReason, type TenantPlace } from './judge-change.ts'

/** Everything on a host that does not belong where it is, and how much was looked at. */
export interface HostWatch extends AsyncDisposable {
  strays: () => string[]
  changes: () => number
  kinds: number
}

/** Watches all objects of a host from now on. Returns once it knows what was there before. */
export async function watchHost(
  api: Pick<KubeClient, 'get' | 'watch'>,
  place: TenantPlace,
): Promise<HostWatch> {
  const ending = new AbortController()
  const strays: string[] = []
  const foreign = new Set<string>()
  const used = new Map<string, string>()
  let changes = 0
  const collections = await collectionsOf(api)
  const watched = collections.filter(({ verbs }) => verbs.includes('watch'))
  const watches = watched.map(({ resource, root }) => {
    const path = `${root}/${resource}`
    const known = new Map<string, KubeObject>()
    const listed = Promise.withResolvers<void>()
    const watching = async () => {
      let isListed = false
      const onListed = () => {
        isListed = true
        listed.resolve()
      }
      const options = { signal: ending.signal, onListed }
      for await (const { object, type } of api.watch(path, options)) {
        const { name, namespace = '', uid } = object.metadata
        const former = known.get(uid ?? '')
        if (isListed) {
          changes += 1
          const reason = strayReason({ object, type }, former, place)
          if (reason !== undefined) {
            strays.push(`${type} ${object.kind} ${namespace}/${name}: ${reason}`)
          }
        }
        known.set(uid ?? '', object)
        if (namespace === place.namespace && !isSynced(object, place)) {
          foreign.add(`${object.kind} ${name}`)
        } else if (isSynced(object, place)) {
          referencesOf(object).forEach((what) => used.set(what, `Pod ${name}`))
        }
      }
    }
    const ended = watching().catch((error: unknown) => {
      listed.reject(error)
      if (!ending.signal.aborted) {
        strays.push(`the watch of ${path} ended: ${String(error)}`)
      }
    })
    return { ended, listed: listed.promise }
  })
  await Promise.all(watches.map(({ listed }) => listed))
  return {
    // Watches of two kinds do not show things in their order.
    strays: () => [
      ...strays,
      ...[...used].flatMap(([what, user]) => (foreign.has(what) ? [`${user} uses ${what}`] : [])),
    ],
    changes: () => changes,
    kinds: watched.length,
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await Promise.allSettled(watches.map(({ ended }) => ended))
    },
  }
}
