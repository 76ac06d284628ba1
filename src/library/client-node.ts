import { KubeConfig } from '@kubernetes/client-node'

/**
 * The entry `vplane/client-node`: a KubeConfig of the official client for a control plane, or for one of its users.
 *
 * Its connections are kept open and used again, which the client itself does not do (2.0.1): each request would make a
 * TLS connection of its own.
 *
 * @example
 * ```ts
 * import { CoreV1Api } from '@kubernetes/client-node'
 * import { kubeConfigOf } from 'vplane/client-node'
 *
 * const api = kubeConfigOf(plane).makeApiClient(CoreV1Api)
 *
 * const { items } = await api.listNamespace()
 * assert.ok(items.some(({ metadata }) => metadata?.name === 'default'))
 * ```
 */
export function kubeConfigOf({ kubeconfig }: { kubeconfig: string }): KubeConfig {
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  keepConnections(config)
  return config
}

/** There is one cluster with one user in it, so one dispatcher does for all requests. */
function keepConnections(config: KubeConfig): void {
  const create: unknown = Reflect.get(config, 'createDispatcher')
  if (typeof create !== 'function') {
    // Another version of the client, with other insides: it works as it does by itself.
    return
  }
  let kept: unknown
  Reflect.set(config, 'createDispatcher', (...args: unknown[]) => {
    kept ??= Reflect.apply(create, config, args)
    return kept
  })
}
