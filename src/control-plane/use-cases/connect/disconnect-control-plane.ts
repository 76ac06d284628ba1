import { VplaneError } from '../../../shared/errors.ts'
import { parseName } from '../../plane/names.ts'
import { isSamePlane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import type { AccessStore } from '../access/access.ts'
import type { Contexts, RemovedContext } from '../access/contexts.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { refuseSeveral } from '../find/resolve-plane.ts'
import type { BackgroundTunnels } from '../access/tunnels.ts'

export interface DisconnectOptions extends Omit<PlaneSelector, 'name'> {
  /** @default the plane of the current context */
  name: string | undefined
  signal: AbortSignal
}

export interface DisconnectDependencies {
  /** Those that lose the plane. */
  contexts: Contexts
  /** Those of the user's kubeconfig. @default the same */
  usual?: Pick<Contexts, 'planes'>
  tunnels: Pick<BackgroundTunnels, 'stop'>
  accesses: Pick<AccessStore, 'remove'>
}

/**
 * Removes the context of a plane, and makes the previous one current again. Stops the tunnel to a plane in a host cluster and
 * deletes the stored credential, unless another context of the user's kubeconfig uses them.
 * @throws {VplaneError} `NOT_FOUND` when there is no such context, `USAGE` when several planes have the name.
 */
export async function disconnectControlPlane(
  { accesses, contexts, tunnels, usual = contexts }: DisconnectDependencies,
  { name, signal, ...selector }: DisconnectOptions,
): Promise<RemovedContext & { plane: PlaneReference }> {
  const planes = await contexts.planes()
  const plane =
    name === undefined
      ? await contexts.currentPlane()
      : connectedPlane(planes, { ...selector, name: parseName(name) })
  const removed = plane && (await contexts.remove(plane, signal))
  if (plane === undefined || removed === undefined) {
    const message =
      name === undefined
        ? 'vplane did not write the current context'
        : `no context of the kubeconfig points at "${name}"`
    throw new VplaneError('NOT_FOUND', message, {
      hints: planes.map((other) => ({ action: 'disconnect', plane: other })),
    })
  }
  if (plane.driver === 'kubernetes') {
    const remaining = await usual.planes()
    if (!remaining.some((other) => isSamePlane(other, plane))) {
      await accesses.remove(plane)
      await tunnels.stop(plane)
    }
  }
  return { ...removed, plane: referenceOf(plane) }
}

/** A context whose record is damaged is found by its name alone, whatever the driver. */
function connectedPlane(
  planes: readonly PlaneReference[],
  { driver, hostContext, name, namespace }: PlaneSelector,
): PlaneReference {
  const fitting = planes.filter(
    (plane) =>
      plane.name === name &&
      (driver === undefined || plane.driver === driver) &&
      (namespace === undefined || plane.namespace === namespace) &&
      (hostContext === undefined || plane.hostContext === hostContext),
  )
  refuseSeveral(name, fitting)
  const [first] = fitting
  return first ?? { name, driver: 'local' }
}
