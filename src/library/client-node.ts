import { KubeConfig } from '@kubernetes/client-node'

/**
 * The entry `vplane/client-node`: returns a KubeConfig of the official client for a control plane, or for one of its users.
 *
 * It reuses connections, unlike the client itself (2.0.1), which opens a TLS connection for each request.
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
  reuseConnections(config)
  return config
}

/** The kubeconfig has one cluster with one user, so all requests can use one dispatcher. */
function reuseConnections(config: KubeConfig): void {
  const create: unknown = Reflect.get(config, 'createDispatcher')
  if (typeof create !== 'function') {
    // Other versions of the client may have no such method: they work without reuse.
    return
  }
  let dispatcher: unknown
  Reflect.set(config, 'createDispatcher', (...args: unknown[]) => {
    dispatcher ??= Reflect.apply(create, config, args)
    return dispatcher
  })
}
