import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { SyncOne } from '../engine/sync-loop.ts'
import { askHost, reportRefusal } from '../events/reporter.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { HostPod } from '../translate/pods/to-host-pod.ts'
import { isRefusal } from '../translate/refusal.ts'
import { droppedFields, reportDropped } from './dropped-fields.ts'
import { ensureTokens, type TokenContext } from './ensure-tokens.ts'

export interface CreatePodOptions extends SyncContext, TokenContext {
  copy: Record<'configmaps' | 'persistentvolumeclaims' | 'secrets', SyncOne>
}

/**
 * Creates a host pod with the copies and tokens that it needs; if it is refused, the pod stays Pending with an Event.
 * @throws {VplaneError} when the host does not answer or refuses the pod.
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
  // 409: it was created a moment ago, and is not in the cache yet.
  const created = await unlessStatus([409], askHost(options, virtual, create))
  if (created !== undefined) {
    const dropped = droppedFields(translated.pod['spec'], created['spec'], 'spec')
    await reportDropped(options, virtual, dropped)
  }
}

/** All before the pod, since the host retries late, and the pod must not get the data of an earlier claim of the same name. */
async function prepare(
  options: CreatePodOptions,
  { translated, virtual }: { virtual: KubeObject; translated: HostPod },
  signal: AbortSignal,
): Promise<void> {
  const { claims, configMaps, secrets, tokens } = translated.needs
  const { namespace } = virtual.metadata
  const syncAll = (sync: SyncOne, names: readonly string[]) =>
    names.map((name) => sync(toObjectKey({ name, namespace }), signal))
  await Promise.all([
    ...syncAll(options.copy.persistentvolumeclaims, claims),
    ...syncAll(options.copy.configmaps, configMaps),
    ...syncAll(options.copy.secrets, secrets),
    ensureTokens(options, { virtual, needs: tokens, owner: undefined }, signal),
  ])
}
