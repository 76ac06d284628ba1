import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { toObjectKey } from '../scope/object-key.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { SyncOne } from '../engine/sync-loop.ts'
import { askHost, reportRefusal } from '../events/reporter.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { HostPod } from '../translate/pods/to-host-pod.ts'
import { isRefusal } from '../translate/refusal.ts'
import { adoptTokens, ensureTokens } from './ensure-tokens.ts'

export interface CreatePodOptions extends SyncContext {
  /** Makes what pods mount and read on the host equal to what they name in the plane. */
  copy: Record<'configmaps' | 'persistentvolumeclaims' | 'secrets', SyncOne>
}

/**
 * Makes the host pod of a virtual one, with the copies and tokens that it needs. A pod that cannot be, by our rules or by
 * the host's, stays Pending and says why in an Event.
 *
 * @throws {VplaneError} when the host does not answer, or says no for the moment.
 */
export async function createHostPod(
  options: CreatePodOptions,
  virtual: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { host, scope } = options
  const translated = options.translatePod(virtual)
  if (isRefusal(translated)) {
    return reportRefusal(options, virtual, translated)
  }
  await prepare(options, { virtual, translated }, signal)
  const collection = collectionPath('pods', scope.host.namespace)
  const create = () => host.create(collection, translated.pod, { signal })
  // 409: it was made a moment ago, and the cache does not know yet.
  const owner = await unlessStatus([409], askHost(options, virtual, create))
  if (owner !== undefined) {
    await adoptTokens(options, { virtual, needs: translated.needs.tokens, owner }, signal)
  }
}

/**
 * All at once, since a pod waits for the slowest of them: the host tries again late. And a pod must not find the data of
 * a claim that had the same name before.
 */
async function prepare(
  options: CreatePodOptions,
  { translated, virtual }: { virtual: KubeObject; translated: HostPod },
  signal: AbortSignal,
): Promise<void> {
  const { claims, configMaps, secrets, tokens } = translated.needs
  const namespace = virtual.metadata.namespace ?? ''
  const keyOfNeed = (name: string) => toObjectKey({ name, namespace })
  await Promise.all([
    ...claims.map((name) => options.copy.persistentvolumeclaims(keyOfNeed(name), signal)),
    ...configMaps.map((name) => options.copy.configmaps(keyOfNeed(name), signal)),
    ...secrets.map((name) => options.copy.secrets(keyOfNeed(name), signal)),
    ensureTokens(options, { virtual, needs: tokens, owner: undefined }, signal),
  ])
}
