import { isSamePlane, type Plane, type PlaneReference } from '../../plane/plane.ts'
import { type ConnectDependencies, connectPlane } from './connect-control-plane.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'
import type { BackgroundTunnels } from '../access/tunnels.ts'

export interface RepointDependencies extends ConnectDependencies {
  tunnels: Pick<BackgroundTunnels, 'stop'>
}

/**
 * Replaces the context of a plane that was moved by one for its new place, of the same kind, and current if it was, and
 * stops the tunnel to the old place. Returns the name of the context, if the plane had one.
 */
export async function repointContext(
  deps: RepointDependencies,
  from: Plane,
  to: ResolvedPlane & { timeoutMs: number; signal: AbortSignal },
): Promise<string | undefined> {
  const { contexts } = deps
  const { signal, timeoutMs } = to
  const isOld = (plane: PlaneReference) => isSamePlane(plane, from)
  let context: string | undefined
  if ((await contexts.planes()).some(isOld)) {
    const current = await contexts.currentPlane()
    const certificates = await contexts.certificates()
    const embedCredentials = certificates.some(({ plane }) => isOld(plane))
    const makeCurrent = current !== undefined && isOld(current)
    const options = { embedCredentials, makeCurrent, timeoutMs, signal }
    // The old context is removed last: after an interruption, the next call knows by it that the plane had one.
    context = (await connectPlane(deps, to, options)).context
    await contexts.remove(from, signal)
  }
  await deps.accesses.remove(from)
  if (from.driver === 'kubernetes') {
    await deps.tunnels.stop(from)
  }
  return context
}
