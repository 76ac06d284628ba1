import { isSamePlane, type Plane, type PlaneReference } from '../../plane/plane.ts'
import { type ConnectDependencies, connectPlane } from './connect-control-plane.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'
import type { BackgroundTunnels } from '../access/tunnels.ts'

export interface RepointDependencies extends ConnectDependencies {
  tunnels: Pick<BackgroundTunnels, 'stop'>
}

/**
 * Makes the context of a plane that was moved lead to where it is now: in the same way, and current if it was. The tunnel
 * to where it was ends.
 *
 * @returns the name of the context; undefined when none led there.
 * @throws {VplaneError} what `openAccess` and the kubeconfig's file throw.
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
    // The old one goes last: by it, a call after one that was cut off knows that there is to be one.
    context = (await connectPlane(deps, to, options)).context
    await contexts.remove(from, signal)
  }
  await deps.accesses.remove(from)
  if (from.driver === 'kubernetes') {
    await deps.tunnels.stop(from)
  }
  return context
}
