import { ObjectCache } from '../../kube/cache/object-cache.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { OPERATOR_GATEWAY_LABELS } from '../../manifests/object-names.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The pods of the gateway of an operator, as a watch shows them. */
export class GatewayPods {
  readonly #cache: ObjectCache

  constructor(host: Pick<KubeClient, 'watch'>, namespace: string) {
    const labelSelector = Object.entries(OPERATOR_GATEWAY_LABELS)
      .map(([label, value]) => `${label}=${value}`)
      .join(',')
    this.#cache = new ObjectCache(host, collectionPath('pods', namespace), { labelSelector })
  }

  /** Calls the listener for every later change. */
  onChange(listener: () => void): void {
    this.#cache.onChange(listener)
  }

  /** Watches until the signal fires, and throws its reason. @throws {VplaneError} `FAILED` when access is denied. */
  run(signal: AbortSignal): Promise<never> {
    return this.#cache.run(signal)
  }

  /** All that exist, once they are known: without those that run, clients would be refused. Throws the reason of the signal. */
  async known(signal: AbortSignal): Promise<KubeObject[]> {
    signal.throwIfAborted()
    using rejected = rejectedBy(signal)
    await Promise.race([this.#cache.listed, rejected.promise])
    return [...this.#cache.values()]
  }
}

/** Rejected when the signal fires; the signal may last far longer than what waits. */
function rejectedBy(signal: AbortSignal): Disposable & { promise: Promise<never> } {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  return { promise, [Symbol.dispose]: () => signal.removeEventListener('abort', abort) }
}
