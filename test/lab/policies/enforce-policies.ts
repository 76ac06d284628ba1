import type { KubeClient } from '../../../src/kube/client/client.ts'
import { abortOnDispose } from '../../../src/shared/abort-on-dispose.ts'
import { collectionPath } from '../../../src/shared/kube/collections.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { nodeRulesets } from './node-rulesets.ts'

export interface PolicyNodes {
  names: readonly string[]
  /** Replaces what enforces policies on a node. */
  apply: (node: string, ruleset: string) => Promise<void>
}

/**
 * Enforces the network policies of a cluster on its nodes until something fails. Changes that arrive while rules are
 * applied are applied together afterwards. While the API server does not answer, the rules stay as they are.
 */
export async function enforcePolicies(
  client: KubeClient,
  { apply, names }: PolicyNodes,
): Promise<never> {
  const cacheOf = (resource: 'namespaces' | 'networkpolicies' | 'pods') =>
    new ObjectCache(client, collectionPath(resource))
  const caches = {
    pods: cacheOf('pods'),
    namespaces: cacheOf('namespaces'),
    policies: cacheOf('networkpolicies'),
  }
  const all = Object.values(caches)
  let changed = Promise.withResolvers<void>()
  all.forEach((cache) => cache.onChange(() => changed.resolve()))
  using stop = abortOnDispose()
  const watching = Promise.all(all.map((cache) => cache.run(stop.signal)))
  // At the end it fails because it is stopped, and nothing awaits it any more.
  watching.catch(() => {})
  await Promise.all(all.map((cache) => cache.listed))
  const applied = new Map<string, string>()
  for (;;) {
    changed = Promise.withResolvers()
    const rulesets = nodeRulesets(names, {
      pods: caches.pods.values(),
      namespaces: caches.namespaces.values(),
      policies: caches.policies.values(),
    })
    for (const [node, ruleset] of rulesets) {
      if (applied.get(node) !== ruleset) {
        await apply(node, ruleset)
        applied.set(node, ruleset)
      }
    }
    await Promise.race([changed.promise, watching])
  }
}
