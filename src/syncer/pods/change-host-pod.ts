import { httpStatusOf } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { messageOf } from '../../shared/errors.ts'
import { hostMessage, isRefusedForGood } from '../events/refusals.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { SyncContext } from '../context/sync-context.ts'

export interface HostPodChange {
  virtual: KubeObject
  host: KubeObject
  /** Where what may not be changed in a pod itself is changed. */
  subresource: 'ephemeralcontainers' | 'resize'
  spec: object
}

/**
 * Changes something of a host pod that has a subresource of its own.
 *
 * @returns why the host will not have it; undefined when it does, or when there is no such pod any more
 */
export async function changeHostPod(
  { host: client, scope }: Pick<SyncContext, 'host' | 'scope'>,
  { host, spec, subresource, virtual }: HostPodChange,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name = '' } = host.metadata
  const path = `${objectPath('pods', host.metadata)}/${subresource}`
  try {
    await client.patch(path, { spec }, { type: 'strategic', signal })
    return undefined
  } catch (error) {
    const isMissing = httpStatusOf(error) === 404
    if (isMissing && messageOf(error).includes(name)) {
      return undefined
    }
    if (isMissing || isRefusedForGood(error)) {
      return `the host cluster refuses it: ${hostMessage(scope, virtual, error)}`
    }
    throw error
  }
}
