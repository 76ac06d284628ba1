import type { HostApi } from '../host/host-api.ts'
import { isUnfinished } from './is-unfinished.ts'
import { type HeldPlane, type HoldPlaneOptions, tryHoldPlane } from './hold-plane.ts'

/**
 * Holds a plane for maintenance; undefined when another vplane holds it, or an operation on it is not finished.
 *
 * @throws {VplaneError} as `tryHoldPlane` does.
 */
export async function holdToMaintain(
  api: HostApi,
  options: Omit<HoldPlaneOptions, 'operation'>,
  signal: AbortSignal,
): Promise<HeldPlane | undefined> {
  await using stack = new AsyncDisposableStack()
  const held = await tryHoldPlane({ api }, { ...options, operation: 'maintain' }, signal)
  if (held === undefined) {
    return undefined
  }
  stack.use(held)
  if (isUnfinished(held.journal.record)) {
    return undefined
  }
  stack.move()
  return held
}
