import { labelsSelector } from '../../drivers/kubernetes/context/object-names.ts'
import { ObjectCache } from '../../kube/cache/object-cache.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { OPERATOR_GATEWAY_LABELS } from '../../manifests/object-names.ts'
import { unlessAborted } from '../../shared/concurrency/unless-aborted.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The pods of the gateway of an operator, as a watch shows them. */
export class GatewayPods {
  readonly #cache: ObjectCache

  constructor(host: Pick<KubeClient, 'watch'>, namespace: string) {
    const labelSelector = labelsSelector(OPERATOR_GATEWAY_LABELS)
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
    await unlessAborted(this.#cache.listed, signal)
    return [...this.#cache.values()]
  }
}
