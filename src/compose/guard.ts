import type { DriverName } from '../control-plane/spec/driver-name.ts'
import { createGuard } from '../drivers/local/guard/create-guard.ts'
import type { Composition } from './compose.ts'
import { launcherTarget } from './launcher/launcher-target.ts'

export { createGuard, type Guard } from '../drivers/local/guard/create-guard.ts'

export interface GuardedPlane {
  name: string
  driver: DriverName
  /** Only with the `kubernetes` driver. */
  namespace?: string | undefined
}

/**
 * Makes sure that a plane does not outlive this process, even if it is killed. Call it before you create the plane, and
 * dispose it after you have deleted the plane.
 * @throws {VplaneError} `FAILED` when the guard cannot be started.
 */
export async function guardPlane(
  composition: Pick<Composition, 'environment' | 'hostContext' | 'paths'>,
  plane: GuardedPlane,
  start: typeof createGuard = createGuard,
): Promise<AsyncDisposable> {
  const { environment, paths } = composition
  const root = paths.data
  const guard =
    plane.driver === 'local'
      ? start()
      : start({ program: deletion(plane, await composition.hostContext()), environment })
  await guard.protect(root, plane.name)
  return {
    [Symbol.asyncDispose]: async () => {
      await guard.release(root, plane.name)
      await guard[Symbol.asyncDispose]()
    },
  }
}

function deletion({ name, namespace }: GuardedPlane, hostContext: string | undefined): string[] {
  const { node, script } = launcherTarget()
  const args = ['delete', name, '--yes', '--ignore-not-found', '--driver', 'kubernetes']
  const place = namespace === undefined ? [] : ['--namespace', namespace]
  const host = hostContext === undefined ? [] : ['--host-context', hostContext]
  return [node, script, ...args, ...place, ...host]
}
