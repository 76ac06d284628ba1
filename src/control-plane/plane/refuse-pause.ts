import { VplaneError } from '../../shared/errors.ts'
import type { PlaneSpec } from '../spec/spec.ts'
import { storeOf } from '../store/store.ts'
import { runsWhilePaused } from './runs-while-paused.ts'

/**
 * Refuses a pause that would lose the data: that of an ephemeral plane in a host namespace is in a pod, and only the pods
 * of etcd continue during a pause.
 * @throws {VplaneError} `UNSUPPORTED` with what to do instead.
 */
export function refusePause({
  name,
  namespace,
  spec,
}: {
  name: string
  namespace?: string | undefined
  spec: PlaneSpec
}): void {
  const { component } = storeOf(spec)
  if (spec.host !== undefined && spec.ephemeral && !runsWhilePaused(spec, component)) {
    const message = `"${name}" cannot be paused: it is ephemeral, and its data would be lost with the pod of ${component}`
    const plane = namespace === undefined ? { name } : { name, namespace }
    throw new VplaneError('UNSUPPORTED', message, {
      hints: [{ purpose: 'to delete it', action: 'delete', plane }],
    })
  }
}
