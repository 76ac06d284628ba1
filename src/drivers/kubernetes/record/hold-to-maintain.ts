import type { HostApi } from '../host/host-api.ts'
import { isUnfinished } from './is-unfinished.ts'
import { type HeldPlane, type HoldPlaneOptions, tryHoldPlane } from './hold-plane.ts'

/**
 * Holds a plane for what any look does by the way; undefined when somebody else holds it, or was cut off: what was begun would be
 * forgotten, and a plane that is half removed put back.
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
